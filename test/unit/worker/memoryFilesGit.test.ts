/** Memory that two clones share through git: whatever they do, every text is there. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PERSON } from '../support/folder.ts';
import { git, tries, twoClones } from './clones.ts';

describe('two clones', () => {
  test('that add different entries merge by themselves, the index as well', async () => {
    const { a, b } = await twoClones();
    await a.save('alpha', 'Of the one');
    await b.save('zulu', 'Of the other');
    await b.save('캐시', '60초');
    await a.commit();
    a.push();
    await b.commit();
    expect(b.pull()).toBe(true);
    await b.commit();
    b.push();
    expect(a.pull()).toBe(true);
    await a.commit();
    for (const clone of [a, b]) {
      expect(readdirSync(clone.dir).filter((name) => !name.startsWith('.'))).toEqual([
        'MEMORY.md',
        'alpha.md',
        'port.md',
        'zulu.md',
        '배포.md',
        '캐시.md',
      ]);
      expect(await clone.texts('alpha')).toEqual(['Of the one']);
      expect(await clone.texts('zulu')).toEqual(['Of the other']);
      expect(await clone.texts('캐시')).toEqual(['60초']);
      expect(clone.read('MEMORY.md').match(/^- /gm)).toHaveLength(5);
    }
    expect(a.read('MEMORY.md')).toBe(b.read('MEMORY.md'));
    expect(git(a.work, 'status', '--porcelain')).toBe('');
  });

  describe.each(['a first', 'b first'])('that change the same entry, %s', (order) => {
    test.each(['--ours', '--theirs', 'by hand'])('resolved with %s', async (way) => {
      const { a, b } = await twoClones();
      const [first, second] = order === 'a first' ? [a, b] : [b, a];
      await first.save('port', 'It listens on 9090');
      await second.save('port', 'It listens on 7070');
      await first.commit();
      first.push();
      await second.commit();
      expect(second.pull()).toBe(false);

      const conflicted = second.read('port.md');
      const report = await second.sync();
      expect(report.problems).toMatchObject([{ kind: 'conflict', file: 'port.md' }]);
      expect(second.read('port.md')).toBe(conflicted);
      expect((await second.texts('port'))[0]).toBe('It listens on 7070');
      expect(second.read('MEMORY.md')).not.toMatch(/^[<=>]{7}/m);
      // Looking at it again keeps nothing twice.
      const before = await second.texts('port');
      await second.sync();
      expect(await second.texts('port')).toEqual(before);

      if (way === 'by hand')
        writeFileSync(join(second.dir, 'port.md'), '---\nname: port\n---\n\nIt listens on both\n');
      else git(second.work, 'checkout', way, '--', '.lodeline/memory/port.md');
      await second.commit();
      second.push();
      expect(first.pull()).toBe(true);
      await first.commit();

      const every = ['The server listens on 8080', 'It listens on 9090', 'It listens on 7070'];
      expect(await second.texts('port')).toEqual(expect.arrayContaining(every));
      const content = { '--ours': every[2], '--theirs': every[1], 'by hand': 'It listens on both' }[way];
      for (const clone of [first, second]) expect((await clone.texts('port'))[0]).toBe(content);
      expect(await first.texts('port')).toEqual(expect.arrayContaining([every[0], every[1]]));
      expect(await first.sync()).toMatchObject({ problems: [], changed: [] });
    });
  });

  test('that write the same new key: the file holds both until somebody decides', async () => {
    const { a, b } = await twoClones();
    await a.save('cache', 'Redis');
    await b.save('cache', 'Memcached');
    await a.commit();
    a.push();
    await b.commit();
    expect(b.pull()).toBe(false);
    await b.sync();
    expect((await b.texts('cache')).sort()).toEqual(['Memcached', 'Redis']);
  });

  test('whose different keys have the same file name keep both', async () => {
    const { a, b } = await twoClones();
    await a.save('Deploy', 'With make');
    await b.save('deploy!', 'With ninja');
    await a.commit();
    a.push();
    await b.commit();
    expect(b.pull()).toBe(false);
    await b.sync();
    expect(await b.texts('Deploy')).toEqual(['With make']);
    expect(await b.texts('deploy!')).toEqual(['With ninja']);
    git(b.work, 'checkout', '--theirs', '--', '.lodeline/memory/deploy.md');
    // The own one is asked about by nobody: its file is gone, so it is forgotten, and can be restored.
    await b.commit();
    b.push();
    expect(a.pull()).toBe(true);
    await a.commit();
    expect(await b.texts('deploy!')).toEqual(['With ninja']);
    for (const clone of [a, b]) expect(await clone.texts('Deploy')).toEqual(['With make']);
  });

  test.each(['diff3', 'zdiff3'])(
    'with marks that tell of the base, too (%s), keep both texts alone',
    async (style) => {
      const { a, b } = await twoClones();
      git(b.work, 'config', 'merge.conflictStyle', style);
      await a.save('port', 'It listens on 9090');
      await b.save('port', 'It listens on 7070');
      await a.commit();
      a.push();
      await b.commit();
      expect(tries(b.work, 'pull', '-q', '--no-rebase', 'origin', 'main')).toBe(false);
      expect(b.read('port.md')).toContain('|||||||');
      await b.sync();
      expect((await b.texts('port')).sort()).toEqual([
        'It listens on 7070',
        'It listens on 9090',
        'The server listens on 8080',
      ]);
    },
  );

  test('one edits a file of, and leaves the description of the old text in it, say the same', async () => {
    const { a, b } = await twoClones();
    await a.save('new', 'Of a text that nobody else ever had');
    await a.sync();
    const file = join(a.dir, 'new.md');
    const text = a.read('new.md').replace('\nOf a text that nobody else ever had\n', '\nBy hand\n');
    writeFileSync(file, text);
    expect(text).toContain('description: Of a text');
    await a.commit();
    expect(a.read('new.md')).toContain('description: By hand\n');
    a.push();
    expect(b.pull()).toBe(true);
    await b.commit();
    for (const clone of [a, b]) expect((await clone.texts('new'))[0]).toBe('By hand');
  });

  test('with a rebase instead of a merge keep both texts', async () => {
    const { a, b } = await twoClones();
    await a.save('port', 'It listens on 9090');
    await b.save('port', 'It listens on 7070');
    await b.save('캐시', '60초');
    await a.commit();
    a.push();
    await b.commit();
    expect(tries(b.work, 'pull', '-q', '--rebase', 'origin', 'main')).toBe(false);
    await b.sync();
    git(b.work, 'checkout', '--theirs', '--', '.lodeline/memory/port.md');
    await b.sync();
    git(b.work, 'add', '-A');
    git(b.work, '-c', 'core.editor=true', 'rebase', '--continue');
    await b.commit();
    b.push();
    expect(a.pull()).toBe(true);
    await a.commit();
    for (const clone of [a, b]) {
      expect(await clone.texts('port')).toEqual(
        expect.arrayContaining(['It listens on 9090', 'It listens on 7070']),
      );
      expect(await clone.texts('캐시')).toEqual(['60초']);
    }
  });

  test('one edits what the other deletes: the edit wins and nothing is lost', async () => {
    const { a, b } = await twoClones();
    await a.store.forget({ target: 'port', action: 'soft' }, PERSON);
    await a.commit();
    a.push();
    await b.save('port', 'It listens on 7070');
    await b.commit();
    expect(b.pull()).toBe(false);
    await b.sync();
    expect((await b.texts('port'))[0]).toBe('It listens on 7070');
    await b.commit();
    b.push();
    expect(a.pull()).toBe(true);
    expect((await a.commit()).restored).toEqual(['port']);
    expect((await a.texts('port'))[0]).toBe('It listens on 7070');
  });

  test('a deleted entry is forgotten in the other one, and not deleted for good', async () => {
    const { a, b } = await twoClones();
    await a.store.forget({ target: 'port', action: 'soft' }, PERSON);
    await a.commit();
    a.push();
    b.pull();
    expect((await b.sync()).forgotten).toEqual(['port']);
    expect((await b.texts('port'))[0]).toBe('The server listens on 8080');
  });
});

describe('branches', () => {
  test('whose files go and come back leave the memory as it was', async () => {
    const { a } = await twoClones();
    git(a.work, 'checkout', '-q', '-b', 'other');
    await a.save('only-there', 'Of the branch');
    await a.commit();
    git(a.work, 'checkout', '-q', 'main');
    expect((await a.sync()).forgotten).toEqual(['only-there']);
    git(a.work, 'checkout', '-q', 'other');
    expect((await a.sync()).restored).toEqual(['only-there']);
    expect(await a.texts('only-there')).toEqual(['Of the branch']);
    expect(git(a.work, 'status', '--porcelain')).toBe('');
  });

  test('without the folder ask before anything is forgotten', async () => {
    const { a } = await twoClones();
    git(a.work, 'checkout', '-q', '--orphan', 'empty');
    git(a.work, 'rm', '-rfq', '.');
    expect(await a.sync()).toMatchObject({ missing: ['port', '배포'], forgotten: [], written: [] });
    mkdirSync(a.dir, { recursive: true });
    git(a.work, 'checkout', '-qf', 'main');
    expect(await a.sync()).toMatchObject({ missing: [], forgotten: [], changed: [], created: [] });
  });
});
