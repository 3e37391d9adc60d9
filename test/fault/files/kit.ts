/** A memory and its Markdown files that disagree in every way, and what both come to. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Author } from '../../../src/memory/entry.ts';
import { openStore } from '../../../src/worker/openStore.ts';
import type { StoreService } from '../../../src/worker/service.ts';

/** Stands still, so that two runs write the same. */
const NOW = Date.parse('2026-07-12T09:00:00Z');
export const PERSON: Author = {
  ...{ actor: 'person', level: 'PUBLIC', source: 'panel', session: 's', branch: 'main' },
};
const AGENT: Author = { ...PERSON, actor: 'agent', source: 'copilot' };
const READER = { level: 'RESTRICTED' } as const;

export function openFolder(folder: string): StoreService {
  return openStore(
    {
      ...{ dir: join(folder, 'store'), keysDir: join(folder, 'keys'), root: join(folder, 'work') },
      ...{ defaultLevel: 'PUBLIC', vocabulary: {} },
    },
    { now: () => NOW, wasm: () => Promise.reject(new Error('no catalog here')) },
  );
}

export function memoryDir(folder: string): string {
  return join(folder, 'work', '.lodeline', 'memory');
}

/** Every text that one of the two has before they are matched, also those that only one of them has. */
export const TEXTS = [
  ...['changed', 'edited', 'both', 'mine', 'gone-file', 'conflict'].map((key) => `First of ${key}`),
  ...['Of the new entry', '새 항목의 글', 'Second of changed', 'Edited by hand', 'Both by hand'],
  ...['Both by an agent', 'Mine by hand', 'Mine in the panel', 'Side of ours', 'Side of theirs'],
  ...['Fresh file', '분해된 이름', 'Lines of Windows', 'Gone and kept'],
];

/** Fills a folder in which memory and files disagree. */
export async function disagree(folder: string): Promise<void> {
  const dir = memoryDir(folder);
  const store = openFolder(folder);
  const remember = (key: string, content: string, author = PERSON) =>
    store.remember({ category: 'decision', key, content, tags: ['t'], replace: true }, author);
  for (const key of ['changed', 'edited', 'both', 'mine', 'gone-file', 'conflict'])
    await remember(key, `First of ${key}`);
  await remember('gone-entry', 'Gone and kept');
  await remember('erased', 'Erased for good');
  await store.files.filesSync({ branch: 'main' });

  await remember('new-entry', 'Of the new entry');
  await remember('새 항목', '새 항목의 글');
  await remember('changed', 'Second of changed');
  await remember('both', 'Both by an agent', AGENT);
  await remember('mine', 'Mine in the panel');
  await store.forget({ target: 'gone-entry', action: 'soft' }, PERSON);
  await store.forget({ target: 'erased', action: 'hard' }, PERSON);
  await store.close();

  const change = (name: string, from: string, to: string): void => {
    const file = join(dir, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(`\n${from}\n`, `\n${to}\n`));
  };
  change('edited.md', 'First of edited', 'Edited by hand');
  change('both.md', 'First of both', 'Both by hand');
  change('mine.md', 'First of mine', 'Mine by hand');
  change(
    'conflict.md',
    'First of conflict',
    '<<<<<<< HEAD\nSide of ours\n=======\nSide of theirs\n>>>>>>> other',
  );
  rmSync(join(dir, 'gone-file.md'));
  renameSync(join(dir, 'changed.md'), join(dir, '바뀐 이름.md'));
  writeFileSync(join(dir, 'fresh.md'), '---\nname: fresh one\ntype: user\n---\n\nFresh file\n');
  writeFileSync(join(dir, '한글.md'.normalize('NFD')), '분해된 이름\n');
  writeFileSync(join(dir, 'crlf.md'), '\uFEFF---\r\nname: crlf\r\n---\r\n\r\nLines of Windows\r\n');
}

/** Every file of the folder but drafts, by name. */
export function filesIn(folder: string): Record<string, string> {
  const dir = memoryDir(folder);
  mkdirSync(dir, { recursive: true });
  const names = readdirSync(dir).filter((name) => !name.endsWith('.tmp'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(dir, name), 'utf8')]));
}

/** What both say. */
export async function outcomeOf(folder: string, store: StoreService) {
  const entries = await store.exportAll(READER);
  const shown = entries
    .map(({ key, content, status, confirmed, tags, source, revisions }) => ({
      ...{ key, content, status, confirmed, source, tags: [...tags].sort() },
      revisions: revisions.map(({ text, addition, actor }) => `${addition} ${actor} ${text}`).sort(),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return { entries: shown, files: filesIn(folder) };
}

/** A lock that its process had only begun to write when it died counts for some seconds. */
export function ageLocks(folder: string): void {
  const dir = join(folder, 'store', 'memory', 'files');
  const before = new Date(Date.now() - 60_000);
  for (const name of readdirSync(dir)) utimesSync(join(dir, name), before, before);
}
