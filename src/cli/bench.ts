/** `bench`: measures memory and isolation as they ship, and prints tables for people or JSON for programs. */
import { parseArgs } from 'node:util';
import { UsageError } from '../terminal.ts';

const HELP = `Usage: lodeline bench retrieval DIR... [--bootstrap] [--ablate] [--age DAYS] [--json]
       lodeline bench scale --entries N [--json]
       lodeline bench mcp --entries N [--json]
       lodeline bench transcripts [--sessions N] [--records N] [--json]
       lodeline bench gate [--calls N] [--json]
       lodeline bench isolation [--files N] [--dirty N] [--runs N] [--json]

  retrieval   saves the memories of each folder (BEIR layout: corpus.jsonl, queries.jsonl, qrels.tsv) in a
              temporary store, asks its questions, and scores the answers beside SQLite's FTS4 and minisearch
  scale       times saving and recalling in a temporary store of N made-up memories
  mcp         times the same over the MCP server's standard input and output
  transcripts times listing, reading and searching made-up sessions, beside SQLite's FTS4 (2000 sessions with
              100000 records in all)
  gate        times deciding about calls, without and with the person's rules for files, beside a look at a small
              file and reading it (2000 calls of each)
  isolation   times making work trees for tasks in a temporary repository, beside git's own (20000 files, 200 of
              them dirty, 5 runs)

  --bootstrap also say how sure each difference is: 95 % of 10,000 paired draws of the queries, seed 1
  --ablate    also score the answers without each of the signals
  --age DAYS  also find what is relevant when it is so old and the rest is new, and when all of it was left alone
  --json      print one JSON object`;

const MOST_CALLS = 1_000_000;
const MOST_DAYS = 10_000;
const MOST_ENTRIES = 1_000_000;
const MOST_FILES = 1_000_000;
const MOST_RUNS = 100;
const MOST_SESSIONS = 100_000;
const MOST_RECORDS = 1_000_000;

/** Runs `bench` with the rest of the command line. */
export async function runBench(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      ablate: { type: 'boolean', default: false },
      age: { type: 'string' },
      bootstrap: { type: 'boolean', default: false },
      calls: { type: 'string', default: '2000' },
      dirty: { type: 'string', default: '200' },
      entries: { type: 'string' },
      files: { type: 'string', default: '20000' },
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
      records: { type: 'string', default: '100000' },
      runs: { type: 'string', default: '5' },
      sessions: { type: 'string', default: '2000' },
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
    const age = values.age === undefined ? undefined : count(what, 'age', values.age, MOST_DAYS);
    const { benchRetrieval } = await import('./benchRetrieval.ts');
    const { retrievalTable } = await import('./benchTable.ts');
    const report = await benchRetrieval(folders, { ablate: values.ablate, bootstrap: values.bootstrap, age });
    console.log(values.json ? JSON.stringify(report, undefined, 2) : retrievalTable(report));
  } else if (what === 'scale' || what === 'mcp') {
    const entries = count(what, 'entries', values.entries, MOST_ENTRIES);
    const report =
      what === 'mcp'
        ? await (await import('./benchMcp.ts')).benchMcp(entries)
        : await (await import('./benchScale.ts')).benchScale(entries);
    tell(report, values.json);
  } else if (what === 'transcripts') {
    const sessions = count(what, 'sessions', values.sessions, MOST_SESSIONS);
    const records = count(what, 'records', values.records, MOST_RECORDS);
    const { benchTranscripts } = await import('./benchTranscripts.ts');
    tell(await benchTranscripts(sessions, records), values.json);
  } else if (what === 'gate') {
    const { benchGate } = await import('./benchGate.ts');
    tell(await benchGate(count(what, 'calls', values.calls, MOST_CALLS)), values.json);
  } else if (what === 'isolation') {
    const files = count(what, 'files', values.files, MOST_FILES);
    const dirty = count(what, 'dirty', values.dirty, files);
    const runs = count(what, 'runs', values.runs, MOST_RUNS);
    const { benchIsolation, isolationTable } = await import('./benchIsolation.ts');
    const report = await benchIsolation(files, dirty, runs);
    console.log(values.json ? JSON.stringify(report, undefined, 2) : isolationTable(report));
  } else throw new UsageError(`There is no benchmark "${what}".`);
}

/** A report of plain figures. */
function tell(report: object, json: boolean): void {
  const lines = Object.entries(report).map(([name, value]) => `${name.padEnd(24)} ${value}`);
  console.log(json ? JSON.stringify(report, undefined, 2) : lines.join('\n'));
}

function count(what: string, option: string, value: string | undefined, most: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new UsageError(`bench ${what} needs --${option} with a number from 1 to ${most}.`);
  return number;
}
