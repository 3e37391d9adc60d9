import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { historySince } from '../../../src/git/history.ts';
import { findGit } from '../../../src/git/layout.ts';
import { temporaryFolder } from '../support/folder.ts';

it.each(['loose', 'packed'])(
  'the commits since a moment are there when the repository is %s',
  async (how) => {
    const root = temporaryFolder();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@example.com', ...args], { cwd: root });
    git('init', '-q');
    for (const name of ['하나.ts', 'two.ts']) {
      writeFileSync(join(root, name), name);
      git('add', '.');
      git('commit', '-q', '-m', `add ${name}`);
    }
    if (how === 'packed') {
      git('pack-refs', '--all');
      git('gc', '-q', '--prune=now');
    }
    const { commits, files } = await historySince(findGit(root), 0);
    expect(commits.map(({ subject }) => subject)).toEqual(['add two.ts', 'add 하나.ts']);
    expect(files.toSorted()).toEqual(['two.ts', '하나.ts']);
    expect(await historySince(findGit(root), Date.now() + 60_000)).toEqual({ commits: [], files: [] });
  },
);
