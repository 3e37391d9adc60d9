/** A process that saves, and matches memory and files, until it is told to stop or killed. Run by together.test.ts. */
import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BusyError } from '../../../src/worker/api.ts';
import { openFolder, PERSON } from './kit.ts';

const { folder, label } = JSON.parse(process.argv[2] ?? '') as { folder: string; label: string };
const store = openFolder(folder);
const stop = join(folder, 'stop');

for (let n = 0; !existsSync(stop); n++) {
  const own = `${label} 기억 ${n}`;
  await store.remember({ category: 'bug', key: own, content: `Text of ${own}`, tags: [] }, PERSON);
  writeSync(1, `Text of ${own}\n`);
  const shared = `Shared by ${own}`;
  await store.remember({ category: 'bug', key: 'shared', content: shared, tags: [], replace: true }, PERSON);
  writeSync(1, `${shared}\n`);
  try {
    await store.files.filesSync({ branch: 'main' });
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
  }
  await sleep(5);
}
await store.close();
process.exit(0);
