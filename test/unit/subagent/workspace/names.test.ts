import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  configuresPrograms,
  guardNames,
  isGitName,
  isOwnName,
  parsePath,
} from '../../../../src/subagent/workspace/names.ts';

describe('a path of a model', () => {
  it('is names below the folder, with either slash', () => {
    expect(parsePath('src/a.ts')).toEqual(['src', 'a.ts']);
    expect(parsePath('.\\src\\\\a.ts')).toEqual(['src', 'a.ts']);
    expect(parsePath('./a:b')).toEqual(process.platform === 'win32' ? expect.anything() : ['a:b']);
    expect(parsePath('')).toEqual([]);
    expect(parsePath('./')).toEqual([]);
    expect(parsePath('--output=x')).toEqual(['--output=x']);
    expect(parsePath('...')).toEqual(['...']);
  });

  it.each([
    '/etc/passwd',
    '\\windows\\system32',
    '//server/share/x',
    '\\\\server\\share',
    '\\\\?\\C:\\x',
    '\\\\.\\pipe\\x',
    'C:\\x',
    'c:x',
    'file:///etc/passwd',
    '~/x',
    '~',
    '..',
    'a/../../b',
    'a\\..\\b',
    'a/..',
    'a\0b',
    'a\nb',
    'a\u001Bb',
    'a\uD800b',
    'x'.repeat(5000),
  ])('is refused when it is %j', (path) => {
    expect(() => parsePath(path, 'linux')).toThrow(/relative to the workspace folder/);
    expect(() => parsePath(path, 'win32')).toThrow(/relative to the workspace folder/);
  });

  it.each([
    'a:stream',
    'a/b::$DATA',
    'CON',
    'nul.txt',
    'src/aux.c',
    'COM1',
    'com¹',
    'lpt9.log',
    'CONIN$',
    'a.',
    'a ',
    'x/. ./y',
    'a?b',
    'a|b',
    'a"b',
    '<a>',
  ])('is refused on Windows when it is %j', (path) => {
    expect(() => parsePath(path, 'win32')).toThrow();
  });

  it('never has a name that leads elsewhere, whatever is written', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      ':',
      'C:',
      '~',
      'a',
      '한',
      '\0',
      ' ',
      '...',
      'x.ts',
      '//',
    );
    const path = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.string(),
    );
    fc.assert(
      fc.property(path, fc.constantFrom('linux' as const, 'win32' as const), (text, platform) => {
        let names: readonly string[];
        try {
          names = parsePath(text, platform);
        } catch {
          return;
        }
        for (const name of names) {
          expect(name).not.toMatch(/[\\/\0]/);
          expect(['', '.', '..']).not.toContain(name);
          if (platform === 'win32') expect(name).not.toMatch(/:|[. ]$/);
        }
        // Elsewhere than on Windows a file may be called like a drive; behind `./` it is one.
        expect(names[0]).not.toBe('~');
      }),
      { numRuns: 2000 },
    );
  });
});

describe("git's folder", () => {
  it.each([
    '.git',
    '.GIT',
    '.Git',
    'GIT~1',
    'git~2',
    '.git.',
    '.git ',
    '.git. .',
    '.git::$INDEX_ALLOCATION',
    '.g\u200Cit',
    '\uFEFF.git',
    '.g\u00ADit',
    '．ｇｉｔ',
  ])('is recognised as %j', (name) => {
    expect(isGitName(name)).toBe(true);
    expect(() => guardNames([name], 'read')).toThrow(/git/);
    expect(() => guardNames(['sub', name, 'config'], 'write')).toThrow(/git/);
  });

  it.each(['.gitignore', '.github', 'git', 'x.git', '.gitattributes', 'git~', '.gitmodules'])(
    'is not %j',
    (name) => {
      expect(isGitName(name)).toBe(false);
      expect(() => guardNames([name], 'write')).not.toThrow();
    },
  );
});

describe('our folder', () => {
  it.each(['.lodeline', '.LodeLine', '.lodeline.', 'LODELI~1', '.lode\u200Bline'])(
    'is never written as %j',
    (name) => {
      expect(isOwnName(name)).toBe(true);
      expect(() => guardNames([name, 'agents', 'x.md'], 'write')).toThrow(/not written/);
      expect(() => guardNames([name, 'attachments', 'x'], 'read')).not.toThrow();
      expect(() => guardNames([name, 'Store', 'memory'], 'read')).toThrow(/memory tools/);
    },
  );
});

it('knows the files that make editors run something', () => {
  for (const path of [
    '.vscode/tasks.json',
    '.VSCODE/settings.json',
    'a.code-workspace',
    'x/.mcp.json',
    '.devcontainer/a',
  ])
    expect(configuresPrograms(path.split('/'))).toBe(true);
  for (const path of ['src/vscode/a.ts', 'vscode.md', '.vscodeignore'])
    expect(configuresPrograms(path.split('/'))).toBe(false);
});
