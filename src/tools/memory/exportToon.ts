/** `memory_export_toon`: writes memory into a file that toon-memory reads, for the person. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { claimFile, errorCode, lookAt } from '../../journal/disk.ts';
import { makeDir } from '../../journal/folder.ts';
import { oneLine } from '../../memory/line.ts';
import { putFile } from '../../memory/newFile.ts';
import { parseToon, ToonError, type ToonFile } from '../../memory/toonFormat.ts';
import { type MergedToon, mergeToon } from '../../memory/toonMerge.ts';
import { isSealed, sealText } from '../../memory/toonSeal.ts';
import { canFlowTo, parseLevel } from '../../policy/level.ts';
import { realPathOf } from '../../policy/realPath.ts';
import { phrase } from '../../worker/api.ts';
import { countOf } from '../counting.ts';
import { isSealed as isStoreSealed } from '../sealing.ts';
import { defineTool, ToolError } from '../tool.ts';
import { readNamed } from './importFiles.ts';
import { openToon, requireKey } from './importKey.ts';
import { TOON_FILE } from './importPlaces.ts';

/** toon-memory takes a lock of this age, in milliseconds, for one that was left behind. */
const STALE_LOCK = 15_000;
const LOCK_TRIES = 50;
const LOCK_PAUSE = 100;
/** Editors and other versions of that tool write without the lock. */
const WRITE_TRIES = 5;

/** What an export did, for the person. */
export interface ExportedToon extends Omit<MergedToon, 'text'> {
  readonly path: string;
  /** Above the folder's level, and so left out. */
  readonly above: number;
  readonly isSealed: boolean;
}

export const memoryExportToon = defineTool({
  name: 'memory_export_toon',
  family: 'memory',
  profile: 'person',
  effect: 'write',
  title: 'Export Memory to .toon',
  description:
    "Writes the memories of the folder's own level into a file of toon-memory, beside what the file holds already.",
  input: z.object({
    /** From the workspace folder; toon-memory's own file when not given. */
    path: z.string().min(1).max(4096).optional(),
    /** Of a sealed file: 64 hex characters. */
    key: z.string().max(200).optional(),
    /** Written in the clear, though the memory of the folder is encrypted. */
    clear: z.boolean().default(false),
  }),
  async run({ path: given, key, clear }, call, context) {
    const path = resolve(context.root, given ?? TOON_FILE);
    refuseLinks(path, given === undefined ? context.root : undefined);
    const own = parseLevel(String(context.settings.get('classification.defaultLevel'))) ?? 'PUBLIC';
    const level = canFlowTo(own, call.level) ? own : call.level;
    const mayBeClear = clear || !isStoreSealed(await context.sealing.sealStatus());
    const entries = await context.store.exportAll({ level });
    const seen = await context.store.exportAll({ level: call.level });
    const above = seen.filter((entry) => !canFlowTo(entry.level, level)).length;
    const summaries = Object.entries(await context.store.summaries({ level }));
    const files = summaries.map(([file, text]) => ({ file, text }));
    const { text: _, ...merged } = await locked(path, async () => {
      for (let attempt = 1; ; attempt++) {
        const there = await read(path, key);
        if (!there.isSealed && !mayBeClear)
          throw new ToolError(
            phrase(
              'The memory of this folder is encrypted, and "{0}" would hold it in the clear. Nothing was written. Export into a file that toon-memory encrypts, or ask for a clear export.',
              oneLine(path),
            ),
          );
        const result = mergeToon(entries, files, there.file, context.now());
        const text = there.isSealed ? sealText(result.text, requireKey(path, key)) : result.text;
        if (result.text === there.text || write(path, text, there.given))
          return { ...result, isSealed: there.isSealed };
        if (attempt === WRITE_TRIES)
          throw new ToolError(
            phrase(
              'Busy: something else keeps changing "{0}". Nothing was changed. Try again.',
              oneLine(path),
            ),
          );
      }
    });
    const data: ExportedToon = { ...merged, path, above };
    return { text: exportedText(data), data };
  },
});

interface There {
  readonly file: ToonFile | undefined;
  /** As it stands on the disk. */
  readonly given: string | undefined;
  /** Without its seal; undefined when there is no file. */
  readonly text: string | undefined;
  /** It is sealed, or is to be. */
  readonly isSealed: boolean;
}

async function read(path: string, key: string | undefined): Promise<There> {
  if (lookAt(path) === undefined)
    return { file: undefined, given: undefined, text: undefined, isSealed: await wantsSeal(path) };
  const { text: given, isLossy } = await readNamed(path);
  if (isLossy)
    throw new ToolError(
      phrase(
        'Damaged file: "{0}" is not UTF-8 text, and would lose bytes. Nothing was changed.',
        oneLine(path),
      ),
    );
  const text = openToon(path, given, key);
  try {
    const file = parseToon(text);
    if (file.isArchive) throw new ToonError('it is an archive');
    return { file, given, text, isSealed: isSealed(given) };
  } catch (error) {
    if (!(error instanceof ToonError)) throw error;
    throw new ToolError(
      phrase('Not a .toon file: "{0}": {1}. Nothing was changed.', oneLine(path), error.message),
    );
  }
}

/** toon-memory reads a new file as its own settings say. */
async function wantsSeal(path: string): Promise<boolean> {
  const config = join(dirname(path), 'config.json');
  if (lookAt(config) === undefined) return false;
  const { text } = await readNamed(config);
  try {
    return z.object({ encrypted: z.unknown() }).parse(JSON.parse(text)).encrypted === true;
  } catch {
    throw new ToolError(
      phrase(
        'Unreadable file: "{0}" does not say whether memory is sealed. Nothing was changed.',
        oneLine(config),
      ),
    );
  }
}

/** A link could lead a file of ours to anywhere; in the usual place so could one on the way. */
function refuseLinks(path: string, root: string | undefined): void {
  const stat = lookAt(path);
  if (stat !== undefined && !stat.isFile())
    throw new ToolError(
      phrase('Unwritable file: "{0}" is a link or no regular file. Nothing was changed.', oneLine(path)),
    );
  if (root === undefined) return;
  const way = relative(realPathOf(root) ?? root, realPathOf(dirname(path)) ?? '');
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way)
    throw new ToolError(
      phrase('Unwritable file: "{0}" leads out of the folder. Nothing was changed.', oneLine(path)),
    );
}

/** Puts a text in the place of what was read. Answers whether that still was there; when not, nothing is changed. */
function write(path: string, text: string, given: string | undefined): boolean {
  const changed = new Error('it has changed');
  try {
    putFile(path, text, () => {
      if (textAt(path) !== given) throw changed;
    });
    return true;
  } catch (error) {
    if (error === changed) return false;
    throw unwritable(path, error);
  }
}

function textAt(path: string): string | undefined {
  return lookAt(path)?.isFile() === true ? new TextDecoder().decode(readFileSync(path)) : undefined;
}

function unwritable(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  return new ToolError(phrase('Unwritable file: "{0}": {1}. Nothing was changed.', oneLine(path), code));
}

/** Runs while toon-memory, which looks for the same lock, does not write. */
async function locked<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`;
  for (let attempt = 1; !claim(lock); attempt++) {
    if (attempt === LOCK_TRIES)
      throw new ToolError(
        phrase('Busy: another process holds "{0}". Nothing was changed. Try again.', oneLine(lock)),
      );
    const stat = lookAt(lock);
    if (stat?.isFile() && Date.now() - stat.mtimeMs > STALE_LOCK) rmSync(lock, { force: true });
    else await new Promise((done) => setTimeout(done, LOCK_PAUSE));
  }
  try {
    return await act();
  } finally {
    release(lock);
  }
}

function claim(lock: string): boolean {
  try {
    makeDir(dirname(lock));
    return claimFile(lock, String(process.pid));
  } catch (error) {
    throw unwritable(lock, error);
  }
}

/** One that somebody else took for left behind is theirs by now. */
function release(lock: string): void {
  if (textAt(lock) === String(process.pid)) rmSync(lock, { force: true });
}

function exportedText(outcome: ExportedToon): string {
  const { path, written, foreign, unknown, withheld, above, losses } = outcome;
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${oneLine(line)}`)];
  return [
    `📤 ${countOf(written, 'entry', 'entries')} in ${oneLine(path)}${outcome.isSealed ? ', sealed' : ''}`,
    ...(foreign > 0 ? [`${countOf(foreign, 'row', 'rows')} that nothing here is about stayed`] : []),
    ...(withheld > 0
      ? [`${countOf(withheld, 'entry', 'entries')} forgotten, archived or expired stayed here`]
      : []),
    ...(above > 0 ? [`${countOf(above, 'entry', 'entries')} above the folder's level stayed here`] : []),
    ...list('Rows that say what is not known here, left as they are; import them first:', unknown),
    ...list('Without a place in the format:', losses),
  ].join('\n');
}
