/** Work that puts folders where files were, and files where folders were: each process dies at each step of it. */
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { landTask } from '../../../src/subagent/landing.ts';
import { finishLandings } from '../../../src/subagent/landingFinish.ts';
import { revertLanding, undoLanding } from '../../../src/subagent/landingUndo.ts';
import { newRepo, open, put, snapshot } from '../git/repo.ts';
import { work } from './isolationSupport.ts';

const link = (root: string, path: string) => symlinkSync('elsewhere', join(root, path));

/** What the task does in the place called `x`; `z.txt` changes last of all. */
const SHAPES: Record<string, { was: (root: string) => void; becomes: (root: string) => void }> = {
  'a file becomes a folder': {
    was: (root) => put(root, { x: 'x\n' }),
    becomes: (root) => put(root, { 'x/one': '1\n', 'x/two': '2\n' }),
  },
  'a file becomes folders in folders': {
    was: (root) => put(root, { 'in/x': 'x\n' }),
    becomes: (root) => put(root, { 'in/x/deep/er/one': '1\n' }),
  },
  'a folder becomes a file': {
    was: (root) => put(root, { 'x/one': '1\n', 'x/two': '2\n' }),
    becomes: (root) => put(root, { x: 'x\n' }),
  },
  'folders in folders become a file': {
    was: (root) => put(root, { 'in/x/deep/er/one': '1\n', 'in/x/deep/two': '2\n' }),
    becomes: (root) => put(root, { in: 'x\n' }),
  },
  'folders in folders go': {
    was: (root) => put(root, { 'x/deep/er/one': '1\n' }),
    becomes: () => {},
  },
  'folders in folders come': {
    was: () => {},
    becomes: (root) => put(root, { 'x/deep/er/one': '1\n' }),
  },
  'a file becomes a link': {
    was: (root) => put(root, { x: 'x\n' }),
    becomes: (root) => link(root, 'x'),
  },
  'a folder becomes a link': {
    was: (root) => put(root, { 'x/one': '1\n', 'x/two': '2\n' }),
    becomes: (root) => link(root, 'x'),
  },
  'a folder becomes a link to one with an empty folder of the same name': {
    was(root) {
      put(root, { 'x/deep/one': '1\n' });
      mkdirSync(join(root, 'elsewhere/deep'), { recursive: true });
    },
    becomes: (root) => link(root, 'x'),
  },
  'a link becomes a folder': {
    was: (root) => link(root, 'x'),
    becomes: (root) => put(root, { 'x/one': '1\n', 'x/two': '2\n' }),
  },
};

/** Files with what is in them, and all folders: an empty one is a trace as well. */
function all(root: string) {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return { names: names.filter((name) => !/^\.git(\/|$)/.test(name)).sort(), files: snapshot(root) };
}

type State = ReturnType<typeof all>;

/** The same where the person went on in the file that is written last. */
const since = ({ names, files }: State): State => ({ names, files: { ...files, 'z.txt': '644 since\n' } });

async function prepared(shape: keyof typeof SHAPES) {
  const root = newRepo({ 'z.txt': 'z\n' });
  SHAPES[shape]?.was(root);
  const repository = await open(root);
  const delta = await work(repository, 'task', (path) => {
    for (const name of ['x', 'in']) rmSync(join(path, name), { recursive: true, force: true });
    SHAPES[shape]?.becomes(path);
    put(path, { 'z.txt': 'task\n' });
  });
  return { root, repository, delta };
}

/** The person's files, and what the store knows of landings, put aside and put back. */
function shelf(root: string, stateDir: string) {
  const places = { files: root, landings: join(stateDir, 'landings') };
  const copy = (from: string, to: string) => {
    const filter = (path: string) => path !== join(root, '.git');
    mkdirSync(from, { recursive: true });
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(to).filter((one) => one !== '.git'))
      rmSync(join(to, name), { recursive: true });
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter });
  };
  const kept = (name: string, what: string) => join(dirname(root), 'kept', name, what);
  return {
    save: (name: string) => Object.entries(places).map(([what, place]) => copy(place, kept(name, what))),
    restore: (name: string) => Object.entries(places).map(([what, place]) => copy(kept(name, what), place)),
  };
}

describe.each(Object.keys(SHAPES))('%s', (shape) => {
  it('wholly or not at all, whichever step fails or is the last of its process, and is undone so', async () => {
    const { root, repository, delta } = await prepared(shape);
    const { save, restore } = shelf(root, repository.stateDir);
    const before = all(root);
    save('before');
    const { status, landing = '' } = await landTask(repository, delta);
    expect(status).toBe('applied');
    const after = all(root);
    save('after');

    const failing = async (start: string, act: (step: () => void) => Promise<unknown>) => {
      for (let failAt = 1; ; failAt++) {
        const say = `${start}, step ${failAt}`;
        restore(start);
        let steps = 0;
        const step = () => {
          if (++steps !== failAt) return;
          save('dead');
          throw new Error('fails here');
        };
        await act(step).catch((error: unknown) => expect(String(error)).toContain('fails here'));
        if (steps < failAt) return failAt;
        expect([before, after], `${say} fails`).toContainEqual(all(root));
        restore('dead');
        for (const { outcome } of await finishLandings(repository)) expect(outcome, say).toBe('finished');
        expect([before, after], `${say} dies`).toContainEqual(all(root));
        restore('dead');
        put(root, { 'z.txt': 'since\n' });
        await finishLandings(repository);
        expect([before, after].map(since), `${say} dies, and a file is changed`).toContainEqual(all(root));
      }
    };
    await failing('before', (step) => landTask(repository, delta, { step }));
    await failing('after', (step) => undoLanding(repository, landing, { step }));
    restore('after');
    await undoLanding(repository, landing);
    expect(all(root)).toEqual(before);
    restore('after');
    put(root, { 'y.txt': 'since\n' });
    await revertLanding(repository, landing);
    expect(snapshot(root)).toEqual({ ...before.files, 'y.txt': '644 since\n' });
  });
});
