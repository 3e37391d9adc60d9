import { z } from 'zod';
import type { Entry } from '../../memory/entry.ts';
import { clip, oneLine } from '../../memory/line.ts';
import type { Code } from '../../ports.ts';
import { readerOf } from '../author.ts';
import { limit, text } from '../fields.ts';
import { headline } from '../render.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { type Caller, callersOf, definitionsOf, namesIn } from './callers.ts';
import { filesByWords, isTest, namedFiles, testsOf, withPathsAsWords } from './sourceFiles.ts';

const DEFAULT_LIMIT = 6;
const SUMMARY = 160;
/** What a task is about is said at its beginning; a pasted log goes on. In UTF-16 units. */
const MAX_TASK = 20_000;

export const contextFocus = defineTool({
  name: 'context_focus',
  family: 'context',
  profile: 'core',
  effect: 'read',
  title: 'Context Focus',
  description:
    'Only what matters for one task or file: its memories, source files, callers and tests. Use it before changing code.',
  input: z.object({
    task: text.refine(
      (value) => value.trim() !== '',
      'task is empty: say what is to be done, or name a file',
    ),
    limit: limit.default(DEFAULT_LIMIT),
  }),
  async run({ task: whole, limit }, call, context) {
    const task = inFolder(whole.slice(0, MAX_TASK), context);
    const folder = context.folder(call.level);
    const { code } = folder;
    const files = await folder.files(call.signal);
    const about = withPathsAsWords(task, files);
    const [found, summaries] = await Promise.all([
      context.store.recall(
        {
          ...{ query: about, filter: {}, limit, count: true, matchesOnly: true, hops: 1 },
          currentFile: code?.currentFile(),
        },
        readerOf(call),
      ),
      context.store.summaries(readerOf(call)),
    ]);
    const memories = found.results.map(({ entry }) => entry);
    const sources = await sourcesOf(task, memories, files, limit, call.signal, code);
    const callers = code === undefined ? [] : await callersOf(task, sources, code, call.signal);
    const tests = [
      ...new Set([
        ...testsOf(sources, files, limit),
        ...namedFiles(task, files).filter(isTest),
        ...callers.filter(({ path }) => isTest(path)).map(({ path }) => path),
      ]),
    ].slice(0, limit);
    const others = callers.filter(({ path }) => !isTest(path)).slice(0, limit);
    const sections = [
      `# Focus: ${clip(task.trim().split('\n')[0] ?? '', 120)}`,
      section('Memories', memories.map(headline), 'Nothing is remembered about it.'),
      section(
        'Source files',
        sources.map((path) => withSummary(path, summaries)),
        'None found: name a file or a symbol in the task.',
      ),
      others.length === 0 ? '' : section('Callers', others.map(callerLine)),
      section('Tests', tests.map(oneLine), 'None found beside these files.'),
      folder.note,
      memories.length === 0 ? '' : 'Whole entries: memory_recall({ ids: "key,key" }).',
    ];
    return {
      text: sections.filter(Boolean).join('\n\n'),
      data: { memories, files: sources, callers: others, tests },
    };
  },
});

/** Files in the folder as the folder's files are named, whatever way a task names them. */
function inFolder(task: string, { root, workTree }: ToolContext): string {
  return [root, workTree]
    .flatMap((folder) => [`${folder}/`, `${folder}\\`])
    .reduce((text, folder) => (folder.length > 2 ? text.replaceAll(folder, '') : text), task);
}

/** Named in the task, defining what it names, named by its memories, then called like it; each once, no tests. */
async function sourcesOf(
  task: string,
  memories: readonly Entry[],
  files: readonly string[],
  most: number,
  signal: AbortSignal,
  code: Code | undefined,
): Promise<string[]> {
  const known = new Set(files);
  const defined = code === undefined ? [] : await definitionsOf(namesIn(task), code, signal);
  const remembered = memories.map(({ file }) =>
    file.replace(/(?::\d+(?:-\d+)?){1,2}$/, '').replaceAll('\\', '/'),
  );
  const all = [
    ...namedFiles(task, files),
    ...defined.map(({ path }) => path),
    ...remembered,
    ...filesByWords(withPathsAsWords(task, files), files, most * 4),
  ];
  return [...new Set(all)].filter((path) => known.has(path) && !isTest(path)).slice(0, most);
}

function section(title: string, lines: readonly string[], none = ''): string {
  return `## ${title}\n${lines.length === 0 ? none : lines.map((line) => `- ${line}`).join('\n')}`;
}

function withSummary(path: string, summaries: Readonly<Record<string, string>>): string {
  const summary = Object.hasOwn(summaries, path) ? summaries[path] : undefined;
  return summary === undefined ? oneLine(path) : `${oneLine(path)} — ${clip(summary, SUMMARY)}`;
}

function callerLine({ path, line, symbol }: Caller): string {
  return `${oneLine(path)}:${line} — ${oneLine(symbol)}`;
}
