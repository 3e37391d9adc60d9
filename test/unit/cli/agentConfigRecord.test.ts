import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfigRecords } from '../../../src/cli/agentConfigRecord.ts';
import { temporaryFolder } from '../support/folder.ts';

it.each([
  ['by a process that has ended', '2147483646'],
  ['by one that was killed before it wrote its number', ''],
])('a lock that was left %s holds nobody up', async (_, text) => {
  const home = temporaryFolder();
  const folder = join(home, '.lodeline', 'init');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'lock'), text);
  utimesSync(join(folder, 'lock'), new Date(0), new Date(0));
  expect(await new ConfigRecords(home).alone(() => 'done')).toBe('done');
  expect(readdirSync(join(home, '.lodeline'))).toEqual([]);
});
