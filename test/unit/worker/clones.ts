/** Clones of one repository, each with a memory of its own that is kept as files. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FilesReport } from '../../../src/worker/filesApi.ts';
import { openTestStore, PERSON, START, temporaryFolder } from '../support/folder.ts';

const READER = { level: 'RESTRICTED' } as const;
const IDENTITY = [
  '-c',
  'user.name=Test',
  '-c',
  'user.email=test@localhost',
  '-c',
  'commit.gpgsign=false',
  '-c',
  'init.defaultBranch=main',
];

export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', [...IDENTITY, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Whether it went well. */
export function tries(folder: string, ...args: string[]): boolean {
  try {
    git(folder, ...args);
    return true;
  } catch {
    return false;
  }
}

/** A clone with a memory of its own. */
function cloneOf(origin: string) {
  const work = temporaryFolder();
  git(work, 'clone', '-q', origin, '.');
  const store = openTestStore(temporaryFolder(), { time: START }, { root: work });
  const dir = join(work, '.lodeline', 'memory');
  const sync = () => store.files.filesSync({ branch: 'main' });
  return {
    ...{ work, store, dir, sync },
    save: (key: string, content: string, replace = true) =>
      store.remember({ category: 'decision', key, content, tags: [], replace }, PERSON),
    /** Files of the memory, committed. */
    commit: async (): Promise<FilesReport> => {
      const report = await sync();
      git(work, 'add', '-A');
      tries(work, 'commit', '-q', '-m', 'memory');
      return report;
    },
    push: () => git(work, 'push', '-q', 'origin', 'HEAD:main'),
    /** Whether git could merge what the other has pushed. */
    pull: () => tries(work, 'pull', '-q', '--no-rebase', 'origin', 'main'),
    texts: async (key: string) => {
      const [entry] = await store.fetch([key], READER, false);
      return [entry?.content, ...(entry?.revisions ?? []).map(({ text }) => text)];
    },
    read: (name: string) => readFileSync(join(dir, name), 'utf8'),
  };
}

export async function twoClones() {
  const origin = temporaryFolder();
  git(origin, 'init', '-q', '--bare', '-b', 'main');
  const a = cloneOf(origin);
  await a.save('port', 'The server listens on 8080');
  await a.save('배포', '금요일에는 배포하지 않는다');
  await a.commit();
  a.push();
  const b = cloneOf(origin);
  await b.commit();
  return { a, b };
}
