/** The project's own vocabulary: the names of what it is built with, as tags of memories that speak of them. */
import { join } from 'node:path';
import { messageOf } from '../journal/errors.ts';
import { type ConfigOutcome, setUp } from './agentConfig.ts';
import type { ConfigRecords } from './agentConfigRecord.ts';
import { type ProjectName, readManifests } from './initManifests.ts';

/** For whom the vocabulary is set up, in the records. */
const VOCABULARY = 'vocabulary';
/** As settings files say it. */
const SETTING = 'vocab';
const MAX_TAGS = 1000;
/** What tags are inferred from can hold such words, and no others. */
const WORD = /^@?[\p{L}\p{N}](?:[\p{L}\p{N}@/._-]{0,98}[\p{L}\p{N}])$/u;

export interface VocabularyOutcome extends ConfigOutcome {
  /** The manifests that the names are from. */
  readonly manifests: readonly string[];
  /** How many tags there are. */
  readonly tags: number;
}

/**
 * Merges the names in a folder's manifests into the vocabulary in its `.lodeline/config.json`, in the place of what
 * was merged before. What a person wrote there stays as it is, tags of the same name as well. Never throws.
 */
export function setUpVocabulary(root: string, records: ConfigRecords): VocabularyOutcome {
  const file = join(root, '.lodeline', 'config.json');
  try {
    const { files, names } = readManifests(root);
    const vocabulary = [...vocabularyOf(names)];
    const outcome = setUp(
      {
        ...{ file, base: root, format: 'json', isPrivate: false, user: { root, agent: VOCABULARY } },
        entries: vocabulary.map(([tag, words]) => ({ path: [SETTING, tag], value: words })),
      },
      records,
    );
    return { ...outcome, manifests: files, tags: vocabulary.length };
  } catch (error) {
    return { file, agent: VOCABULARY, done: 'failed', note: messageOf(error), manifests: [], tags: 0 };
  }
}

/** Tags and the words that name them, both in order. */
export function vocabularyOf(names: readonly ProjectName[]): Map<string, readonly string[]> {
  const words = new Map<string, Set<string>>();
  for (const { name, short } of names) {
    const [tag, ...all] = [short, short.includes('-') && name.startsWith('@') ? name : short, name].map(
      (each) => each.normalize('NFC').toLowerCase(),
    );
    const usable = all.filter((word) => WORD.test(word));
    if (tag === undefined || !WORD.test(tag) || usable.length === 0) continue;
    words.set(tag, new Set([...(words.get(tag) ?? []), ...usable]));
  }
  return new Map(
    [...words]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, MAX_TAGS)
      .map(([tag, set]) => [tag, [...set].sort()]),
  );
}
