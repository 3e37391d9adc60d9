/** Tables of what was measured, for people. */
import type { AgeReport } from './benchAge.ts';
import type { Score } from './benchMetrics.ts';
import type { Line, RetrievalReport, Versus } from './benchRetrieval.ts';

/** What `bench retrieval` measured, as a table for people. */
export function retrievalTable(report: RetrievalReport): string {
  const { folders, kinds, halves, ablation, bootstrap, age, notes } = report;
  const groups: Record<string, Line> = { all: report, ...halves, ...folders, ...kinds };
  const rows = Object.entries(groups).flatMap(([name, { ours, fts4, minisearch }]) => [
    row(name, 'ours', ours),
    row('', 'fts4', fts4),
    ...(minisearch === null ? [] : [row('', 'minisearch', minisearch)]),
  ]);
  const without = Object.entries(ablation ?? {}).map(([name, score]) => row(name, '', score));
  const heading = `${''.padEnd(40)}${['recall@5', 'recall@10', 'mrr@10', 'ndcg@10', 'p50 ms', 'p99 ms'].map((name) => name.padStart(10)).join('')}`;
  const sections = [
    [heading, ...rows],
    without,
    differences(bootstrap ?? {}),
    age ? [ageLine(age)] : [],
    notes,
  ];
  return sections
    .filter((section) => section.length > 0)
    .map((section) => section.join('\n'))
    .join('\n\n');
}

function differences(groups: Readonly<Record<string, Versus>>): string[] {
  return Object.entries(groups).flatMap(([group, versus]) =>
    Object.entries(versus).map(([engine, { difference, low, high, queries }]) => {
      const signed = (value: number) => `${value < 0 ? '' : '+'}${value.toFixed(4)}`;
      return `${group.padEnd(40)} ndcg@10 less that of ${engine.padEnd(12)}${signed(difference)}  95 % ${signed(low)} to ${signed(high)}, ${queries} queries`;
    }),
  );
}

function ageLine({ days, fresh, idle, old, loss }: AgeReport): string {
  return `recall@10 fresh ${fresh.toFixed(4)}, all left alone for ${days} days ${idle.toFixed(4)}, what is relevant ${days} days old and the rest new ${old.toFixed(4)}: loss ${loss.toFixed(4)}`;
}

function row(group: string, engine: string, score: Score): string {
  const values = [score['recall@5'], score['recall@10'], score['mrr@10'], score['ndcg@10']]
    .map((value) => value.toFixed(4))
    .concat([score.p50Ms, score.p99Ms].map((value) => value.toFixed(2)));
  return `${group.padEnd(28)}${engine.padEnd(12)}${values.map((value) => value.padStart(10)).join('')}`;
}
