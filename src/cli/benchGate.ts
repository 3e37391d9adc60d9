/** `bench gate`: how long it takes to decide about a call, with and without the person's rules for files. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onGateSpan } from '../tools/gateSpan.ts';
import { percentile, round } from './benchMetrics.ts';
import { type BenchStore, openBenchStore, temporaryFolder } from './benchStore.ts';

export interface GateReport {
  /** Of each of the two, in turns. */
  readonly calls: number;
  readonly rules: number;
  readonly bareP50Ms: number;
  /** A look at a small file and reading it, which is about the least that asking the disk for anything takes. */
  readonly bareP95Ms: number;
  readonly withoutRulesP50Ms: number;
  readonly withoutRulesP95Ms: number;
  readonly withRulesP50Ms: number;
  readonly withRulesP95Ms: number;
  /** Checking the inputs, beside both. */
  readonly validationP95Ms: number;
  /** With rules, at p95, by the bare operation. */
  readonly ratio: number;
}

const RULES = 20;
const WARM_UP = 100;
const SETTING = 'classification.files';

/** What agents call most, and calls that name files: those are what rules are asked about. */
const CALLS: readonly (readonly [tool: string, input: (at: number) => object])[] = [
  ['memory_recall', (at) => ({ query: `note ${at}`, pathScope: fileOf(at) })],
  ['memory_remember', (at) => ({ category: 'knowledge', key: `note-${at % 50}`, content: `Note ${at}` })],
  ['memory_get', (at) => ({ key: `note-${at % 50}` })],
  ['context_focus', (at) => ({ task: `note ${at} in ${fileOf(at)}` })],
  [
    'memory_remember',
    (at) => ({ category: 'pattern', key: `code-${at % 50}`, content: 'x', file: fileOf(at) }),
  ],
  ['todo_write', (at) => ({ ops: [{ op: 'append', phase: 'Work', items: [`Step ${at}`] }] })],
  ['sessions_list', () => ({ limit: 5 })],
];

/** @param calls of each of the two */
export async function benchGate(calls: number): Promise<GateReport> {
  const plain = await temporaryFolder();
  const ruled = await temporaryFolder();
  const rules = Object.fromEntries(Array.from({ length: RULES }, (_, at) => [patternOf(at), 'CONFIDENTIAL']));
  const stores = [openBenchStore(plain.folder), openBenchStore(ruled.folder, { [SETTING]: rules })] as const;
  try {
    return await measure(stores, [plain.folder, ruled.folder], calls);
  } finally {
    for (const store of stores) await store.close();
    await plain.remove();
    await ruled.remove();
  }
}

/** In turns, so that whatever else the machine does slows all of them alike. */
async function measure(
  stores: readonly BenchStore[],
  folders: readonly string[],
  calls: number,
): Promise<GateReport> {
  const small = join(folders[0] ?? '', 'small');
  writeFileSync(small, 'x'.repeat(200));
  for (const folder of folders) {
    mkdirSync(join(folder, 'src', 'deep'), { recursive: true });
    writeFileSync(join(folder, fileOf(0)), '');
  }
  const bare: number[] = [];
  const spans: number[][] = stores.map(() => []);
  const validation: number[] = [];
  let into: number[] | undefined;
  const stop = onGateSpan(({ milliseconds, validationMilliseconds }) => {
    into?.push(milliseconds);
    if (into !== undefined) validation.push(validationMilliseconds);
  });
  try {
    for (let at = 0; at < calls + WARM_UP; at++) {
      const [tool, input] = CALLS[at % CALLS.length] as (typeof CALLS)[number];
      for (const [which, store] of stores.entries()) {
        into = at < WARM_UP ? undefined : spans[which];
        await store.call(tool, input(at));
      }
      const started = performance.now();
      statSync(small);
      readFileSync(small);
      if (at >= WARM_UP) bare.push(performance.now() - started);
    }
  } finally {
    stop();
  }
  const [without = [], withRules = []] = spans;
  const bareP95Ms = percentile(bare, 0.95);
  const withRulesP95Ms = percentile(withRules, 0.95);
  return {
    ...{ calls, rules: RULES, bareP50Ms: percentile(bare, 0.5), bareP95Ms },
    withoutRulesP50Ms: percentile(without, 0.5),
    withoutRulesP95Ms: percentile(without, 0.95),
    withRulesP50Ms: percentile(withRules, 0.5),
    withRulesP95Ms,
    validationP95Ms: percentile(validation, 0.95),
    ratio: round(withRulesP95Ms / bareP95Ms, 2),
  };
}

/** None of the rules speaks of it: a session that has risen is not asked about any more. */
function fileOf(at: number): string {
  return `src/deep/file-${at % 30}.ts`;
}

function patternOf(at: number): string {
  const patterns = [`secrets-${at}/**`, `*.secret${at}`, `docs/**/internal-${at}-*.md`, `~/.keys-${at}/**`];
  return patterns[at % patterns.length] ?? '';
}
