import { expect, test } from 'vitest';
import { effectiveValue } from '../../../src/vscode/settingValues.ts';

const LEVEL = 'classification.defaultLevel';

test('the nearest value counts where no policy is touched', () => {
  expect(effectiveValue('tools.profile', undefined)).toBeUndefined();
  expect(effectiveValue('tools.profile', { defaultValue: 'core' })).toBe('core');
  expect(effectiveValue('tools.profile', { defaultValue: 'core', globalValue: 'full' })).toBe('full');
  expect(
    effectiveValue('vocab', {
      globalValue: { a: [] },
      workspaceValue: { b: [] },
      workspaceFolderValue: { c: [] },
    }),
  ).toEqual({ c: [] });
});

test('levels are the person’s own: a workspace neither raises nor lowers them', () => {
  expect(effectiveValue(LEVEL, { defaultValue: 'PUBLIC', workspaceValue: 'RESTRICTED' })).toBe('PUBLIC');
  expect(effectiveValue(LEVEL, { globalValue: 'CONFIDENTIAL', workspaceFolderValue: 'PUBLIC' })).toBe(
    'CONFIDENTIAL',
  );
  expect(
    effectiveValue('classification.unobservedLevel', {
      defaultValue: 'default',
      workspaceValue: 'RESTRICTED',
    }),
  ).toBe('default');
});

test('a workspace can deny what the person allowed, and not allow it', () => {
  const key = 'approval.unattended';
  expect(effectiveValue(key, { defaultValue: 'deny', workspaceValue: 'allow' })).toBe('deny');
  expect(effectiveValue(key, { globalValue: 'allow', workspaceValue: 'deny' })).toBe('deny');
});

test('a workspace can end capturing, and not begin it', () => {
  const key = 'memory.capture.enabled';
  expect(effectiveValue(key, { defaultValue: false, workspaceValue: true })).toBe(false);
  expect(effectiveValue(key, { defaultValue: false, workspaceFolderValue: true })).toBe(false);
  expect(effectiveValue(key, { globalValue: true, workspaceValue: false })).toBe(false);
  expect(effectiveValue(key, { globalValue: true })).toBe(true);
});
