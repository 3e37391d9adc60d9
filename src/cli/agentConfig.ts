/** Sets up a configuration file for somebody, and undoes it to the byte. */
import { existsSync, realpathSync } from 'node:fs';
import { messageOf } from '../journal/errors.ts';
import {
  type Applied,
  addToJson,
  type ConfigEntry,
  isEmptyJson,
  PlaceError,
  removeFromJson,
} from './agentConfigEdit.ts';
import {
  type ConfigFile,
  missingFolders,
  readConfigFile,
  removeConfigFile,
  removeEmptyFolders,
  writeConfigFile,
} from './agentConfigFile.ts';
import { type ConfigRecord, type ConfigRecords, hashOf } from './agentConfigRecord.ts';
import { addToToml, removeFromToml } from './agentConfigToml.ts';

/** What a file is to hold, and for whom. */
export interface ConfigPlan {
  readonly file: string;
  /** The folder that the file may not lead out of. */
  readonly base: string;
  readonly format: 'json' | 'toml';
  readonly entries: readonly ConfigEntry[];
  /** A file that is new is for its owner only. */
  readonly isPrivate: boolean;
  readonly user: ConfigUser;
  /** Whether a file that was not set up from here holds all that is needed, however it says it. */
  readonly isSetUp?: ((text: string) => boolean) | undefined;
}

export interface ConfigUser {
  readonly root: string;
  /** An agent, or `vocabulary`. */
  readonly agent: string;
}

/** What was done to a file. */
export interface ConfigOutcome {
  readonly file: string;
  readonly agent: string;
  readonly done:
    | 'created'
    | 'changed'
    | 'unchanged'
    /** Taken out again: the file is as it was. */
    | 'restored'
    | 'removed'
    /** Others still need it. */
    | 'kept'
    | 'failed';
  /** What of the plan was not put in, because something else stands there; or why nothing was done. */
  readonly note?: string | undefined;
}

/**
 * Puts into a file what it is to hold, in the place of what was put in before. Never throws: a file that cannot be
 * read as what it has to be is left alone.
 */
export function setUp(plan: ConfigPlan, records: ConfigRecords): ConfigOutcome {
  const { file, user } = plan;
  const outcome = { file, agent: user.agent };
  try {
    const found = readConfigFile(file, plan.base);
    const record = records.read(found.target);
    if (record === undefined && found.text !== undefined && plan.isSetUp?.(found.text) === true)
      return { ...outcome, done: 'unchanged' };
    const before = record === undefined ? found.text : undone(found.text, record);
    const applied = added(plan, before ?? '');
    const note = occupiedNote(applied);
    const users = [...(record?.users.filter((each) => !isSame(each, user)) ?? []), user];
    if (applied.added.length === 0) {
      if (record === undefined) return { ...outcome, done: 'unchanged', note };
      return { ...outcome, done: takeOut(found, before, record, records), note };
    }
    // First, so that whatever comes of a crash can be undone.
    records.write({
      ...{ version: 1, file: found.target, base: plan.base, format: plan.format, users },
      ...{ created: before === undefined, after: hashOf(applied.text) },
      folders: record?.folders ?? missingFolders(found.target, realpathSync(plan.base)),
      ...{
        insertions: [...applied.insertions],
        added: applied.added.map(copied),
        made: applied.made.map(list),
      },
    });
    if (applied.text === found.text) return { ...outcome, done: 'unchanged', note };
    writeConfigFile(found, applied.text, plan.isPrivate ? 0o600 : 0o644);
    return { ...outcome, done: found.text === undefined ? 'created' : 'changed', note };
  } catch (error) {
    return { ...outcome, done: 'failed', note: messageOf(error) };
  }
}

/** Takes what was set up for somebody out of a file, once nobody else needs it. Never throws. */
export function undo(record: ConfigRecord, user: ConfigUser, records: ConfigRecords): ConfigOutcome {
  const { file, base } = record;
  const outcome = { file, agent: user.agent };
  try {
    // Folders that are gone need nothing any more.
    const users = record.users.filter((each) => !isSame(each, user) && existsSync(each.root));
    if (users.length > 0) {
      records.write({ ...record, users });
      return {
        ...outcome,
        done: 'kept',
        note: `for ${users.map(({ agent, root }) => `${agent} in ${root}`).join(', ')}`,
      };
    }
    const found = readConfigFile(file, base);
    const before = undone(found.text, record);
    const done = takeOut(found, before, record, records);
    const left = before === undefined ? 0 : remaining(before, record);
    const note =
      left === 0 ? undefined : 'what was set up has been changed since, and stays: take it out by hand';
    return { ...outcome, done, note };
  } catch (error) {
    return { ...outcome, done: 'failed', note: messageOf(error) };
  }
}

/** The text without what was put in; undefined when there was no file. @throws when it is not what it has to be. */
function undone(text: string | undefined, record: ConfigRecord): string | undefined {
  if (text === undefined) return undefined;
  if (hashOf(text) === record.after) {
    const before = [...record.insertions]
      .reverse()
      .reduce((left, { at, text: more }) => left.slice(0, at) + left.slice(at + more.length), text);
    return record.created ? undefined : before;
  }
  const isToml = record.format === 'toml';
  const before = readable(record.format, () => (isToml ? removeFromToml : removeFromJson)(text, record));
  const isEmpty = isToml ? before.trim() === '' : isEmptyJson(before);
  return record.created && isEmpty ? undefined : before;
}

/** Puts the text from before in the file's place, and forgets what was set up. */
function takeOut(
  found: ConfigFile,
  before: string | undefined,
  record: ConfigRecord,
  records: ConfigRecords,
): ConfigOutcome['done'] {
  const done = before === found.text ? 'unchanged' : before === undefined ? 'removed' : 'restored';
  if (done === 'removed') removeConfigFile(found);
  else if (done === 'restored') writeConfigFile(found, before ?? '', 0o600);
  if (before === undefined) removeEmptyFolders(record.folders);
  records.remove(record.file);
  return done;
}

/** How many of the entries would find their place taken. */
function remaining(text: string, { added: entries, format }: ConfigRecord): number {
  return added({ format, entries: entries.map(copied) }, text).occupied.length;
}

function added({ format, entries }: Pick<ConfigPlan, 'format' | 'entries'>, text: string): Applied {
  return readable(format, () => (format === 'toml' ? addToToml : addToJson)(text, entries));
}

function readable<T>(format: ConfigPlan['format'], read: () => T): T {
  try {
    return read();
  } catch (error) {
    const problem =
      error instanceof PlaceError
        ? messageOf(error)
        : `it is not valid ${format.toUpperCase()}: ${messageOf(error)}`;
    throw new Error(`${problem}. Put it right, then try again`);
  }
}

function occupiedNote({ occupied }: Applied): string | undefined {
  if (occupied.length === 0) return undefined;
  return `${occupied.map(({ path }) => path.join('.')).join(', ')}: there is another already, which stays`;
}

function isSame(a: ConfigUser, b: ConfigUser): boolean {
  return a.root === b.root && a.agent === b.agent;
}

function copied({
  path,
  value,
  inList,
}: ConfigEntry | ConfigRecord['added'][number]): ConfigRecord['added'][number] {
  return { path: [...path], value, ...(inList === undefined ? {} : { inList }) };
}

function list(path: readonly string[]): string[] {
  return [...path];
}
