/** A store that is sealed as a whole keeps nothing in files, which are clear text. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSealing } from '../../../src/worker/openStore.ts';
import { bytesUnder } from '../support/files.ts';
import { openTestSessions, openTestStore, PERSON, START, temporaryFolder } from '../support/folder.ts';

const READER = { level: 'RESTRICTED' } as const;

function openFolder() {
  const [kept, work] = [temporaryFolder(), temporaryFolder()];
  const clock = { time: START };
  const store = openTestStore(kept, clock, { root: work });
  const sessions = openTestSessions(kept, clock);
  const options = {
    ...{ dir: join(kept, 'store'), keysDir: join(kept, 'keys'), root: work },
    ...({ defaultLevel: 'PUBLIC', vocabulary: {} } as const),
  };
  const sealing = openSealing(options, { memory: store, sessions }, { now: () => clock.time });
  const dir = join(work, '.lodeline', 'memory');
  mkdirSync(dir, { recursive: true });
  return {
    ...{ kept, dir, store, sealing },
    sync: () => store.files.filesSync({ branch: 'main' }),
    remember: (key: string, content: string) =>
      store.remember({ category: 'decision', key, content, tags: ['t'], replace: true }, PERSON),
  };
}

test('while it is sealed no file is read or written, and it is said', async () => {
  const { kept, dir, store, sealing, sync, remember } = openFolder();
  await remember('canary-key', 'canary one');
  await sync();
  await sealing.seal();
  // Names and hashes of what was in the clear are gone with the rest.
  expect(bytesUnder(join(kept, 'store'))).not.toContain('canary');
  expect(existsSync(join(kept, 'store', 'memory', 'files'))).toBe(false);
  await remember('canary-key', 'canary two');
  await remember('canary-new', 'canary three');
  writeFileSync(join(dir, 'by-hand.md'), 'By hand\n');
  const report = await sync();
  expect(report.problems).toMatchObject([{ kind: 'sealed', file: '.lodeline/memory' }]);
  expect(report).toMatchObject({
    isBusy: false,
    written: [],
    removed: [],
    created: [],
    changed: [],
    forgotten: [],
  });
  expect(readdirSync(dir).filter((name) => !name.startsWith('.'))).toEqual([
    'MEMORY.md',
    'by-hand.md',
    'canary-key.md',
  ]);
  expect(readFileSync(join(dir, 'canary-key.md'), 'utf8')).toContain('canary one');
  expect((await store.exportAll(READER)).map(({ key }) => key).sort()).toEqual(['canary-key', 'canary-new']);
  expect(bytesUnder(join(kept, 'store'))).not.toContain('canary');
});

test('once it is opened again both come together, and nothing is lost', async () => {
  const { dir, store, sealing, sync, remember } = openFolder();
  await remember('mine', 'First of mine');
  await remember('theirs', 'First of theirs');
  await sync();
  await sealing.seal();
  await remember('mine', 'Second of mine');
  const file = join(dir, 'theirs.md');
  writeFileSync(file, readFileSync(file, 'utf8').replace('\nFirst of theirs\n', '\nSecond of theirs\n'));
  await sync();
  await sealing.unseal();
  expect(await sync()).toMatchObject({
    written: ['mine.md', 'theirs.md'],
    changed: ['theirs'],
    problems: [],
  });
  expect(readFileSync(join(dir, 'mine.md'), 'utf8')).toContain('Second of mine');
  const entries = await store.exportAll(READER);
  expect(
    entries.map(({ content, revisions }) => [content, ...revisions.map(({ text }) => text)]).sort(),
  ).toEqual([
    ['Second of mine', 'First of mine'],
    ['Second of theirs', 'First of theirs'],
  ]);
});

test('a look that is under way when it is sealed stops, and leaves nothing behind', async () => {
  const { kept, sealing, sync, remember } = openFolder();
  for (let at = 0; at < 20; at++) await remember(`canary-${at}`, `canary ${at}`);
  const [report] = await Promise.all([sync(), sealing.seal()]);
  expect(report.isBusy).toBe(false);
  await sealing.tidy();
  await sync();
  expect(bytesUnder(join(kept, 'store'))).not.toContain('canary');
});
