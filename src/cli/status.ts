/** `lodeline status`: where a folder's memory lies, who is at work there and on which files, and what is set. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../appApi.ts';
import { readSettings } from '../fileSettings.ts';
import { findGit } from '../git/layout.ts';
import { oneLine } from '../memory/line.ts';
import type { Level } from '../policy/level.ts';
import type { PresenceView } from '../session/presence.ts';
import { locateStore } from '../storePlace.ts';
import { stderrLog } from '../terminal.ts';
import { sessionsText } from '../tools/memory/sessionsText.ts';
import type { SealShown } from '../tools/sealing.ts';
import { ConfigRecords } from './agentConfigRecord.ts';
import { asPerson, parseAsked, readStats, withApp } from './stats.ts';

const STATUS_HELP = `Usage: lodeline status [--root DIR] [--classification LEVEL] [--json]

Shows where the folder's memory lies, how many entries it has and whether it is encrypted, which sessions are at work
and which files they hold, which agents lodeline init has set up, and the settings in force.

  --root DIR               the workspace folder (default: the current one)
  --classification LEVEL   highest level it shows (default: the folder's)
  --json                   answer with JSON`;

/** What is not for the screen. */
const SECRET = /token|secret|password|key$/i;

const NOBODY: PresenceView = { sessions: [], conflicts: [] };

interface Setting {
  readonly key: string;
  readonly value: unknown;
  /** The settings files that name it. */
  readonly from: readonly string[];
}

interface Status {
  readonly root: string;
  readonly store: string;
  /** Undefined when nothing was ever remembered here, or when its key is not here. */
  readonly entries: number | undefined;
  /** Undefined when nothing was ever remembered here. */
  readonly encryption: Pick<SealShown, 'state' | 'key' | 'missing'> | undefined;
  /** Active sessions and the files that each holds, and files that several hold. */
  readonly presence: PresenceView;
  /** Every agent among the sessions. */
  readonly agents: readonly string[];
  /** Set up by `lodeline init`: the agent and its file. */
  readonly setUp: readonly { readonly agent: string; readonly file: string }[];
  readonly settings: readonly Setting[];
}

/** Prints the status with the rest of the command line. */
export async function runStatus(args: readonly string[]): Promise<void> {
  const asked = parseAsked(args, STATUS_HELP);
  if (asked === undefined) return;
  const status = await readStatus(asked.root, asked.level);
  console.log(asked.json ? JSON.stringify(status, null, 2) : describe(status));
}

async function readStatus(root: string, level: Level | undefined): Promise<Status> {
  const store = locateStore(root, findGit(root));
  // To look is not to make a store.
  const known = existsSync(store)
    ? await withApp(root, (app) => readKept(app, level))
    : { entries: undefined, encryption: undefined, presence: NOBODY };
  return {
    ...{ root, store, ...known },
    agents: [...new Set(known.presence.sessions.map(({ agent }) => agent))].sort(),
    setUp: setUpIn(root),
    settings: settingsOf(root),
  };
}

async function readKept(
  app: App,
  level: Level | undefined,
): Promise<Pick<Status, 'entries' | 'encryption' | 'presence'>> {
  const { state, key, missing } = (await asPerson(app, 'seal_show', level)).data as SealShown;
  const encryption = { state, key, missing };
  if (missing !== undefined) return { entries: undefined, encryption, presence: NOBODY };
  return {
    entries: (await readStats(app, level)).data.total,
    encryption,
    presence: others((await asPerson(app, 'memory_sessions', level)).data as PresenceView),
  };
}

/** The sessions without this process's own. */
function others(view: PresenceView): PresenceView {
  return { ...view, sessions: view.sessions.filter(({ key }) => key !== `cli:${process.pid}`) };
}

function setUpIn(root: string): Status['setUp'] {
  const folder = realpathSync(root);
  return new ConfigRecords(homedir())
    .all()
    .flatMap(({ file, users }) =>
      users.filter((user) => user.root === folder).map(({ agent }) => ({ agent, file })),
    );
}

/** What the settings files name, with the value that counts. */
function settingsOf(root: string): Setting[] {
  const files = [join(homedir(), '.lodeline', 'config.json'), join(root, '.lodeline', 'config.json')];
  const named = files.map((file) => ({ file, keys: keysIn(file) }));
  const settings = readSettings(root, stderrLog);
  return [...new Set(named.flatMap(({ keys }) => keys))].sort().map((key) => ({
    key,
    value: SECRET.test(key) ? '(not shown)' : settings.get(key),
    from: named.filter(({ keys }) => keys.includes(key)).map(({ file }) => file),
  }));
}

/** Reading the settings says what is wrong with a file. */
function keysIn(file: string): string[] {
  try {
    return Object.keys(JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')));
  } catch {
    return [];
  }
}

function describe(status: Status): string {
  const { root, store, entries, encryption, presence, agents, setUp, settings } = status;
  // Who is at work is sealed, too: that nobody is seen is not to say that nobody is there.
  const isLocked = encryption?.missing !== undefined;
  return [
    `Folder: ${oneLine(root)}`,
    `Store: ${oneLine(store)}${encryption === undefined ? ' (nothing remembered yet)' : ''}`,
    ...(entries === undefined ? [] : [`Entries: ${entries}`]),
    ...(encryption === undefined ? [] : [`Encryption: ${encryptionLine(encryption)}`]),
    ...(isLocked ? [] : [`Agents at work: ${agents.map(oneLine).join(', ') || 'none'}`]),
    ...section(
      'Set up by lodeline init',
      setUp.map(({ agent, file }) => `${agent}: ${oneLine(file)}`),
    ),
    ...section('Settings in force', settings.map(settingLine)),
    ...(isLocked ? [] : ['', sessionsText(presence, '')]),
  ].join('\n');
}

function encryptionLine({ state, key, missing }: NonNullable<Status['encryption']>): string {
  if (missing !== undefined) return `locked. ${oneLine(missing)}`;
  const said = {
    plain: 'off',
    sealing: `on, with the key ${key}; what was there before is still being encrypted`,
    sealed: `on, with the key ${key}`,
    opening: 'off; what was encrypted before is still being decrypted',
  };
  return said[state];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function settingLine({ key, value, from }: Setting): string {
  // A folder's file may name what it has no say in.
  const shown = value === undefined ? 'the default' : JSON.stringify(value);
  return `${oneLine(key)}: ${oneLine(shown)} (${from.map(oneLine).join(', ')})`;
}
