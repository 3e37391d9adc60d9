/** Starts, kills and restarts processes that share one journal, and keeps what they acknowledged. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import type { DamageReport } from '../../../src/journal/damage.ts';
import { Journal } from '../../../src/journal/journal.ts';
import { KeyRing } from '../../../src/journal/keys.ts';
import { type ChildOptions, randomFrom } from './common.ts';

/** The full counts, or such as fit into every test run. */
export const SOAK = process.env.LODELINE_SOAK === '1';

/** A short run stays in memory where that is to be had; the full one is to meet a real disk. */
const SHARED_MEMORY = '/dev/shm';
const ROOT = !SOAK && existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();

/** A writer is killed so long, at most, after its first acknowledged write. */
const KILL_WITHIN_MS = 300;

export interface ReaderReport {
  ids: string[];
  /** Records it was told twice. */
  twice: number;
  position: string;
  damage: DamageReport[];
}

type Role = ChildOptions['role'];

export interface FleetOptions {
  seed: number;
  pauseMs: number;
  maxSegmentBytes?: number;
}

export class Fleet {
  readonly root = mkdtempSync(join(ROOT, 'journal-fleet-'));
  readonly dir = join(this.root, 'store');
  readonly keys = join(this.root, 'keys');
  readonly acknowledged: string[] = [];
  /** What compactors said they did, and how often. */
  readonly outcomes = new Map<string, number>();
  kills = 0;
  readonly #options: FleetOptions;
  readonly #random: () => number;
  readonly #program = join(this.root, 'child.mjs');
  readonly #stopped = new Set<Role>();
  #started = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#random = randomFrom(options.seed);
  }

  async prepare(): Promise<void> {
    await build({
      entryPoints: [join(import.meta.dirname, 'child.ts')],
      outfile: this.#program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
  }

  /** Keeps a writer going through so many violent deaths, and then until it has written `count` records. */
  async write(slot: number, count: number, deaths: number): Promise<void> {
    let written = 0;
    for (let life = 0; life < deaths || written < count; life++) {
      const label = `${slot}.${life}`;
      const violent = life < deaths;
      const goal = violent ? Number.MAX_SAFE_INTEGER : count - written;
      written += await this.#live({ role: 'write', label, count: goal }, violent, this.acknowledged);
    }
  }

  /** Keeps a compactor going until compactors are stopped; killed now and then when it is to be. */
  async compact(slot: number, violent: boolean): Promise<void> {
    while (!this.#stopped.has('compact')) {
      const said: string[] = [];
      await this.#live({ role: 'compact', label: `c${slot}`, count: 0 }, violent, said);
      for (const outcome of said) this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    }
  }

  /** Reads until readers are stopped. */
  async read(slot: number): Promise<ReaderReport> {
    const report = join(this.root, `report-${slot}.json`);
    await this.#live({ role: 'read', label: `r${slot}`, count: 0, report }, false, []);
    return JSON.parse(readFileSync(report, 'utf8')) as ReaderReport;
  }

  /** Tells the processes of a role to finish. */
  stop(role: Role): void {
    this.#stopped.add(role);
    writeFileSync(this.#stopFile(role), '');
  }

  /** An instance in this process. */
  open(): Journal {
    return new Journal({
      dir: this.dir,
      keys: new KeyRing({ dir: this.keys }),
      sealed: (level) => level === 'SECRET',
      now: Date.now,
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #stopFile(role: Role): string {
    return join(this.root, `stop-${role}`);
  }

  /** One life of one process; returns how many lines it said. */
  #live(
    role: Pick<ChildOptions, 'role' | 'label' | 'count'> & { report?: string },
    violent: boolean,
    said: string[],
  ): Promise<number> {
    const options: ChildOptions = {
      dir: this.dir,
      keys: this.keys,
      stop: this.#stopFile(role.role),
      report: '',
      ...this.#options,
      ...role,
      seed: this.#options.seed * 1000 + this.#started++,
    };
    const child = spawn(process.execPath, [this.#program, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let lines = 0;
    let errors = '';
    let killer: NodeJS.Timeout | undefined;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line);
      lines++;
      if (violent && !killer) {
        killer = setTimeout(() => {
          if (child.kill('SIGKILL')) this.kills++;
        }, this.#random() * KILL_WITHIN_MS);
      }
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        clearTimeout(killer);
        if (code === 0 || signal === 'SIGKILL') resolve(lines);
        else reject(new Error(`A ${role.role} process failed (${code ?? signal}): ${errors}`));
      });
    });
  }
}
