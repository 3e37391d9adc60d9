/** What the person set about the memory server, and where the environment wins. */
import { describe, expect, test } from 'vitest';
import {
  bankAt,
  banksUpTo,
  isServerUrl,
  readBackendSettings,
  slugOf,
} from '../../../src/memory/hindsight/settings.ts';

const read = (values: Record<string, unknown>, env: Record<string, string> = {}) =>
  readBackendSettings({ get: (key) => values[key] }, env, 'INTERNAL');

describe('settings', () => {
  test('have defaults, also in the place of what is none of the choices', () => {
    const defaults = {
      ...{ kind: 'local', url: 'http://localhost:8888', bankId: 'lodeline', prefix: '' },
      ...{ scoping: 'per-project-tagged', byRepository: false, autoRecall: false, autoRetain: false },
      ...{ budget: 'mid', maxTokens: 1024, types: ['world', 'experience'], retainEveryTurns: 3 },
      ...{ models: true, seedModels: true, maxLevel: 'INTERNAL' },
    };
    expect(read({})).toMatchObject(defaults);
    const wrong = {
      ...{ 'memory.backend': 'cloud', 'hindsight.scoping': 3, 'hindsight.recallBudget': 'most' },
      ...{ 'hindsight.recallMaxTokens': -1, 'hindsight.recallTypes': 'world', 'hindsight.autoRecall': 'yes' },
      ...{ 'hindsight.maxLevel': 'secret', 'hindsight.retainEveryNTurns': 0.5, 'hindsight.apiUrl': ' ' },
    };
    expect(read(wrong)).toMatchObject(defaults);
  });

  test('of the environment win, where they say anything', () => {
    const values = { 'hindsight.apiUrl': 'http://a/', 'hindsight.bankId': 'a', 'hindsight.autoRecall': true };
    expect(
      read(values, {
        ...{ HINDSIGHT_API_URL: 'http://b//', HINDSIGHT_BANK_ID: '', HINDSIGHT_AUTO_RECALL: 'false' },
        ...{ HINDSIGHT_RECALL_MAX_TOKENS: '64', HINDSIGHT_SCOPING: 'global' },
      }),
    ).toMatchObject({
      ...{ url: 'http://b', bankId: 'a', autoRecall: false, maxTokens: 64, scoping: 'global' },
    });
  });

  test('let no less leave than the folder’s default level', () => {
    expect(read({ 'hindsight.maxLevel': 'PUBLIC' }).maxLevel).toBe('INTERNAL');
    expect(read({ 'hindsight.maxLevel': 'RESTRICTED' }).maxLevel).toBe('RESTRICTED');
  });
});

test.each([
  ['http://localhost:8888', true],
  ['https://memory.example/hindsight', true],
  ['file:///etc/passwd', false],
  ['http://me:secret@host', false],
  ['http://host?x=1', false],
  ['localhost:8888', false],
  ['', false],
])('%s can be a server: %s', (url, is) => {
  expect(isServerUrl(url)).toBe(is);
});

test('each level above PUBLIC has a bank of its own, whatever the folder, and a session looks into those up to its level', () => {
  expect(bankAt('b', 'PUBLIC')).toBe('b');
  expect(bankAt('b', 'RESTRICTED')).toBe('b-restricted');
  expect(banksUpTo('b', 'PUBLIC')).toEqual(['b']);
  expect(banksUpTo('b', 'CONFIDENTIAL')).toEqual(['b', 'b-internal', 'b-confidential']);
});

test('a bank that is called like that of a level is nobody else’s', () => {
  const banks = ['b', 'b-internal', 'b-Internal', 'b-public', 'b-internal-public'].flatMap((bank) =>
    banksUpTo(bank, 'RESTRICTED').map((each) => each.toLowerCase()),
  );
  expect(new Set(banks).size).toBe(banks.length - 4);
});

test('names of projects become ids that are theirs alone', () => {
  expect(slugOf('cool-app')).toBe('cool-app');
  const names = [
    'Cool App',
    'cool app',
    '앱',
    '약',
    'a/b',
    'a-b-',
    `${'x'.repeat(99)}1`,
    `${'x'.repeat(99)}Y`,
  ];
  const slugs = names.map(slugOf);
  expect(new Set(slugs).size).toBe(names.length);
  for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9][a-z0-9-]{0,120}$/);
  expect(slugOf('앱'.normalize('NFD'))).toBe(slugOf('앱'));
});
