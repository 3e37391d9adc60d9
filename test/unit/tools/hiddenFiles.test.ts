/** Files that the person's rules put above a session: it is told neither their names, nor what is in them, nor how many. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/journal/record.ts';
import type { Code } from '../../../src/ports.ts';
import { createWorkspaceTools } from '../../../src/subagent/workspace/tools.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

const RULES = { 'classification.files': { 'secrets/**': 'CONFIDENTIAL', '*.secret.ts': 'INTERNAL' } };
const OPEN = ['src/login.ts', 'test/login.test.ts', 'docs/login.md'];
const HIDDEN = [
  ...['secrets/login.ts', 'secrets/deep/pool.ts', 'src/login.secret.ts', 'test/a.secret.ts'],
  // No rule speaks of these folders, but there is nothing else in them.
  ...['vault/login.secret.ts', 'src/vault/inner/pool.secret.ts', 'src/vault/login.secret.ts'],
];
/** Any of these in an answer is a leak. */
const WORDS = /secrets|deep|vault|inner|\.secret|hiddenLogin|merger/;
const COMMIT_DATE = '2026-07-12T08:00:00Z';

/** Language services that know the hidden files as well as the others. */
const CODE: Code = {
  currentFile: () => 'secrets/login.ts',
  symbolsNamed: async (name) => [
    { path: 'secrets/login.ts', line: 1, column: 1, name },
    { path: 'src/login.ts', line: 1, column: 1, name },
  ],
  symbolsIn: async (path) => [
    { path, line: 1, column: 1, name: path === 'src/login.ts' ? 'useLogin' : 'hiddenLogin' },
  ],
  usesOf: async () => [
    { path: 'secrets/deep/pool.ts', line: 2, column: 1 },
    { path: 'docs/login.md', line: 2, column: 1 },
  ],
};

/** A repository, with the files above the session or without them. */
function folderWith(hasHidden: boolean) {
  const folder = temporaryFolder();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@example.com', ...args], {
      cwd: folder,
      env: { ...process.env, GIT_AUTHOR_DATE: COMMIT_DATE, GIT_COMMITTER_DATE: COMMIT_DATE },
    });
  write('.gitignore', '.lodeline\n');
  git('init', '-q', '-b', 'main');
  for (const file of OPEN) write(file, 'useLogin');
  git('add', '.');
  git('commit', '-q', '-m', 'the login');
  if (hasHidden) {
    for (const file of HIDDEN) write(file, 'hiddenLogin');
    git('add', '.');
    git('commit', '-q', '-m', 'the merger');
    // Enough to fill every list.
    for (let at = 0; at < 70; at++) write(`secrets/login-${at}/login.ts`, '');
    write('src/new.secret.ts', '');
  }
  write('src/login.ts', 'useLogin again');
  const tools = openTestTools(folder, undefined, RULES, { place: '.lodeline' });
  tools.code.code = CODE;
  return tools;
}

const CALLS = [
  ['context_focus', { task: 'the login `useLogin`', limit: 20 }],
  ['context_focus', { task: 'login.ts pool' }],
  ['context_generate', { task: 'login' }],
  ['context_brief', { task: 'login' }],
  ['context_diff', { since: '2026-07-01' }],
  ['memory_recall', { query: 'login', sessionBias: true, explain: true }],
  ['memory_smart_recall', { intent: 'login' }],
] as const;

describe('a session below them', () => {
  it.each(CALLS)('is answered by %s %j as where they are not there', async (tool, input) => {
    const answers = await Promise.all(
      [true, false].map(async (hasHidden) => {
        const tools = folderWith(hasHidden);
        for (const scope of ['secrets', 'src']) {
          const entry = {
            category: 'pattern',
            key: `login-${scope[1]}`,
            content: 'The login',
            importance: 'HIGH',
          };
          await tools.call('memory_remember', { ...entry, pathScope: `${scope === 'src' ? 'src' : 'sec*'}` });
        }
        return JSON.stringify(await tools.call(tool, input)).replaceAll(tools.folder, '<folder>');
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toContain('"isError":false');
    expect(answers[0]).not.toMatch(WORDS);
  });

  it('is told so wherever files are listed, whether or not there are any', async () => {
    const { call } = folderWith(false);
    for (const [tool, input] of CALLS.slice(0, 3))
      expect((await call(tool, input)).text).toContain(
        'above PUBLIC, the level of this session, are left out',
      );
    const { call: free } = openTestTools();
    expect((await free('context_focus', { task: 'login' })).text).not.toContain('left out');
  });

  it('is not shown what a file defines through a link that leads to one of them', async () => {
    const tools = folderWith(true);
    symlinkSync(join(tools.folder, 'secrets', 'login.ts'), join(tools.folder, 'src', 'linked.ts'));
    await tools.call('memory_remember', {
      ...{ category: 'pattern', key: 'linked', content: 'Linked login' },
    });
    tools.code.code = {
      ...CODE,
      symbolsNamed: async (name) => [{ path: 'src/linked.ts', line: 1, column: 1, name }],
    };
    const { data } = await tools.call('context_focus', { task: '`linkedLogin`' });
    expect(JSON.stringify(data)).not.toContain('linked.ts');
  });
});

it('a session at their level is told of all of them', async () => {
  const { call } = folderWith(true);
  const as = { level: 'CONFIDENTIAL', session: 'high' } as const;
  expect((await call('context_diff', { since: '2026-07-01' }, as)).text).toContain('secrets/deep/pool.ts');
  const { data, text } = await call('context_focus', { task: 'login.ts', limit: 20 }, as);
  expect(JSON.stringify(data)).toContain('secrets/login-0/login.ts');
  expect(text).not.toContain('left out');
});

it('a session that names one rises to it, and is then told', async () => {
  const { call, taint } = folderWith(true);
  const { text } = await call('memory_recall', { query: 'login', pathScope: 'secrets/login.ts' });
  expect(text).toBeDefined();
  expect(taint.levelOf({ key: 's-1', start: 'PUBLIC' })).toBe('CONFIDENTIAL');
});

describe('a loop of ours below them', () => {
  /** What its tools answer in such a folder. */
  async function lookAround(hasHidden: boolean) {
    const { folder, registry } = folderWith(hasHidden);
    const tools = createWorkspaceTools({
      root: folder,
      allowed: ['list', 'find', 'diagnostics'],
      ports: {
        approve: async () => 'unavailable',
        settings: { get: () => undefined },
        searchThread: new URL('../../../dist/searchWorker.js', import.meta.url),
        isHidden: (path) => registry.exposure.hiddenFrom('PUBLIC')?.has(path, folder) ?? false,
        diagnostics: async () =>
          [...(hasHidden ? HIDDEN : []), 'src/login.ts'].map((path) => ({
            ...{ path, line: 1, severity: 'error', message: `${path} is wrong`, source: undefined },
          })),
      },
    });
    const calls: [string, JsonValue][] = [
      ['list', {}],
      ['list', { path: 'src' }],
      ['find', { glob: '**/*.ts', limit: 2 }],
      ['find', { glob: '*login*' }],
      ['diagnostics', {}],
    ];
    return Promise.all(
      calls.map(([name, input], at) =>
        tools.call({ id: `${at}`, name, input }, new AbortController().signal),
      ),
    );
  }

  it('is shown neither their names nor what is wrong in them', async () => {
    const shown = await lookAround(true);
    expect(shown).toEqual(await lookAround(false));
    expect(JSON.stringify(shown)).not.toMatch(WORDS);
    expect(shown.map(({ isError }) => isError)).toEqual(shown.map(() => false));
  });

  it('is told the layout of the folder without them', async () => {
    const prompts = await Promise.all(
      [true, false].map(async (hasHidden) => {
        const { call, folder, models } = folderWith(hasHidden);
        let system = '';
        models.model = {
          name: 'm',
          send: async function* (request) {
            system = request.system;
            yield { type: 'tool_use', id: 'c', name: 'yield', input: { result: { data: 1 } } } as const;
          },
        };
        const tasks = [{ id: 'Look', description: 'd', assignment: 'Look around' }];
        await call('task', { agent: 'explore', tasks }, { approve: async () => 'approved' });
        return system.replaceAll(folder, '<folder>');
      }),
    );
    expect(prompts[0]).toContain('login.test.ts');
    expect(prompts[0]).toBe(prompts[1]);
  });
});
