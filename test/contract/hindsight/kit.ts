/** The tool layer of a folder over a Hindsight server on this machine. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Level } from '../../../src/policy/level.ts';
import { openTestTools, temporaryFolder } from '../../unit/support/folder.ts';
import { type HindsightServer, type Logged, startHindsight } from './server.ts';

export interface KitOptions {
  readonly settings?: Record<string, unknown>;
  /** Name of the workspace folder. */
  readonly name?: string;
  readonly folder?: string;
  readonly server?: HindsightServer;
  readonly defaultLevel?: Level;
}

/** A server that the test's end stops. */
export async function startServer(): Promise<HindsightServer> {
  const server = await startHindsight();
  onTestFinished(() => server.stop());
  return server;
}

/** Opens a folder whose memory backend is a server. Opening it again is what another process would see. */
export async function openBank(options: KitOptions = {}) {
  const { name = 'cool-app', settings: given = {}, defaultLevel = 'PUBLIC' } = options;
  const server = options.server ?? (await startServer());
  const folder = options.folder ?? join(temporaryFolder(), name);
  mkdirSync(folder, { recursive: true });
  const settings: Record<string, unknown> = {
    'memory.backend': 'hindsight',
    'hindsight.apiUrl': server.url,
    ...given,
  };
  const clock = { time: Date.now() };
  const tools = openTestTools(folder, clock, settings, { defaultLevel });
  const warnings: string[] = [];
  tools.backend.onWarning(({ text, values }) => {
    warnings.push(text.replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)])));
  });
  const flush = () => tools.backend.flush(AbortSignal.timeout(30_000));
  return { ...tools, server, settings, folder, warnings, flush };
}

/** Requests of one kind, such as `POST /memories/recall`. */
export function requestsTo(server: HindsightServer, method: string, ending: string): Logged[] {
  return server.requests.filter(
    (each) => each.method === method && each.path.split('?')[0]?.endsWith(ending),
  );
}

/** `n` different facts. */
export function facts(n: number, from = 0): { content: string }[] {
  return Array.from({ length: n }, (_, at) => ({ content: `fact number ${from + at}` }));
}
