import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readSettings } from '../../../src/fileSettings.ts';
import { newPlace } from './support.ts';

function settings(own: object, folder: object) {
  const { home, root } = newPlace();
  vi.stubEnv('HOME', home);
  vi.stubEnv('USERPROFILE', home);
  for (const [base, values] of [
    [home, own],
    [root, folder],
  ] as const) {
    mkdirSync(join(base, '.lodeline'));
    writeFileSync(join(base, '.lodeline', 'config.json'), `\uFEFF${JSON.stringify(values)}`);
  }
  const fail = (message: string) => {
    throw new Error(message);
  };
  return readSettings(root, { info: fail, warn: fail, error: fail });
}

test("the folder's value wins over the person's", () => {
  const { get } = settings(
    { 'task.simple': 'independent', 'memory.files': true },
    { 'task.simple': 'brief' },
  );
  expect(get('task.simple')).toBe('brief');
  expect(get('memory.files')).toBe(true);
  expect(get('toString')).toBeUndefined();
});

test("memory.files: the folder's file cannot turn it on", () => {
  const key = 'memory.files';
  expect(settings({}, { [key]: true }).get(key)).toBeUndefined();
  expect(settings({ [key]: true }, {}).get(key)).toBe(true);
  expect(settings({ [key]: true }, { [key]: false }).get(key)).toBe(false);
});

test("approval.unattended: the folder's file can only take it away", () => {
  const key = 'approval.unattended';
  expect(settings({}, { [key]: 'allow' }).get(key)).toBeUndefined();
  expect(settings({ [key]: 'allow' }, {}).get(key)).toBe('allow');
  expect(settings({ [key]: 'allow' }, { [key]: 'deny' }).get(key)).toBe('deny');
});
