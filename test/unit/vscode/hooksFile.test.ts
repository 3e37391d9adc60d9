import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import {
  hookCommand,
  hookFileOf,
  hookFileText,
  isOurs,
  readHookFile,
  removeHookFile,
  writeHookFile,
} from '../../../src/vscode/hooksFile.ts';
import { temporaryFolder } from '../support/folder.ts';

function withFile(text: string): string {
  const root = temporaryFolder();
  mkdirSync(dirname(hookFileOf(root)), { recursive: true });
  writeFileSync(hookFileOf(root), text);
  return root;
}

it('is written, read, written again and removed with the folders that were made for it', () => {
  const root = temporaryFolder();
  expect(readHookFile(root).state).toBe('missing');
  writeHookFile(root);
  writeHookFile(root);
  expect(readHookFile(root)).toEqual({ state: 'ours', text: hookFileText() });
  expect(Object.keys(JSON.parse(hookFileText()).hooks)).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'Stop',
  ]);
  expect(removeHookFile(root)).toBe(true);
  expect(removeHookFile(root)).toBe(false);
  expect(readdirSync(root)).toEqual([]);
});

it('leaves others’ files and folders', () => {
  const root = withFile(hookFileText());
  writeFileSync(join(root, '.github', 'CODEOWNERS'), '');
  expect(removeHookFile(root)).toBe(true);
  expect(readdirSync(join(root, '.github'))).toEqual(['CODEOWNERS']);
});

it.each([
  '',
  '{',
  '{}',
  '{"hooks":{}}',
  '{"hooks":{"Stop":[{"type":"command","command":"rm -rf /"}]}}',
  hookFileText().replace(
    '"hooks": {',
    '"hooks": { "SubagentStop": [{ "type": "command", "command": "mine" }],',
  ),
])('neither writes over nor removes a file that is somebody else’s: %j', (text) => {
  const root = withFile(text);
  expect(isOurs(text)).toBe(false);
  expect(() => writeHookFile(root)).toThrow(/somebody else/);
  expect(removeHookFile(root)).toBe(false);
  expect(readFileSync(hookFileOf(root), 'utf8')).toBe(text);
});

it.each(['.github', '.github/hooks', '.github/hooks/lodeline.json'])(
  'does not follow a link at %s',
  (part) => {
    const root = temporaryFolder();
    const elsewhere = temporaryFolder();
    mkdirSync(dirname(join(root, part)), { recursive: true });
    symlinkSync(elsewhere, join(root, part));
    expect(() => writeHookFile(root)).toThrow(/is a link/);
    expect(() => removeHookFile(root)).toThrow(/is a link/);
    expect(readdirSync(elsewhere)).toEqual([]);
  },
);

it('runs what is there and nothing else, on each platform', () => {
  expect(hookCommand('linux')).toBe(
    'test ! -x "$HOME/.lodeline/bin/lodeline-hook" || "$HOME/.lodeline/bin/lodeline-hook"',
  );
  expect(hookCommand('win32')).toBe(
    'if (Test-Path "$env:USERPROFILE\\.lodeline\\bin\\lodeline-hook.cmd") { & "$env:USERPROFILE\\.lodeline\\bin\\lodeline-hook.cmd" }',
  );
});
