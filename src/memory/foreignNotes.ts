/** basic-memory's notes: Markdown with observations `- [category] text #tag` and relations `- relation [[Target]]`. */
import { CATEGORIES, type Category } from './entry.ts';
import {
  type ForeignFile,
  type FrontMatter,
  headingOf,
  keyOf,
  listField,
  readFrontMatter,
  textField,
} from './foreignMarkdown.ts';
import { Losses, type Placed, type Taken, type TakenEntry } from './taken.ts';

/** A tick box, `[ ]` or `[x]`, is no category, and neither is the text of a link. */
const OBSERVATION = /^\s*[-*]\s+\[(?![ xX-]\])([^[\]()\n]{1,64})\](?!\()\s+(.+)$/;
const RELATION = /^\s*[-*][ \t][^[\n]*\[\[([^[\]\n]{1,200})\]\]/;
const TAG = /(?<![\p{L}\p{N}#&/])#([\p{L}\p{N}][\p{L}\p{N}_/-]{0,63})/gu;
const KNOWN = new Set(['title', 'type', 'tags', 'permalink', 'created', 'modified', 'updated']);

/** Each note is one memory under its title. Its text stays as it is, so that every relation keeps its name. */
export function takenFromNotes(files: readonly ForeignFile[]): Taken {
  const read = files.map((file) => ({ file, front: readFrontMatter(file.text) }));
  const titles = new Map(
    read.flatMap(({ file, front }): [string, string][] => {
      const permalink = textField(front.fields, 'permalink');
      return permalink === undefined ? [] : [[permalink, titleOf(file, front)]];
    }),
  );
  const entries: Placed<TakenEntry>[] = [];
  const losses = new Losses();
  const notes: string[] = [];
  for (const { file, front } of read) {
    const place = file.path;
    if (front.isBroken) notes.push(`${place}: has front matter that is no YAML, and only its text was taken`);
    for (const field of front.fields.keys())
      if (!KNOWN.has(field)) losses.add(`front matter field "${keyOf(field)}"`);
    if (front.body.trim() === '') notes.push(`${place}: says nothing`);
    else entries.push({ place, value: noteOf(file, front, titles) });
  }
  return { entries, summaries: [], damaged: [], notes: [...losses.lines(), ...notes] };
}

function noteOf(file: ForeignFile, front: FrontMatter, titles: ReadonlyMap<string, string>): TakenEntry {
  const key = titleOf(file, front);
  const kinds = new Set<string>();
  const tags = new Set(listField(front.fields, 'tags'));
  const links = new Set<string>();
  for (const line of front.body.split('\n')) {
    const [, kind, text = ''] = OBSERVATION.exec(line) ?? [];
    if (kind !== undefined) {
      kinds.add(kind.trim());
      for (const [, tag = ''] of text.matchAll(TAG)) tags.add(tag);
    }
    const target = RELATION.exec(line)?.[1]?.split('|')[0]?.trim();
    if (target) links.add(keyOf(titles.get(target) ?? target));
  }
  const type = textField(front.fields, 'type');
  const only = kinds.size === 1 ? [...kinds][0] : undefined;
  const category = categoryOf(type) ?? categoryOf(only);
  const words = [...kinds, ...(type === undefined || type === 'note' ? [] : [type])];
  for (const word of words) if (word !== category) tags.add(word);
  links.delete(key);
  return {
    key,
    category: category ?? 'knowledge',
    // The title is the key already.
    content: withoutTitle(front.body, key).trim() || front.body.trim(),
    file: file.own,
    tags: [...tags],
    links: [...links],
    at: dateOf(front.fields) ?? file.at,
  };
}

function titleOf({ path }: ForeignFile, { fields }: FrontMatter): string {
  return keyOf(textField(fields, 'title') ?? path.split('/').at(-1)?.replace(/\.md$/i, '') ?? path);
}

function withoutTitle(body: string, title: string): string {
  const text = body.trimStart();
  const [first = ''] = text.split('\n', 1);
  return keyOf(headingOf(first) ?? '') === title ? text.slice(first.length) : body;
}

function dateOf(fields: FrontMatter['fields']): number | undefined {
  const text = textField(fields, 'modified') ?? textField(fields, 'updated') ?? textField(fields, 'created');
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text ?? '') ? Date.parse(text as string) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

function categoryOf(word: string | undefined): Category | undefined {
  return CATEGORIES.find((category) => category === word);
}
