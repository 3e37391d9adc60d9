import type { Page } from 'playwright-core';
import type { Setup } from './harness/panel.ts';
import { type Scene, takePictures } from './harness/pictures.ts';

const MINUTE = 60_000;
const now = Date.now();
const CHAT = 'agent:main:webchat:direct:8f14e45f';
const COPILOT = 'agent:main:webchat:direct:c9f0f895';
const SCOUT = 'agent:main:subagent:0b7c';
const TESTS = 'agent:main:subagent:51aa';
const NIGHTLY = 'cron:nightly';

const SESSIONS = [
  {
    key: CHAT,
    title: 'Make payments survive a flaky provider',
    state: 'running',
    model: 'gpt-5',
    tokens: 48_210,
    window: 128_000,
    updated: now - 20_000,
    conflicts: [{ file: 'src/payments/client.ts', sessions: ['claude-code@feature/refunds-that-retry'] }],
  },
  {
    key: SCOUT,
    kind: 'spawned',
    parent: CHAT,
    title: 'Find every caller of charge() and say which of them retry on their own',
    label: 'scout',
    state: 'running',
    run: 'r-1',
    model: 'gpt-5-mini',
    tokens: 12_900,
    window: 64_000,
    updated: now - 5_000,
  },
  {
    key: TESTS,
    kind: 'spawned',
    parent: CHAT,
    title: 'Write the tests for the retry helper',
    label: 'tests',
    state: 'ended',
    tokens: 31_400,
    window: 64_000,
    updated: now - 9 * MINUTE,
  },
  {
    key: COPILOT,
    kind: 'copilot',
    title: 'Why does the cache never evict?',
    source: 'copilot',
    answers: false,
    canResume: false,
    level: 'CONFIDENTIAL',
    updated: now - 31 * MINUTE,
  },
  {
    key: NIGHTLY,
    kind: 'cron',
    title: 'Nightly review of open todos',
    state: 'ended',
    aborted: true,
    maySend: false,
    sendPolicy: 'deny',
    updated: now - 7 * 60 * MINUTE,
  },
  {
    key: 'agent:main:direct:1679091c',
    id: null,
    kind: 'agent',
    source: 'claude-code',
    state: 'running',
    answers: false,
    canResume: false,
    maySend: false,
    level: 'INTERNAL',
    updated: now - 2 * MINUTE,
    peer: 'toon-memory',
    conflicts: [{ file: 'src/payments/client.ts', sessions: ['lodeline@main'] }],
  },
  {
    key: 'agent:main:subagent:old',
    kind: 'spawned',
    title: 'Compare the two queue libraries',
    state: 'ended',
    archived: true,
    updated: now - 26 * 60 * MINUTE,
  },
] as const;

const HISTORY = [
  {
    uuid: 'm1',
    role: 'user',
    text: 'Find every caller of charge() and say which of them retry on their own.',
    at: now - 6 * MINUTE,
  },
  {
    uuid: 'm2',
    text: 'I look at the callers first.',
    at: now - 5 * MINUTE,
    calls: [
      { name: 'search', input: '{"pattern":"charge\\\\("}', result: '7 matches in 4 files', isError: false },
      {
        name: 'read',
        input: '{"path":"src/payments/client.ts"}',
        result: 'export async function charge…',
        isError: false,
      },
      {
        name: 'read',
        input: '{"path":"src/payments/gone.ts"}',
        result: 'There is no such file.',
        isError: true,
      },
    ],
  },
  {
    uuid: 'm3',
    role: 'system',
    text: 'Please look at the refund path, too: it has a loop of its own, I think.',
    from: { key: CHAT, name: 'Make payments survive a flaky provider' },
    at: now - 2 * MINUTE,
  },
  {
    uuid: 'm4',
    text: 'Four callers. Two of them retry on their own:\n\n- src/orders/checkout.ts, three times without a pause\n- src/refunds/refund.ts, forever',
    at: now - MINUTE,
  },
] as const;

const TIMELINE = [
  {
    id: 'e5',
    event: 'waiting',
    from: { key: CHAT, name: 'Make payments survive a flaky provider' },
    to: { key: COPILOT, name: 'Why does the cache never evict?' },
    text: 'Which limit does the cache read?',
    at: now - 15_000,
  },
  {
    id: 'e4',
    event: 'announced',
    from: { key: TESTS, name: 'tests' },
    to: { key: CHAT, name: 'Make payments survive a flaky provider' },
    text: 'Status: ok. Eleven tests, all pass.',
    at: now - 9 * MINUTE,
  },
  {
    id: 'e3',
    event: 'replied',
    from: { key: SCOUT, name: 'scout' },
    to: { key: CHAT, name: 'Make payments survive a flaky provider' },
    text: 'Four callers. Two of them retry on their own.',
    at: now - 10 * MINUTE,
  },
  {
    id: 'e2',
    event: 'failed',
    from: null,
    to: { key: NIGHTLY, name: 'Nightly review of open todos' },
    text: 'No model is configured.',
    at: now - 12 * MINUTE,
  },
  {
    id: 'e1',
    event: 'sent',
    from: { key: CHAT, name: 'Make payments survive a flaky provider' },
    to: { key: SCOUT, name: 'scout' },
    text: 'Please look at the refund path, too.',
    at: now - 14 * MINUTE,
  },
] as const;

const CONFLICTS = [
  { file: 'src/payments/client.ts', sessions: ['lodeline@main', 'claude-code@feature/refunds-that-retry'] },
  { file: 'README.md', sessions: ['vscode@main', 'vscode@main'] },
] as const;

const HITS = [
  {
    session: { id: `id-${SCOUT}`, title: 'Find every caller of charge()', source: 'lodeline' },
    uuid: 'm4',
    role: 'assistant',
    at: now - MINUTE,
    excerpt:
      'Four callers. Two of them retry on their own: src/orders/checkout.ts, three times without a pause',
  },
  {
    session: { id: `id-${COPILOT}`, title: 'Why does the cache never evict?', source: 'copilot' },
    uuid: 'x1',
    role: 'user',
    at: now - 40 * MINUTE,
    excerpt: 'Does anything retry when the cache is down?',
  },
] as const;

const base: Setup = {
  panel: 'sessions',
  messages: {
    sessions: SESSIONS,
    histories: { [SCOUT]: HISTORY },
    timeline: TIMELINE,
    conflicts: CONFLICTS,
    agents: ['main', 'explore', 'reviewer'],
    hits: HITS,
  },
};

const item = (panel: Page, name: RegExp) => panel.getByRole('treeitem', { name });

const SCENES: readonly (Omit<Scene, 'setup'> & Partial<Scene>)[] = [
  { name: 'tree', act: async (panel) => panel.getByRole('tree').press('ArrowDown') },
  { name: 'timeline', act: async (panel) => panel.locator('lode-timeline .fold').click() },
  { name: 'history', height: 700, act: async (panel) => item(panel, /^Find every/).click() },
  {
    name: 'calls',
    height: 700,
    act: async (panel) => {
      await item(panel, /^Find every/).click();
      await panel.locator('summary').click();
      await panel.locator('lode-composer textarea').fill('And the webhooks?\nThey call charge(), too.');
    },
  },
  {
    name: 'search',
    act: async (panel) => {
      await panel.locator('.bar vscode-text-field').click();
      await panel.keyboard.type('retry');
      await panel.locator('lode-hits .hit').first().waitFor();
    },
  },
  {
    name: 'hit',
    height: 460,
    act: async (panel) => {
      await panel.locator('.bar vscode-text-field').click();
      await panel.keyboard.type('retry');
      await panel.locator('lode-hits .hit').first().click();
      await panel.locator('.message.marked').waitFor();
    },
  },
  { name: 'spawn', act: async (panel) => panel.locator('.bar .new').click() },
  { name: 'menu', act: async (panel) => item(panel, /^Find every/).click({ button: 'right' }) },
  {
    name: 'rename',
    act: async (panel) => {
      await item(panel, /^Write the tests/).click({ button: 'right' });
      await panel.getByRole('menuitem', { name: /F2/ }).click();
    },
  },
  {
    name: 'archived',
    act: async (panel) => {
      await panel.locator('.bar button[aria-pressed]').click();
      await item(panel, /^Write the tests/).click({ button: 'right' });
      await panel.getByRole('menuitem', { name: /Del/ }).click();
    },
  },
  { name: 'observed', act: async (panel) => item(panel, /^Why does/).click() },
  { name: 'denied', act: async (panel) => item(panel, /^Nightly/).click() },
  { name: 'presence', act: async (panel) => item(panel, /claude-code/).click() },
  { name: 'empty', setup: { panel: 'sessions' } },
  {
    name: 'untrusted',
    setup: { ...base, trusted: false },
    act: async (panel) => item(panel, /^Find every/).click(),
  },
];

takePictures(
  'pictures of the sessions panel',
  SCENES.map((scene) => ({ setup: base, ...scene })),
  { height: 560 },
);
