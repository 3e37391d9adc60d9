/**
 * Which files a tool is given, by whatever words its input has for them. Rules for levels look at these: one name too
 * many raises a session for nothing, one too few lets it read unseen, so everything that may be a path counts.
 */
import { pathsInCommand } from './commandPaths.ts';

/** Names of fields that hold paths, folders, or globs of them. */
const PATHS = /path|file|folder|dir(?:ectory)?$|^dirs$|^cwd$|uri|resource|glob|^include/i;
/** What a field with such a name holds then is what stands in a file. */
const TEXTS = /(?:contents?|text|string|body|type)$/i;
const COMMANDS = /^(?:command|commands|cmd|commandLine|script|args|argv|chars)$/i;
/** A patch names its files on lines of their own. */
const PATCH_LINE =
  /^(?:\*\*\* (?:Add|Update|Delete) File:|\*\*\* Move to:|(?:\+\+\+|---) (?:[ab]\/)?)(.+)$/gm;
/** Addresses that are no files of anybody's. */
const ADDRESS = /^(?:https?|agent|local|toon|ui):\/\//i;

interface Found {
  readonly name: string;
  readonly value: unknown;
  /** The field is part of one that holds paths. */
  readonly isPath: boolean;
}

/** Every path in a tool's input, each once, as it is written there. */
export function pathsInInput(input: unknown): ReadonlySet<string> {
  const paths = new Set<string>();
  const open: Found[] = [{ name: '', value: input, isPath: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, value, isPath } = next;
    if (typeof value === 'string') {
      for (const path of pathsInText(name, value, isPath)) paths.add(path);
    } else if (Array.isArray(value)) {
      for (const each of value) open.push({ name, value: each, isPath });
    } else if (typeof value === 'object' && value !== null) {
      for (const [field, each] of Object.entries(value)) {
        // What is attached is named as a file; `name` says anything elsewhere.
        const isName = field === 'name' && name === 'attachments';
        open.push({ name: field, value: each, isPath: isName || (PATHS.test(field) && !TEXTS.test(field)) });
      }
    }
  }
  return paths;
}

function* pathsInText(name: string, text: string, isPath: boolean): Generator<string> {
  if (isPath) yield* spellings(text);
  if (COMMANDS.test(name)) for (const word of pathsInCommand(text)) yield* spellings(word);
  if (text.includes('*** ') || text.includes('+++ '))
    for (const [, path = ''] of text.matchAll(PATCH_LINE)) yield path.trim();
}

/** The path, and the same without the line that may follow it; each of several that one text names. */
function* spellings(text: string): Generator<string> {
  for (const part of new Set([text, ...text.split(/[;\n]/)])) {
    const path = part.trim();
    if (path === '' || ADDRESS.test(path)) continue;
    yield path;
    const bare = path.replace(/(?::\d+(?:-\d+)?){1,2}$/, '');
    if (bare !== path) yield bare;
  }
}
