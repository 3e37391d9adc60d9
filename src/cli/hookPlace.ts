/** Where a hook's agent works, and with which of the person's settings. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { readSettings } from '../fileSettings.ts';
import { currentBranch, findGit } from '../git/layout.ts';
import type { KeyRing } from '../journal/keys.ts';
import { openKeys } from '../journal/sealSwitch.ts';
import { CAPTURE_SETTING } from '../memory/capture.ts';
import { LEVELS, type Level, maxLevel, parseLevel } from '../policy/level.ts';
import { tightened } from '../policy/tightened.ts';
import { CLASSIFICATION_VARIABLE, parseTold, type ToldClassification } from '../policy/told.ts';
import type { Log, Settings } from '../ports.ts';
import { PresenceBoard } from '../session/presence.ts';
import type { Presence } from '../session/presenceRecord.ts';
import { idOf } from '../session/sessionId.ts';
import type { TranscriptOptions } from '../session/transcript.ts';
import { locateStore, workTreeOf } from '../storePlace.ts';

export interface HookPlace {
  /** Top folder of the work tree, or the folder that has a store. */
  readonly root: string;
  readonly cwd: string;
  readonly storeDir: string;
  readonly branch: string;
  /** The folder's level. */
  readonly level: Level;
  /** The person's settings, the editor's among them as far as it tells them. */
  readonly settings: Pick<Settings, 'get'>;
  readonly keys: KeyRing;
  /** The window that the agent runs in; empty outside the editor. */
  readonly window: string;
  readonly isCapturing: boolean;
  readonly board: PresenceBoard;
}

/**
 * The place of an agent that works in a folder. Undefined outside a repository where there is no store yet: a hook
 * makes none of its own accord.
 */
export function placeOf(folder: string, log: Log): HookPlace | undefined {
  if (!isAbsolute(folder) || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return undefined;
  const cwd = realpathSync(folder);
  const git = findGit(cwd);
  const folderOfStore = git?.workTree ?? folderWithStore(cwd);
  if (folderOfStore === undefined) return undefined;
  const root = workTreeOf(folderOfStore, git);
  const storeDir = locateStore(folderOfStore, git);
  const settings = readSettings(root, log);
  const own = parseLevel(String(settings.get('classification.defaultLevel'))) ?? LEVELS[0];
  const dir = join(storeDir, 'presence');
  const keysDir = join(homedir(), '.lodeline', 'keys');
  const keys = openKeys({ store: storeDir, keysDir, value: process.env.LODELINE_KEY });
  const windows = windowsIn(new PresenceBoard({ dir, defaultLevel: own, now: Date.now, keys }), root);
  // The editor's settings are out of reach here: it tells them, or its windows say what matters of them.
  const told = parseTold(process.env[CLASSIFICATION_VARIABLE]);
  const toldLevel = parseLevel(String(told.defaultLevel));
  const level =
    toldLevel === undefined
      ? windows.reduce((highest, window) => maxLevel(highest, window.level), own)
      : maxLevel(own, toldLevel);
  return {
    ...{ root, cwd, storeDir, level },
    settings: withTold(settings, told),
    keys,
    branch: currentBranch(git),
    window: windowOf(windows),
    isCapturing: isCapturing(settings, windows),
    board: new PresenceBoard({ dir, root, defaultLevel: level, now: Date.now, keys }),
  };
}

/** The transcript of the chat's session. */
export function transcriptOf({ storeDir, level, keys }: HookPlace, chat: string): TranscriptOptions {
  return {
    dir: join(storeDir, 'sessions'),
    id: idOf(chat),
    keys,
    defaultLevel: level,
    now: Date.now,
  };
}

/** Rules of the editor's and of the settings files: neither takes anything away from the other. */
function withTold(settings: Settings, { files, tools }: ToldClassification): Pick<Settings, 'get'> {
  const told: Readonly<Record<string, unknown>> = {
    'classification.files': files,
    'classification.tools': tools,
  };
  return { get: (key) => tightened(key, told[key] ?? settings.get(key), settings.get(key)) };
}

function windowsIn(board: PresenceBoard, root: string): Presence[] {
  return board.active().filter((presence) => presence.root === root && presence.window === presence.key);
}

/** The editor tells the processes that it starts; where another process starts hooks, the only window is meant. */
function windowOf(windows: readonly Presence[]): string {
  const only = windows.length === 1 ? windows[0]?.key : undefined;
  return process.env.LODELINE_WINDOW ?? only ?? '';
}

/** From the person's settings files, or from the editor: told to the processes that it starts, or by its windows. */
function isCapturing(settings: Settings, windows: readonly Presence[]): boolean {
  const isTold = process.env.LODELINE_CAPTURE === '1';
  return isTold || settings.get(CAPTURE_SETTING) === true || windows.some(({ capture }) => capture);
}

function folderWithStore(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, '.lodeline', 'store'))) return current;
    if (dirname(current) === current) return undefined;
  }
}
