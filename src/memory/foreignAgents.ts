/** Memory files of Claude Code and of Copilot, as memories. */
import { CATEGORIES } from './entry.ts';
import {
  type ForeignFile,
  type FrontMatter,
  keyOf,
  readFrontMatter,
  sectionsOf,
  textField,
} from './foreignMarkdown.ts';
import { Losses, type Placed, type Taken, type TakenEntry } from './taken.ts';

/** Claude Code's list of its own memory files. */
const INDEX = 'MEMORY.md';
const INDEX_LINE = /^\s*[-*]\s+\[[^\]]*\]\([^)]+\.md\)/;
/** A line of CLAUDE.md that takes another file in. */
const TAKES_IN = /^[ \t]{0,8}(?:[-*][ \t])?@[\w.~/\\-]+[ \t]*$/m;

/**
 * What Claude Code keeps: a memory file with front matter (`name`, `description`, `type`) is one memory; CLAUDE.md and
 * any other Markdown is one for each section.
 */
export function takenFromClaude(files: readonly ForeignFile[]): Taken {
  return takenFrom(files, (file) => file.path, true);
}

/** What Copilot's memory tool keeps: Markdown files, a memory for each section. */
export function takenFromCopilot(files: readonly ForeignFile[]): Taken {
  return takenFrom(files, ({ path }) => `copilot/${path.replace(/\.md$/i, '')}`, false);
}

function takenFrom(
  files: readonly ForeignFile[],
  nameOf: (file: ForeignFile) => string,
  isClaude: boolean,
): Taken {
  const entries: Placed<TakenEntry>[] = [];
  const notes: string[] = [];
  const losses = new Losses();
  for (const file of files) {
    const place = file.path;
    const front = readFrontMatter(file.text);
    if (front.isBroken) notes.push(`${place}: has front matter that is no YAML, and only its text was taken`);
    const name = isClaude ? textField(front.fields, 'name') : undefined;
    const found = name === undefined ? bySection(nameOf(file), file, front) : [whole(name, file, front)];
    if (isClaude && isIndex(file, front.body)) {
      notes.push(`${place}: is the index of the other files, and was left out`);
      continue;
    }
    if (isClaude && TAKES_IN.test(front.body))
      notes.push(`${place}: takes in other files with @; import them by their own paths`);
    for (const field of front.fields.keys())
      if (name === undefined || !['name', 'description', 'type', 'metadata'].includes(field))
        losses.add(`front matter field "${keyOf(field)}"`);
    if (found.length === 0) notes.push(`${place}: says nothing`);
    entries.push(...found.map((value) => ({ place, value })));
  }
  return { entries, summaries: [], damaged: [], notes: [...losses.lines(), ...notes] };
}

function isIndex({ path }: ForeignFile, body: string): boolean {
  if (path.split('/').at(-1) !== INDEX) return false;
  const lines = body.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.length > 0 && lines.every((line) => INDEX_LINE.test(line));
}

function bySection(name: string, { own, at }: ForeignFile, { body }: FrontMatter): TakenEntry[] {
  return sectionsOf(body).map(({ heading, text }) => ({
    key: keyOf(name, heading),
    category: 'knowledge' as const,
    content: text,
    file: own,
    at,
  }));
}

function whole(name: string, { own, at }: ForeignFile, { fields, body }: FrontMatter): TakenEntry {
  const type = typeOf(fields);
  const description = textField(fields, 'description');
  return {
    key: keyOf(name),
    category: CATEGORIES.find((category) => category === type) ?? 'knowledge',
    content: [description, body.trim()].filter(Boolean).join('\n\n'),
    file: own,
    tags: type === undefined ? [] : [type],
    at,
  };
}

/** `type`, which newer versions keep under `metadata`. */
function typeOf(fields: FrontMatter['fields']): string | undefined {
  const nested: unknown = fields.get('metadata');
  return (
    textField(fields, 'type') ??
    (nested instanceof Map ? textField(nested as FrontMatter['fields'], 'type') : undefined)
  );
}
