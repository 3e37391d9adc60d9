/** Reads a collection in BEIR layout: corpus.jsonl, queries.jsonl, qrels.tsv. */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { CATEGORIES, IMPORTANCE } from '../memory/entry.ts';
import { UsageError } from '../terminal.ts';

const documentSchema = z.object({
  _id: z.string(),
  title: z.string().default(''),
  text: z.string(),
  metadata: z
    .object({
      category: z.enum(CATEGORIES).catch('knowledge'),
      tags: z.array(z.string()).catch([]),
      file: z.string().catch(''),
      /** ISO */
      date: z.string().optional().catch(undefined),
      /** Ids of other documents. */
      links: z.array(z.string()).catch([]),
      session: z.string().catch(''),
      /** The document before it in its session. */
      previous: z.string().optional().catch(undefined),
      importance: z.enum(IMPORTANCE).optional().catch(undefined),
    })
    .catch({ category: 'knowledge', tags: [], file: '', links: [], session: '' }),
});

const querySchema = z.object({
  _id: z.string(),
  text: z.string(),
  metadata: z
    .object({ kind: z.string().optional(), category: z.union([z.string(), z.number()]).optional() })
    .catch({}),
});

/** A memory to be found. */
export interface BenchDocument extends z.output<typeof documentSchema> {
  /** The key it is saved under: its title, made unique, else its id. */
  readonly key: string;
}

/** A question with the ids of what answers it; scores of 1 and more count, higher is better. */
export interface BenchQuery {
  readonly id: string;
  readonly text: string;
  readonly kind: string;
  readonly relevant: ReadonlyMap<string, number>;
}

/** One folder; it becomes one store. */
export interface Collection {
  readonly name: string;
  /** In the order in which they are written. */
  readonly documents: readonly BenchDocument[];
  /** Those that have an answer. */
  readonly queries: readonly BenchQuery[];
}

/** Keys are names, and a title may be a sentence. */
const MAX_KEY = 150;

/** Reads a folder. @throws UsageError when it holds no collection. */
export async function readCollection(folder: string): Promise<Collection> {
  try {
    const [corpus, queries, qrels] = await Promise.all([
      readLines(join(folder, 'corpus.jsonl')),
      readLines(join(folder, 'queries.jsonl')),
      readLines(join(folder, 'qrels.tsv')),
    ]);
    const relevant = readJudgements(qrels);
    return {
      name: basename(resolve(folder)),
      documents: inOrder(withKeys(corpus.map((line) => documentSchema.parse(JSON.parse(line))))),
      queries: queries.flatMap((line): BenchQuery[] => {
        const { _id: id, text, metadata } = querySchema.parse(JSON.parse(line));
        const answers = relevant.get(id);
        if (answers === undefined) return [];
        return [
          { id, text, kind: metadata.kind ?? `category-${metadata.category ?? 'none'}`, relevant: answers },
        ];
      }),
    };
  } catch (error) {
    const what = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new UsageError(
      `"${folder}" is no collection: it needs corpus.jsonl, queries.jsonl and qrels.tsv (${what}).`,
    );
  }
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** `query-id corpus-id score`, with a heading. */
function readJudgements(lines: readonly string[]): Map<string, Map<string, number>> {
  const found = new Map<string, Map<string, number>>();
  for (const line of lines) {
    const [query = '', document = '', score = ''] = line.split('\t');
    const value = Number(score);
    if (!Number.isFinite(value) || value < 1) continue;
    const answers = found.get(query) ?? new Map<string, number>();
    found.set(query, answers.set(document, value));
  }
  return found;
}

function withKeys(documents: readonly z.output<typeof documentSchema>[]): BenchDocument[] {
  const taken = new Set<string>();
  return documents.map((document) => {
    const title = document.title
      .normalize('NFC')
      .replace(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, MAX_KEY);
    const name = title === '' ? document._id : title;
    const key = taken.has(name) ? `${name} (${document._id})` : name;
    taken.add(key);
    return { ...document, key };
  });
}

/** A document comes after the one that was before it in its session; otherwise the order stays. */
function inOrder(documents: readonly BenchDocument[]): BenchDocument[] {
  const byId = new Map(documents.map((document) => [document._id, document]));
  const ordered = new Set<BenchDocument>();
  for (const document of documents) {
    const chain: BenchDocument[] = [];
    for (
      let at: BenchDocument | undefined = document;
      at !== undefined && !ordered.has(at) && !chain.includes(at);
      at = at.metadata.previous === undefined ? undefined : byId.get(at.metadata.previous)
    )
      chain.push(at);
    for (const each of chain.reverse()) ordered.add(each);
  }
  return [...ordered];
}
