/** Clones that are worked on, merged and resolved in any order: no clone loses a text that it ever had. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sidesOf } from '../../../src/memory/markdownConflict.ts';
import { git, tries, twoClones } from '../../unit/worker/clones.ts';
import { randomFrom } from '../journal/common.ts';

const SOAK = process.env.LODELINE_SOAK === '1';
const SEEDS = SOAK ? Array.from({ length: 10 }, (_, at) => at + 1) : [1, 2];
const STEPS = SOAK ? 60 : 14;
const KEYS = ['port', '배포', 'cache', '캐시 만료', 'Deploy', 'deploy!'];

it.each(SEEDS)('seed %i', async (seed) => {
  const { a, b } = await twoClones();
  const random = randomFrom(seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const had = new Map([
    [a, new Set<string>()],
    [b, new Set<string>()],
  ]);
  const files = (clone: typeof a) =>
    readdirSync(clone.dir).filter((name) => name.endsWith('.md') && name !== 'MEMORY.md');
  const isConflicted = (clone: typeof a) => git(clone.work, 'diff', '--name-only', '--diff-filter=U') !== '';

  const settle = async (clone: typeof a): Promise<void> => {
    await clone.sync();
    // Whatever way each is resolved.
    for (const name of git(clone.work, 'diff', '-z', '--name-only', '--diff-filter=U')
      .split('\0')
      .filter(Boolean))
      if (!tries(clone.work, 'checkout', pick(['--ours', '--theirs']), '--', name))
        rmSync(join(clone.work, name), { force: true });
    await clone.commit();
  };

  for (let step = 0; step < STEPS; step++) {
    const clone = pick([a, b]);
    const text = `Text ${seed}.${step}`;
    const act = pick(['save', 'save', 'edit', 'delete', 'rename', 'share', 'share'] as const);
    const name = pick(files(clone).length > 0 ? files(clone) : ['new.md']);
    const path = join(clone.dir, name);
    if (act === 'save') {
      await clone.save(pick(KEYS), text, random() < 0.7);
      had.get(clone)?.add(text);
    } else if (act === 'edit') {
      const before = files(clone).includes(name) ? readFileSync(path, 'utf8') : '';
      const front = /^---\n[\s\S]*?\n---\n/.exec(before)?.[0] ?? '';
      writeFileSync(path, `${front}\n${text}\n`);
      had.get(clone)?.add(text);
    } else if (act === 'delete') rmSync(path, { force: true });
    else if (act === 'rename' && files(clone).includes(name)) {
      writeFileSync(join(clone.dir, `moved ${step}.md`), readFileSync(path));
      rmSync(path);
    } else if (act === 'share') {
      await clone.commit();
      clone.pull();
      if (isConflicted(clone)) await settle(clone);
      await clone.commit();
      tries(clone.work, 'push', '-q', 'origin', 'HEAD:main');
    }
    await clone.sync();
    // What its files said when they were looked at is its own from then on.
    for (const each of files(clone)) {
      const whole = readFileSync(join(clone.dir, each), 'utf8');
      for (const side of sidesOf(whole) ?? [whole])
        for (const found of side.match(/^Text \d+\.\d+$/gm) ?? []) had.get(clone)?.add(found);
    }
    for (const [each, texts] of had) {
      const kept = JSON.stringify(await each.store.exportAll({ level: 'RESTRICTED' }));
      const lost = [...texts].filter((found) => !new RegExp(`${found}(?!\\d)`).test(kept));
      expect(lost, `after step ${step} (${act})`).toEqual([]);
    }
  }
  // Once both have everything, both are the same.
  for (const clone of [a, b, a, b]) {
    await clone.commit();
    clone.pull();
    if (isConflicted(clone)) await settle(clone);
    await clone.commit();
    tries(clone.work, 'push', '-q', 'origin', 'HEAD:main');
  }
  expect(files(a)).toEqual(files(b));
  for (const name of files(a)) expect(a.read(name), name).toBe(b.read(name));
  expect(a.read('MEMORY.md')).toBe(b.read('MEMORY.md'));
  for (const clone of [a, b]) expect(git(clone.work, 'status', '--porcelain')).toBe('');
});
