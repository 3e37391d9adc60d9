import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RulePlace } from '../../../src/policy/filePaths.ts';
import { levelOfPaths, levelOfTool, readRules } from '../../../src/policy/fileRules.ts';
import { linksOn, realPathOf } from '../../../src/policy/realPath.ts';
import { temporaryFolder } from '../support/folder.ts';

const PLACE: RulePlace = {
  workTree: '/repo/app',
  cwd: '/repo/app/src',
  home: '/home/me',
  isWindows: false,
  realPath: () => undefined,
  linksOn: () => [],
};
const WINDOWS: RulePlace = {
  ...PLACE,
  workTree: 'C:\\repo\\app',
  cwd: 'C:\\repo\\app\\src',
  home: 'C:\\Users\\me',
  isWindows: true,
};

function levelOf(files: unknown, path: string, place: RulePlace = PLACE) {
  return levelOfPaths(readRules(files, undefined, place.home), [path], place)?.level;
}

describe('rules for files', () => {
  it.each([
    ['secrets/**', '/repo/app/secrets/plan.md', true],
    ['secrets/**', '../secrets/plan.md', true],
    ['secrets/**', '../secrets', true],
    ['secrets/**', '../secrets/', true],
    ['secrets', '../secrets/a/b', true],
    ['secrets/', '../secrets/a/b', true],
    ['./secrets/**', '../secrets/a', true],
    ['secrets/**', '../secrets-not/plan.md', false],
    ['secrets/**', 'secrets/plan.md', false],
    ['secrets/**', '../lib/../secrets/plan.md', true],
    ['secrets/**', '../secrets/../plan.md', false],
    ['secrets/**', './/..//secrets//plan.md', true],
    ['secrets/**', '..\\secrets\\plan.md', true],
    ['secrets\\**', '../secrets/plan.md', true],
    ['SECRETS/**', '../secrets/Plan.MD', true],
    ['secrets/**', '../Secrets/plan.md', true],
    ['secrets/.*', '../secrets/.env', true],
    ['*.pem', '../deep/er/key.pem', true],
    ['*.pem', '/etc/ssl/key.PEM', true],
    ['**/.env', '.env', true],
    ['**/.env', '/somewhere/else/.env', true],
    ['**/.env', '../.env', true],
    ['.env*', '../.env.local', true],
    ['docs/*.md', '/other/docs/a.md', false],
    ['/etc/**', '/etc/passwd', true],
    ['/etc/**', '../etc/passwd', false],
    ['/etc/**', '/etc/../usr/x', false],
    ['/etc/**', '../../../etc/passwd', true],
    ['~/.ssh/**', '/home/me/.ssh/id', true],
    ['~/.ssh/**', '~/.ssh/id', true],
    ['~/.ssh', 'file:///home/me/.ssh/id%5Frsa', true],
    ['secrets/**', 'file:///repo/app/secrets/a%20b', true],
    ['secrets/**', 'file:///repo/app/secrets/100%.md', true],
    ['secrets/**', 'vscode-notebook-cell:/repo/app/secrets/a.ipynb#W0', true],
    ['secrets/**', 'git:/repo/app/secrets/a.md?%7B%7D', true],
    ['secrets/**', 'vscode-remote://ssh-remote%2Bhost/repo/app/secrets/a.md', true],
    ['비밀/**', '../비밀/계획.md'.normalize('NFD'), true],
    ['비밀/**'.normalize('NFD'), '../비밀/계획.md', true],
    ['{a,b}/**', '../b/x', true],
    ['!secrets/**', '../src/a.ts', false],
    ['#hash/**', '../#hash/a', true],
    ['**', '/repo/app/any', true],
    ['**', '/repo/app', true],
    ['**', '/elsewhere', false],
    ['secrets/**', '', false],
    ['secrets/**', '../secrets/\0', false],
  ])('%j and %j: %s', (pattern, path, matches) => {
    expect(levelOf({ [pattern]: 'CONFIDENTIAL' }, path)).toBe(matches ? 'CONFIDENTIAL' : undefined);
  });

  it.each([
    ['secrets/**', 'C:\\repo\\app\\secrets\\plan.md', true],
    ['secrets/**', 'c:/REPO/app/Secrets/plan.md', true],
    ['secrets/**', '\\\\?\\C:\\repo\\app\\secrets\\plan.md', true],
    ['secrets/**', '/c:/repo/app/secrets/plan.md', true],
    ['secrets/**', 'file:///c%3A/repo/app/secrets/plan.md', true],
    ['secrets/**', 'vscode-notebook-cell:/c%3A/repo/app/secrets/plan.ipynb#W0', true],
    ['secrets/**', '..\\secrets\\plan.md', true],
    ['secrets/plan.md', '..\\secrets\\plan.md::$DATA', true],
    ['secrets/plan.md', '..\\secrets\\plan.md. ', true],
    ['secrets/plan.md', '..\\secrets. \\plan.md', true],
    ['C:\\Keys\\**', 'c:\\keys\\a', true],
    ['C:/Keys/**', 'd:\\keys\\a', false],
    ['~/.ssh/**', 'C:\\Users\\me\\.ssh\\id', true],
    ['~\\.ssh\\**', 'C:\\Users\\ME\\.ssh\\id', true],
    ['//server/share/**', '\\\\server\\share\\a', true],
    ['//server/share/**', '\\\\?\\UNC\\server\\share\\a', true],
  ])('on Windows %j and %j: %s', (pattern, path, matches) => {
    expect(levelOf({ [pattern]: 'CONFIDENTIAL' }, path, WINDOWS)).toBe(matches ? 'CONFIDENTIAL' : undefined);
  });

  it('follows links, into what is protected and out of it', () => {
    const root = realpathSync(temporaryFolder());
    const outside = realpathSync(temporaryFolder());
    for (const folder of ['secrets', 'open']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'secrets', 'plan.md'), '');
    writeFileSync(join(outside, 'x.md'), '');
    symlinkSync(join(root, 'secrets'), join(root, 'open', 'way'));
    symlinkSync(join(outside, 'x.md'), join(root, 'secrets', 'link.md'));
    symlinkSync(root, join(outside, 'app'));
    const realPath = (path: string) => {
      try {
        return realpathSync(path);
      } catch {
        return undefined;
      }
    };
    const files = { 'secrets/**': 'CONFIDENTIAL' };
    const place = { ...PLACE, workTree: root, cwd: root, realPath };
    for (const path of ['open/way/plan.md', 'secrets/link.md', join(outside, 'app', 'secrets', 'plan.md')])
      expect(levelOf(files, path, place), path).toBe('CONFIDENTIAL');
    expect(levelOf(files, 'secrets/plan.md', { ...place, workTree: join(outside, 'app'), cwd: root })).toBe(
      'CONFIDENTIAL',
    );
    expect(levelOf(files, join(outside, 'x.md'), place)).toBeUndefined();
  });

  it.each([
    ['over a protected folder on to another', 'open/way/annexed.md', true],
    ['over one where the work tree is behind a link itself', '../linked/open/way/annexed.md', true],
    ['into a folder and up from where it really is', 'open/deep/../plan.md', true],
    ['into a folder and up as most programs see it', 'open/none/../way/plan.md', true],
    ['past it', 'open/deep/../../open/a.md', false],
    ['nowhere', 'open/round/a.md', false],
  ])('follows links that lead %s', (_, path, isCovered) => {
    const root = join(realpathSync(temporaryFolder()), 'app');
    for (const folder of ['secrets/deep', 'open', 'annex'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const file of ['secrets/plan.md', 'annex/x', 'open/a.md']) writeFileSync(join(root, file), '');
    symlinkSync('../secrets', join(root, 'open', 'way'));
    symlinkSync('../annex/x', join(root, 'secrets', 'annexed.md'));
    symlinkSync('../secrets/deep', join(root, 'open', 'deep'));
    symlinkSync('round', join(root, 'open', 'round'));
    symlinkSync('app', join(root, '..', 'linked'));
    for (const workTree of [root, join(root, '..', 'linked')]) {
      const place = { ...PLACE, workTree, cwd: root, realPath: realPathOf, linksOn };
      expect(levelOf({ 'secrets/**': 'CONFIDENTIAL' }, path, place)).toBe(
        isCovered ? 'CONFIDENTIAL' : undefined,
      );
    }
  });

  it('takes the highest of all rules and paths, whatever their order, and names the rule', () => {
    const rules = readRules(
      { '**/*.md': 'INTERNAL', 'secrets/**': 'RESTRICTED', 'secrets/plan.md': 'PUBLIC' },
      undefined,
      '',
    );
    expect(levelOfPaths(rules, ['../a.md', '../secrets/plan.md', '../b.md'], PLACE)).toEqual({
      level: 'RESTRICTED',
      rule: 'file:secrets/**',
    });
    expect(levelOfPaths(rules, ['a.md', 'c.ts'], PLACE)).toEqual({ level: 'INTERNAL', rule: 'file:**/*.md' });
    expect(levelOfPaths(rules, ['c.ts'], PLACE)).toBeUndefined();
  });

  it('says what is wrong with the settings, and lowers nothing for it', () => {
    const { files, problems } = readRules({ 'a/**': 'confidential', '': 'PUBLIC', 'b/**': null }, [], '');
    expect(files.map(({ pattern, level }) => [pattern, level])).toEqual([
      ['a/**', 'RESTRICTED'],
      ['b/**', 'RESTRICTED'],
    ]);
    expect(problems).toHaveLength(3);
    expect(readRules(undefined, null, '').problems).toEqual([]);
  });
});

describe('rules that come from anybody', () => {
  it.each([
    ['braces that stand for millions', '{a,b}'.repeat(25)],
    ['a range without end', '{1..100000000}'],
    ['longer than patterns may be', `${'x'.repeat(70_000)}/**`],
  ])('cover every file where they cannot be read: %s', (_, pattern) => {
    const rules = readRules({ [pattern]: 'INTERNAL' }, undefined, '');
    expect(rules.problems).toHaveLength(1);
    expect(levelOfPaths(rules, ['/elsewhere/a'], PLACE)?.level).toBe('INTERNAL');
  });

  it('are asked again where a link leads elsewhere than before', () => {
    const rules = readRules({ 'secrets/**': 'CONFIDENTIAL' }, undefined, '');
    let target = '/repo/app/open/a';
    const place = { ...PLACE, realPath: (path: string) => (path === PLACE.workTree ? path : target) };
    expect(levelOfPaths(rules, ['way'], place)).toBeUndefined();
    target = '/repo/app/secrets/a';
    expect(levelOfPaths(rules, ['way'], place)?.level).toBe('CONFIDENTIAL');
  });
});

describe('rules for tools', () => {
  it.each([
    ['mcp_drive_*', 'mcp_drive_read', true],
    ['mcp_drive_*', 'MCP_Drive_Read', true],
    ['mcp_drive_*', 'my_mcp_drive_read', false],
    ['*drive*', 'my_mcp_drive_read', true],
    ['fetch', 'fetch', true],
    ['fetch', 'fetcher', false],
    ['f.tch', 'fetch', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['**', 'any', true],
    // Whoever goes back at each star would not come to an end here.
    [`${'*a'.repeat(60)}*b`, 'a'.repeat(200), false],
  ])('%j and %j: %s', (pattern, name, matches) => {
    const rules = readRules(undefined, { [pattern]: 'INTERNAL' }, '');
    expect(levelOfTool(rules, name)).toEqual(
      matches ? { level: 'INTERNAL', rule: `tool:${pattern}` } : undefined,
    );
  });
});
