/** How good an order is. Gains are linear; what scores 1 or more is relevant. */
export interface Quality {
  readonly 'recall@5': number;
  readonly 'recall@10': number;
  readonly 'mrr@10': number;
  readonly 'ndcg@10': number;
}

/** Quality of the answers to several queries, with the time one takes. */
export interface Score extends Quality {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** One query's answer. */
export interface Answer {
  readonly quality: Quality;
  readonly ms: number;
}

/** The quality of one order of document ids, best first, for what is relevant. */
export function qualityOf(ids: readonly string[], relevant: ReadonlyMap<string, number>): Quality {
  const gains = ids.slice(0, 10).map((id) => relevant.get(id) ?? 0);
  const ideal = [...relevant.values()].sort((one, other) => other - one).slice(0, 10);
  const found = (count: number) => gains.slice(0, count).filter((gain) => gain >= 1).length / relevant.size;
  const first = gains.findIndex((gain) => gain >= 1);
  return {
    'recall@5': found(5),
    'recall@10': found(10),
    'mrr@10': first < 0 ? 0 : 1 / (first + 1),
    'ndcg@10': discounted(gains) / discounted(ideal),
  };
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
}

/** The mean over queries, each counting the same. */
export function scoreOf(answers: readonly Answer[]): Score {
  const mean = (measure: keyof Quality) =>
    round(answers.reduce((sum, { quality }) => sum + quality[measure], 0) / answers.length, 4);
  const times = answers.map(({ ms }) => ms);
  return {
    'recall@5': mean('recall@5'),
    'recall@10': mean('recall@10'),
    'mrr@10': mean('mrr@10'),
    'ndcg@10': mean('ndcg@10'),
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}

/** The value that a share of the values does not exceed; 0 for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0, 3);
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
