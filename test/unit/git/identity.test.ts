/** What a repository is called, wherever it was cloned to. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryName } from '../../../src/git/identity.ts';
import { temporaryFolder } from '../support/folder.ts';

function named(config: string | undefined, folder = 'my-clone', bare = false) {
  const workTree = join(temporaryFolder(), folder);
  const commonDir = bare ? `${workTree}.git` : join(workTree, '.git');
  mkdirSync(commonDir, { recursive: true });
  mkdirSync(workTree, { recursive: true });
  if (config !== undefined) writeFileSync(join(commonDir, 'config'), config);
  return repositoryName({ workTree, gitDir: commonDir, commonDir });
}

const origin = (url: string) => `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n\tfetch = x\n`;

describe('the name of a repository', () => {
  test.each([
    'https://github.com/acme/rocket.git',
    'https://github.com/acme/rocket/',
    'https://user:ghp_secret@github.com/acme/rocket.git',
    'git@github.com:acme/rocket.git',
    'ssh://git@github.com:22/acme/rocket.git',
    '/srv/git/acme/rocket.git',
    '"https://github.com/acme/rocket"',
  ])('is where origin leads: %s', (url) => {
    expect(named(origin(url))).toBe('acme-rocket');
  });

  test('is the folder of its first work tree without one', () => {
    expect(named(undefined)).toBe('my-clone');
    expect(named('[remote "upstream"]\n\turl = https://github.com/acme/rocket\n')).toBe('my-clone');
    expect(named('[remote "origin"]\n\tfetch = x\n[remote "b"]\n\turl = https://h/acme/rocket\n')).toBe(
      'my-clone',
    );
    expect(named(undefined, '로켓'.normalize('NFD'))).toBe('로켓'.normalize('NFC'));
  });
});
