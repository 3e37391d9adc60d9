/** Memory as the benchmarks use it: a folder of its own, the product's app, and a clock that they set. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../app.ts';
import type { App } from '../appApi.ts';
import type { ToolCall } from '../tools/tool.ts';
import { StoreThread } from '../worker/client.ts';

export interface BenchStore {
  readonly app: App;
  readonly thread: StoreThread;
  /** Sets the time, epoch milliseconds. */
  setTime(time: number): void;
  /** Calls a tool. @throws Error with the tool's text when that is an error. */
  call(tool: string, input: unknown, session?: string): Promise<unknown>;
  close(): Promise<void>;
}

/** A temporary folder; `remove` takes it away with all that is in it. */
export async function temporaryFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'lodeline-bench-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Opens memory in a folder, with settings as they come, but for those given. */
export function openBenchStore(folder: string, settings: Readonly<Record<string, unknown>> = {}): BenchStore {
  const clock = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  clock[0] = Date.now();
  const thread = new StoreThread(new URL('./worker.js', import.meta.url), clock);
  const app = createApp({
    root: folder,
    thread,
    ports: {
      settings: { get: (key) => settings[key] },
      log: { info: () => {}, warn: console.error, error: console.error },
      now: () => clock[0] ?? 0,
      trusted: () => true,
      door: 'cli',
      // Nothing answers there: a benchmark stays on this machine.
      github: { api: 'http://127.0.0.1:9', token: async () => undefined },
      chatModel: async () => {
        throw new Error('A benchmark has no chat model.');
      },
    },
  });
  const caller: Omit<ToolCall, 'session'> = {
    door: 'cli',
    actor: 'agent',
    level: app.defaultLevel,
    source: 'bench',
    signal: new AbortController().signal,
    approve: async () => 'unavailable',
  };
  return {
    app,
    thread,
    setTime: (time) => {
      clock[0] = time;
    },
    async call(tool, input, session = 'bench') {
      const { text, data, isError } = await app.registry.invoke(tool, input, { ...caller, session });
      if (isError) throw new Error(text);
      return data;
    },
    async close() {
      await app.close();
      await thread.dispose();
    },
  };
}
