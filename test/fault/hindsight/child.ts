/** A process that keeps memories on a server until it is done, or killed. Run by killed.test.ts. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { KeyRing } from '../../../src/journal/keys.ts';
import { HindsightBackend } from '../../../src/memory/hindsight/backend.ts';
import { HindsightServer } from '../../../src/memory/hindsight/server.ts';
import { readBackendSettings } from '../../../src/memory/hindsight/settings.ts';
import { RetainSpool } from '../../../src/worker/retainSpool.ts';

/** What a test tells its child. */
export interface ChildOptions {
  readonly folder: string;
  readonly url: string;
  /** The numbers of the items that it keeps, `to` left out. */
  readonly from: number;
  readonly to: number;
  /** Ends only when nothing waits any more. */
  readonly isLast: boolean;
}

const { folder, url, from, to, isLast } = JSON.parse(process.argv[2] ?? '') as ChildOptions;
const keys = new KeyRing({ dir: join(folder, 'keys') });
const spool = new RetainSpool({ dir: join(folder, 'retain'), keys, defaultLevel: 'PUBLIC', now: Date.now });
const settings = readBackendSettings({ get: () => undefined }, {}, 'PUBLIC');
const backend = new HindsightBackend({
  ...{ settings: { ...settings, models: false }, spool, project: 'p', defaultLevel: 'PUBLIC' },
  server: new HindsightServer({ url, userAgent: 'test/1' }),
  maxLevel: () => 'PUBLIC',
  now: Date.now,
  random: Math.random,
  log: () => {},
});
const author = { actor: 'agent', level: 'PUBLIC', source: 'test', session: 's', branch: '' } as const;
const call = { author, signal: new AbortController().signal };

await backend.start(true);
for (let at = from; at < to; at++) {
  const item = { content: `content of ${at}`, documentId: String(at).padStart(6, '0') };
  await backend.retain([item], call);
  // Whoever reads this was told that it is queued.
  writeSync(1, `${at}\n`);
  if (at % 16 === 0) await turnOfLoop();
}
while (isLast && (await backend.status()).queue.waiting > 0) await backend.retryNow();
await backend.dispose();
spool.close();
