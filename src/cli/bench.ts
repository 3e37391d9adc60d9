/** `bench`: measures memory as it ships, and prints tables for people or JSON for programs. */
import { parseArgs } from 'node:util';
import { UsageError } from '../terminal.ts';
import type { Score } from './benchMetrics.ts';
import type { Line, RetrievalReport } from './benchRetrieval.ts';

const HELP = `Usage: lodeline bench retrieval DIR... [--ablate] [--json]
       lodeline bench scale --entries N [--json]

  retrieval   saves the memories of each folder (BEIR layout: corpus.jsonl, queries.jsonl, qrels.tsv) in a
              temporary store, asks its questions, and scores the answers beside SQLite's FTS4 and minisearch
  scale       times saving and recalling in a temporary store of N made-up memories

  --ablate    also score the answers without each of the signals
  --json      print one JSON object`;

const MOST_ENTRIES = 1_000_000;

/** Runs `bench` with the rest of the command line. */
export async function runBench(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      ablate: { type: 'boolean', default: false },
      entries: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [what, ...folders] = positionals;
  if (values.help || what === undefined) {
    console.log(HELP);
    return;
  }
  if (what === 'retrieval') {
    if (folders.length === 0) throw new UsageError('bench retrieval takes at least one folder.');
    const { benchRetrieval } = await import('./benchRetrieval.ts');
    const report = await benchRetrieval(folders, values.ablate);
    console.log(values.json ? JSON.stringify(report, undefined, 2) : tables(report));
  } else if (what === 'scale') {
    const entries = Number(values.entries);
    if (!Number.isInteger(entries) || entries < 1 || entries > MOST_ENTRIES)
      throw new UsageError(`bench scale needs --entries with a number from 1 to ${MOST_ENTRIES}.`);
    const { benchScale } = await import('./benchScale.ts');
    const report = await benchScale(entries);
    console.log(
      values.json
        ? JSON.stringify(report, undefined, 2)
        : Object.entries(report)
            .map(([name, value]) => `${name.padEnd(20)} ${value}`)
            .join('\n'),
    );
  } else throw new UsageError(`There is no benchmark "${what}".`);
}

function tables(report: RetrievalReport): string {
  const { folders, kinds, halves, ablation, notes } = report;
  const groups: Record<string, Line> = { all: report, ...halves, ...folders, ...kinds };
  const rows = Object.entries(groups).flatMap(([name, { ours, fts4, minisearch }]) => [
    row(name, 'ours', ours),
    row('', 'fts4', fts4),
    ...(minisearch === null ? [] : [row('', 'minisearch', minisearch)]),
  ]);
  const without = Object.entries(ablation ?? {}).map(([name, score]) => row(name, '', score));
  const heading = `${''.padEnd(40)}${['recall@5', 'recall@10', 'mrr@10', 'ndcg@10', 'p50 ms', 'p99 ms'].map((name) => name.padStart(10)).join('')}`;
  return [heading, ...rows, ...(without.length > 0 ? ['', ...without] : []), ...notes].join('\n');
}

function row(group: string, engine: string, score: Score): string {
  const values = [score['recall@5'], score['recall@10'], score['mrr@10'], score['ndcg@10']]
    .map((value) => value.toFixed(4))
    .concat([score.p50Ms, score.p99Ms].map((value) => value.toFixed(2)));
  return `${group.padEnd(28)}${engine.padEnd(12)}${values.map((value) => value.padStart(10)).join('')}`;
}
