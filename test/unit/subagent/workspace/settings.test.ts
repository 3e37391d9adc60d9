/** What runs and is fetched without a question is the person's to say, whatever a repository brings along. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { readSettings } from '../../../../src/fileSettings.ts';
import { effectiveValue } from '../../../../src/vscode/settingValues.ts';
import { folderWith } from './kit.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const config = (values: Record<string, unknown>) => ({ '.lodeline/config.json': JSON.stringify(values) });

function bothWays(key: string, own: unknown, theirs: unknown): readonly unknown[] {
  vi.stubEnv('HOME', folderWith(config({ [key]: own })));
  vi.stubEnv('USERPROFILE', process.env.HOME);
  onTestFinished(() => void vi.unstubAllEnvs());
  return [
    readSettings(folderWith(config({ [key]: theirs })), log).get(key),
    effectiveValue(key, { globalValue: own, workspaceValue: theirs }),
  ];
}

it.each([
  ['task.run.allow', ['npm test'], ['*'], ['npm test']],
  ['task.fetch.allow', [], ['evil.example'], []],
  ['task.run.mode', 'never', 'ask', 'never'],
  ['task.fetch.mode', 'never', 'ask', 'never'],
  ['task.run.mode', 'ask', 'never', 'never'],
  ['task.fetch.mode', 'ask', 'never', 'never'],
])('%s is %j of the person and %j of the folder: %j', (key, own, theirs, expected) => {
  expect(bothWays(key, own, theirs)).toEqual([expected, expected]);
});
