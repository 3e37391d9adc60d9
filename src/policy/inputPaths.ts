/**
 * Which files a tool is given, by whatever words its input has for them. Rules for levels look at these: one name too
 * many raises a session for nothing, one too few lets it read unseen, so everything that may be a path counts.
 */
import { FROM_TOP, pathsInCommand } from './commandPaths.ts';

/** Names of fields that hold paths, folders, or globs of them. */
const PATHS =
  /path|file|folder|dir(?:ectory)?$|^dirs$|^cwd$|^roots?$|ur[il]s?$|uri|source|^src$|^dest|glob|^include|document|notebook|^images?$|attachment|^changes$/i;
/** The folder in which other fields' relative paths are meant. */
const FOLDER =
  /^(?:cwd|root|dir|directory|folder|(?:work(?:ing)?|base|root|project|repo(?:sitory)?)_?(?:dir|directory|folder|path|root))$/i;
/** Inputs name one folder, or two. */
const MAX_FOLDERS = 4;
const MAX_FOLDER = 4_096;
/** What a field with such a name holds may be a tool's input itself, as the text of its JSON. */
const INPUTS = /^(?:arg(?:ument)?s|param(?:eter)?s|(?:tool_?)?input|payload|options)$/i;
/** What a field with such a name holds then is what stands in a file. */
const TEXTS = /(?:contents?|text|string|body|type)$/i;
const COMMANDS = /^(?:command|commands|cmd|commandLine|script|args|argv|chars)$/i;
const PATCH = /\*\*\* |\+\+\+ |diff --git |^(?:rename|copy) from /m;
/** A patch names its files on lines of their own, an empty or moved one on fewer of them. */
const PATCH_LINE =
  /^[ \t]*(?:\*\*\* (?:Add|Update|Delete) File:|\*\*\* Move to:|(?:\+\+\+|---) |(?:rename|copy) (?:from|to) |diff --git )(.+)$/gm;
/** What git writes for a name with characters that it does not show. */
const QUOTED = /"((?:\\.|[^"\\])*)"/g;
/** A line, a range or a part in a file, within the quotes or behind them. */
const PLACE = /(?::L?\d+(?:-L?\d+)?){1,2}$|[?#].*$/i;
/** What stands around a path in a text. */
const QUOTES = /^["'`<@]+|["'`>]+$/g;
/** Addresses that are no files of anybody's. */
const ADDRESS = /^(?:https?|agent|local|toon|ui):\/\//i;

interface Found {
  readonly name: string;
  readonly value: unknown;
  /** The field is part of one that holds paths. */
  readonly isPath: boolean;
}

/** What a field with a name may hold. */
interface Field {
  readonly isPath: boolean;
  readonly isFolder: boolean;
  readonly isInput: boolean;
  readonly isCommand: boolean;
}

/** Of what was read before, up to so much of it: agents use the same names and paths again and again. */
const MAX_KNOWN = 2_000;
/** Longer than what people call fields and files. */
const MAX_KNOWN_LENGTH = 1_000;
const knownFields = new Map<string, Field>();
const knownSpellings = new Map<string, readonly string[]>();

function known<Value>(all: Map<string, Value>, text: string, make: (text: string) => Value): Value {
  const before = all.get(text);
  if (before !== undefined) return before;
  const made = make(text);
  if (text.length > MAX_KNOWN_LENGTH) return made;
  if (all.size >= MAX_KNOWN) all.clear();
  all.set(text, made);
  return made;
}

function fieldOf(name: string): Field {
  return known(knownFields, name, () => ({
    isPath: PATHS.test(name) && !TEXTS.test(name),
    isFolder: FOLDER.test(name),
    isInput: INPUTS.test(name),
    isCommand: COMMANDS.test(name),
  }));
}

/** Every path in a tool's input, each once, as it is written there. */
export function pathsInInput(input: unknown): ReadonlySet<string> {
  const paths = new Set<string>();
  const folders = new Set<string>();
  const open: Found[] = [{ name: '', value: input, isPath: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, value, isPath } = next;
    if (typeof value === 'string') {
      const field = fieldOf(name);
      const inner = isPath || field.isInput ? jsonIn(value) : undefined;
      if (inner !== undefined) open.push({ name, value: inner, isPath });
      addPaths(paths, value, { isPath, isCommand: field.isCommand });
      if (field.isFolder && folders.size < MAX_FOLDERS && value.length < MAX_FOLDER)
        folders.add(value.trim());
    } else if (Array.isArray(value)) {
      for (const each of value) open.push({ name, value: each, isPath });
    } else if (typeof value === 'object' && value !== null) {
      for (const [field, each] of Object.entries(value)) {
        // What is attached is named as a file; `name` says anything elsewhere.
        const isName = isPath && field === 'name';
        open.push({ name: field, value: each, isPath: isName || fieldOf(field).isPath });
        // Files by their paths, with what is done to each.
        if (field.includes('/') || (isPath && field.includes('.')))
          for (const path of spellings(field)) paths.add(path);
      }
    }
  }
  if (folders.size === 0) return paths;
  const relative = [...paths].filter((path) => !FROM_TOP.test(path));
  for (const folder of folders)
    for (const path of relative) if (path !== folder) paths.add(`${folder}/${path}`);
  return paths;
}

/** The object or list whose JSON a text is. */
function jsonIn(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function addPaths(paths: Set<string>, text: string, is: Pick<Field, 'isPath' | 'isCommand'>): void {
  if (is.isPath) for (const path of spellings(text)) paths.add(path);
  if (is.isCommand)
    for (const word of pathsInCommand(text)) for (const path of spellings(word)) paths.add(path);
  if (PATCH.test(text))
    for (const [, names = ''] of text.matchAll(PATCH_LINE))
      for (const path of pathsInPatchLine(names)) paths.add(path);
}

/** One name, perhaps with a time behind it, or the two of git. */
function* pathsInPatchLine(text: string): Generator<string> {
  const names = [...text.matchAll(QUOTED)].map(([, name = '']) => unquoted(name));
  const [plain = ''] = text.replaceAll(QUOTED, '').split('\t');
  for (const name of [...names, ...plain.trim().split(/ (?=[ab]\/)/)]) {
    const path = name.trim().replace(/^[ab]\//, '');
    if (path !== '') yield path;
  }
}

/** With bytes as git writes them, `\355\225\234`. */
function unquoted(name: string): string {
  const bytes = name.replace(/\\([0-7]{3})|\\(.)/g, (_, octal: string | undefined, char: string) =>
    octal === undefined ? char : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return name === bytes ? name : Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The path, and the same without quotes and the place in it that may follow; each of several that one text names. */
function spellings(text: string): readonly string[] {
  return known(knownSpellings, text, () => [...spellingsIn(text)]);
}

function* spellingsIn(text: string): Generator<string> {
  for (const part of new Set([text, ...text.split(/[;,\n]/)])) {
    const path = part.trim();
    // Most programs take back the scheme with its `..`, and are in the folder again.
    if (/^[a-z][a-z0-9+.-]*:.*\.\./is.test(path)) yield `./${path}`;
    if (path === '' || ADDRESS.test(path)) continue;
    yield path;
    const outside = path.replace(QUOTES, '').replace(PLACE, '');
    const inside = path.replace(PLACE, '').replace(QUOTES, '').replace(PLACE, '');
    for (const bare of new Set([outside, inside])) if (bare !== path && bare !== '') yield bare;
  }
}
