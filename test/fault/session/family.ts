/** Starts processes around one session, lets them be killed, and keeps what they acknowledged. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { KeyRing } from '../../../src/journal/keys.ts';
import type { Message } from '../../../src/session/messages.ts';
import { type Resumed, resumeSession } from '../../../src/session/resume.ts';
import { followTranscript, type TranscriptOptions } from '../../../src/session/transcript.ts';
import { type ChildOptions, ID } from './common.ts';

/** The full counts, or such as fit into every test run. */
export const SOAK = process.env.LODELINE_SOAK === '1';

/** A short run stays in memory where that is to be had; the full one is to meet a real disk. */
const SHARED_MEMORY = '/dev/shm';
const ROOT = !SOAK && existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();

export interface Life {
  acknowledged: string[];
  killed: boolean;
  /** What it wrote to stderr. */
  said: string;
}

export class Family {
  readonly root = mkdtempSync(join(ROOT, 'session-family-'));
  readonly #program = join(this.root, 'child.mjs');
  readonly #stop = join(this.root, 'stop');
  #folders = 0;
  #started = 0;
  dir = '';
  acknowledged: string[] = [];
  kills = 0;

  async prepare(): Promise<void> {
    await build({
      entryPoints: [join(import.meta.dirname, 'child.ts')],
      outfile: this.#program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    this.renew();
  }

  /** Goes on in a new folder. */
  renew(): void {
    if (this.dir) rmSync(this.dir, { recursive: true, force: true });
    rmSync(this.#stop, { force: true });
    this.dir = join(this.root, `sessions-${this.#folders++}`);
    this.acknowledged = [];
  }

  stop(): void {
    writeFileSync(this.#stop, '');
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  options(): TranscriptOptions {
    return {
      dir: this.dir,
      id: ID,
      keys: new KeyRing({ dir: join(this.root, 'keys') }),
      defaultLevel: 'PUBLIC',
      now: Date.now,
    };
  }

  /** One life of one process. It may be killed after so many milliseconds. */
  live(role: Pick<ChildOptions, 'role' | 'label' | 'count' | 'death'>, killAfterMs?: number): Promise<Life> {
    // Of this folder: another may be in use by the time this life ends.
    const { dir, root, acknowledged: told } = this;
    const seed = 1 + this.#started++;
    const options: ChildOptions = { dir, keys: join(root, 'keys'), stop: this.#stop, seed, ...role };
    const child = spawn(process.execPath, [this.#program, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const killer =
      killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        clearTimeout(killer);
        // What is after the last line feed was cut off by the death: nobody was told.
        const acknowledged = out.split('\n').slice(0, -1);
        told.push(...acknowledged);
        const killed = signal === 'SIGKILL';
        if (killed) this.kills++;
        if (code === 0 || killed) resolve({ acknowledged, killed, said });
        else reject(new Error(`${role.role} ended with ${code}: ${said}`));
      });
    });
  }

  /** Resumes in this process, lets go, and says what it saw. */
  resume(): Omit<Resumed, 'session'> & { messages: Message[]; uuids: string[] } {
    const resumed = resumeSession(this.options());
    if (!resumed.session) throw new Error(`held by ${JSON.stringify(resumed.holder)}`);
    const messages = structuredClone([...resumed.session.view.messages()]);
    resumed.session.close();
    const uuids = followTranscript(this.options())
      .read()
      .records.map(({ uuid }) => uuid);
    return { ...resumed, messages, uuids };
  }
}
