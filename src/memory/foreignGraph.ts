/** The knowledge graph of the reference memory server: a JSON object a line, an entity or a relation. */
import { z } from 'zod';
import { CATEGORIES } from './entry.ts';
import { type ForeignFile, keyOf } from './foreignMarkdown.ts';
import { oneLine } from './line.ts';
import type { Placed, Taken, TakenEntry, Untaken } from './taken.ts';

const entitySchema = z.object({
  name: z.string().refine((name) => name.trim() !== ''),
  entityType: z.string().default(''),
  observations: z.array(z.string()).default([]),
});
const relationSchema = z.object({ from: z.string(), to: z.string(), relationType: z.string().default('') });
/** What its tool `read_graph` answers, and what older copies are. */
const graphSchema = z.object({
  entities: z.array(z.unknown()),
  relations: z.array(z.unknown()).default([]),
});

type Entity = z.output<typeof entitySchema>;
type Relation = z.output<typeof relationSchema>;

/** Each entity is one memory: its observations and relations are its text, its relations are links, too. */
export function takenFromGraph({ text, own, at }: ForeignFile): Taken {
  const damaged: Untaken[] = [];
  const entities: Placed<Entity>[] = [];
  const relations: Placed<Relation>[] = [];
  for (const { place, value: record } of recordsOf(text, damaged)) {
    const { type } = z.object({ type: z.unknown() }).safeParse(record).data ?? {};
    const entity = type === 'entity' ? entitySchema.safeParse(record).data : undefined;
    const relation = type === 'relation' ? relationSchema.safeParse(record).data : undefined;
    if (entity !== undefined) entities.push({ place, value: entity });
    else if (relation !== undefined) relations.push({ place, value: relation });
    else damaged.push({ place, reason: `is no whole entity or relation` });
  }
  const from = new Map<string, Relation[]>();
  for (const { value } of relations) {
    const known = from.get(value.from);
    if (known === undefined) from.set(value.from, [value]);
    else known.push(value);
  }
  const known = new Set(entities.map(({ value }) => value.name));
  for (const { place, value } of relations)
    if (!known.has(value.from))
      damaged.push({ place, reason: `begins at "${keyOf(value.from)}", which is no entity` });
  const entries = entities.map(({ place, value }) => ({
    place,
    value: { ...entryOf(value, from.get(value.name) ?? []), file: own, at },
  }));
  return { entries, summaries: [], damaged, notes: [] };
}

function recordsOf(text: string, damaged: Untaken[]): Placed<unknown>[] {
  const graph = graphSchema.safeParse(parsed(text)).data;
  if (graph !== undefined) return [...typed(graph.entities, 'entity'), ...typed(graph.relations, 'relation')];
  const records: Placed<unknown>[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const place = `line ${index + 1}`;
    const value = parsed(line);
    if (value === undefined) damaged.push({ place, reason: 'is no JSON' });
    else records.push({ place, value });
  }
  return records;
}

function typed(values: readonly unknown[], type: string): Placed<unknown>[] {
  return values.map((value, index) => ({
    place: `${type} ${index + 1}`,
    value: typeof value === 'object' ? { ...value, type } : value,
  }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function entryOf({ name, entityType, observations }: Entity, relations: readonly Relation[]): TakenEntry {
  const type = oneLine(entityType).trim();
  const category = CATEGORIES.find((each) => each === type);
  const lines = [
    ...observations.filter((each) => each.trim() !== '').map((each) => `- ${each.trim()}`),
    ...relations.map(
      ({ relationType, to }) =>
        `- ${[oneLine(relationType).trim(), `[[${keyOf(to)}]]`].filter(Boolean).join(' ')}`,
    ),
  ];
  return {
    key: keyOf(name),
    category: category ?? 'knowledge',
    content: [...new Set(lines)].join('\n') || `- ${keyOf(name)}`,
    tags: type === '' || category !== undefined ? [] : [type.slice(0, 100)],
    links: [...new Set(relations.map(({ to }) => keyOf(to)))],
  };
}
