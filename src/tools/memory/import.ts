/** `memory_import`: takes in what other tools remember, for the person. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../journal/errors.ts';
import { takenFromClaude, takenFromCopilot } from '../../memory/foreignAgents.ts';
import { takenFromGraph } from '../../memory/foreignGraph.ts';
import type { ForeignFile } from '../../memory/foreignMarkdown.ts';
import { takenFromNotes } from '../../memory/foreignNotes.ts';
import { oneLine } from '../../memory/line.ts';
import type { FileSummary, Placed, Taken, TakenEntry, Untaken } from '../../memory/taken.ts';
import { takenFromToon } from '../../memory/toonEntries.ts';
import { parseToon, ToonError } from '../../memory/toonFormat.ts';
import { levelOfPaths, readRules } from '../../policy/fileRules.ts';
import { type Level, maxLevel } from '../../policy/level.ts';
import { linksOn, realPathOf } from '../../policy/realPath.ts';
import { phrase } from '../../worker/api.ts';
import type { TakeInOutcome } from '../../worker/careApi.ts';
import { authorOf } from '../author.ts';
import { countOf, more } from '../counting.ts';
import { content, file, key, pathScope, summary } from '../fields.ts';
import { redactionLine } from '../render.ts';
import { defineTool, type ToolContext, ToolError } from '../tool.ts';
import { readNamed, readNotes } from './importFiles.ts';
import { openToon } from './importKey.ts';
import { IMPORT_KINDS, type ImportKind, placesOf } from './importPlaces.ts';

/** So many at once, so that nobody else waits long for the store. */
const BATCH = 1000;
const SHOWN = 1000;
const NAMES: Readonly<Record<ImportKind, string>> = {
  toon: 'toon-memory',
  copilot: 'Copilot',
  claude: 'Claude Code',
  'basic-memory': 'basic-memory',
  'server-memory': 'server-memory',
};
const names = z.array(z.string().min(1).max(256));
/** What a memory may be here, whoever wrote it. */
const takeable = z.object({
  key,
  content,
  file: file.optional(),
  pathScope: pathScope.optional(),
  tags: names.optional(),
  links: names.optional(),
});

const takeableSummary = z.object({ file, text: summary });

/** What an import did, for the person. */
export interface Imported extends TakeInOutcome {
  readonly damaged: readonly Untaken[];
  readonly notes: readonly string[];
}

export const memoryImport = defineTool({
  name: 'memory_import',
  family: 'memory',
  profile: 'person',
  effect: 'write',
  title: 'Import Memory',
  description:
    'Takes in what toon-memory, Copilot, Claude Code, basic-memory or the reference memory server remember. Again, it changes nothing twice.',
  input: z.object({
    kind: z.enum(IMPORT_KINDS),
    /** From the workspace folder; where the tool keeps its memories when not given. */
    path: z.string().min(1).max(4096).optional(),
    /** Of a sealed file: 64 hex characters. */
    key: z.string().max(200).optional(),
    /** Where the editor that asks keeps what extensions store: for the user, and for the folder. */
    storage: z
      .object({ user: z.string().min(1).max(4096), folder: z.string().min(1).max(4096).optional() })
      .optional(),
  }),
  async run({ kind, path, key: secret, storage }, call, context) {
    const around = { root: context.root, home: homedir(), env: process.env, storage };
    const places = path === undefined ? await placesOf(kind, around) : [resolve(context.root, path)];
    const taken = await takenFrom(kind, places, context.root, secret);
    const [fit, unfit] = checked<TakenEntry>(taken.entries, takeable);
    const [summaries, unfitSummaries] = checked<FileSummary>(taken.summaries, takeableSummary);
    const damaged = [...taken.damaged, ...unfit, ...unfitSummaries];
    const author = {
      ...authorOf(call, context),
      level: levelOf(call.level, places, context),
      source: `import:${kind}`,
    };
    const outcomes: TakeInOutcome[] = [];
    for (let from = 0; from === 0 || from < fit.length; from += BATCH) {
      call.signal.throwIfAborted();
      const first: readonly FileSummary[] = from === 0 ? summaries : [];
      outcomes.push(
        await context.care.takeIn(fit.slice(from, from + BATCH), first, author).catch((error: unknown) => {
          throw from === 0 ? error : stoppedAt(from, fit.length, error);
        }),
      );
    }
    const data: Imported = { ...sum(outcomes), damaged, notes: taken.notes };
    return { text: importedText(NAMES[kind], data), data };
  },
});

/** What stands is told, since the error itself speaks of the last batch only. */
function stoppedAt(done: number, all: number, error: unknown): ToolError {
  return new ToolError(
    phrase(
      'Stopped: {0} of {1} memories were imported and stay, the others were not. {2} Import again to take the rest.',
      ...[done, all, messageOf(error)],
    ),
  );
}

async function takenFrom(
  kind: ImportKind,
  places: readonly string[],
  root: string,
  secret: string | undefined,
): Promise<Taken> {
  if (kind === 'toon' || kind === 'server-memory') {
    const [place] = places;
    if (place === undefined)
      throw new ToolError(phrase('Missing file: name the file to import. Nothing was changed.'));
    const { text, isLossy, at } = await readNamed(place);
    const taken = kind === 'toon' ? fromToon(place, text, secret) : takenFromGraph({ path: '', text, at });
    if (kind === 'server-memory' && taken.entries.length === 0 && taken.damaged.length > 0)
      throw new ToolError(
        phrase('Not a memory file: "{0}" holds no entity. Nothing was changed.', oneLine(place)),
      );
    if (!isLossy) return taken;
    return { ...taken, notes: [...taken.notes, 'some bytes are not UTF-8; a mark stands for each'] };
  }
  const { files, untaken, notes, isThere } = await readNotes(places, root);
  if (!isThere)
    throw new ToolError(
      phrase('Missing file: nothing of {0} was found. Name the file or folder to import.', NAMES[kind]),
    );
  const taken = readersOf[kind](files);
  return { ...taken, damaged: [...untaken, ...taken.damaged], notes: [...notes, ...taken.notes] };
}

const readersOf: Readonly<
  Record<'copilot' | 'claude' | 'basic-memory', (files: readonly ForeignFile[]) => Taken>
> = { copilot: takenFromCopilot, claude: takenFromClaude, 'basic-memory': takenFromNotes };

function fromToon(place: string, text: string, secret: string | undefined): Taken {
  try {
    return takenFromToon(parseToon(openToon(place, text, secret)));
  } catch (error) {
    if (!(error instanceof ToonError)) throw error;
    throw new ToolError(
      phrase('Not a .toon file: "{0}": {1}. Nothing was changed.', oneLine(place), error.message),
    );
  }
}

/** Sorts out what cannot be here, such as what is too long. */
function checked<Value>(
  given: readonly Placed<Value>[],
  schema: z.ZodType,
): [fit: Value[], unfit: Untaken[]] {
  const fit: Value[] = [];
  const unfit: Untaken[] = [];
  for (const { place, value } of given) {
    const { error } = schema.safeParse(value);
    if (error === undefined) fit.push(value);
    else unfit.push({ place, reason: error.issues.map(({ message }) => message).join('; ') });
  }
  return [fit, unfit];
}

/** What a rule puts above the caller's level comes in at the rule's. */
function levelOf(level: Level, places: readonly string[], { root, workTree, settings }: ToolContext): Level {
  const home = homedir();
  const rules = readRules(settings.get('classification.files'), undefined, home);
  const links = { realPath: realPathOf, linksOn };
  const place = { workTree, cwd: root, home, isWindows: process.platform === 'win32', ...links };
  return maxLevel(level, levelOfPaths(rules, places, place)?.level ?? level);
}

function sum(outcomes: readonly TakeInOutcome[]): TakeInOutcome {
  const total = (of: (outcome: TakeInOutcome) => number): number =>
    outcomes.reduce((count, each) => count + of(each), 0);
  return {
    created: total(({ created }) => created),
    updated: total(({ updated }) => updated),
    unchanged: total(({ unchanged }) => unchanged),
    skipped: outcomes.flatMap(({ skipped }) => skipped),
    redacted: [...new Set(outcomes.flatMap(({ redacted }) => redacted))],
    summaries: total(({ summaries }) => summaries),
    keptSummaries: outcomes.flatMap(({ keptSummaries }) => keptSummaries),
  };
}

function importedText(name: string, outcome: Imported): string {
  const { created, updated, unchanged, skipped, redacted, summaries, keptSummaries, damaged, notes } =
    outcome;
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0
      ? []
      : [title, ...lines.slice(0, SHOWN).map((line) => `  ${oneLine(line)}`), ...more(lines.length, SHOWN)];
  return [
    `📥 Imported from ${name}: ${countOf(created, 'entry', 'entries')} new, ${updated} updated, ${unchanged} unchanged`,
    ...(summaries > 0 ? [`📝 ${countOf(summaries, 'file summary', 'file summaries')} new`] : []),
    ...list('Summaries here that say something else and stay:', keptSummaries),
    ...list('Forgotten, archived, superseded or not accepted here, and so left as they are:', skipped),
    ...redactionLine(redacted),
    ...list('Without a place here:', notes),
    ...list(
      'Not imported:',
      damaged.map(({ place, reason }) => `${place}: ${reason}`),
    ),
  ].join('\n');
}
