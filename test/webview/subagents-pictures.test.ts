import type { Page } from 'playwright-core';
import type { LeftView } from '../../src/subagentProtocol.ts';
import type { Setup } from './harness/panel.ts';
import { type Scene, takePictures } from './harness/pictures.ts';

const MINUTE = 60_000;
const now = Date.now();
const SESSION = { id: 's1', title: 'Make payments survive a flaky provider', source: 'copilot' };

const RETRY_FILES = [
  { path: 'src/payments/retry.ts', status: 'added', added: 48, removed: 0, binary: false },
  { path: 'src/payments/client.ts', status: 'modified', added: 12, removed: 7, binary: false },
  { path: 'src/payments/legacy/backoff.ts', status: 'deleted', added: 0, removed: 31, binary: false },
  { path: 'docs/retry-flow.png', status: 'modified', added: 0, removed: 0, binary: true },
] as const;

const LINES = [
  { kind: 'context', text: 'export async function charge(order: Order): Promise<Receipt> {' },
  {
    kind: 'removed',
    text: '  const response = await fetch(URL, { method: "POST", body: JSON.stringify(order) });',
  },
  { kind: 'removed', text: '  return parse(response);' },
  { kind: 'added', text: '  const key = idempotencyKey(order.id);' },
  {
    kind: 'added',
    text: '  return withRetry(async (signal) => parse(await post(URL, order, { key, signal })), { attempts: 5, jitter: 0.5 });',
  },
  { kind: 'context', text: '}' },
] as const;

const DIFF = {
  hunks: [
    {
      header: 'import',
      oldStart: 1,
      oldLines: 2,
      newStart: 1,
      newLines: 3,
      lines: [
        { kind: 'context', text: "import { parse } from './parse.ts';" },
        { kind: 'added', text: "import { withRetry } from './retry.ts';" },
        { kind: 'context', text: "import { URL } from './settings.ts';" },
      ],
    },
    {
      header: 'export async function charge(order: Order)',
      oldStart: 118,
      oldLines: 4,
      newStart: 119,
      newLines: 4,
      lines: LINES,
    },
    {
      header: '',
      oldStart: 204,
      oldLines: 1,
      newStart: 205,
      newLines: 1,
      lines: [
        { kind: 'removed', text: 'export { charge };', noNewline: true },
        { kind: 'added', text: 'export { charge, refund };' },
      ],
    },
  ],
} as const;

const REVIEW_PREVIEW =
  'Every caller now goes through withRetry, which keeps one idempotency key over all attempts.\n\n- five attempts, exponential, jitter 0.5–1.5\n- 4xx are not tried again, except 409 and 429\n- the old backoff helper had no callers left and is gone';

const progress = (tool: string, args: string, tokens: number) => ({
  current: { tool, args, at: now },
  recent: [
    { tool: 'search', args: 'withRetry', at: now - 4_000 },
    { tool: 'read', args: 'src/payments/client.ts', at: now - 9_000 },
  ],
  lines: ['The helper exists already; I only need to use it.', 'Let me look at who calls charge().'],
  tools: 14,
  tokens,
});

const BATCHES = [
  {
    id: 'b3',
    session: SESSION,
    agent: 'task',
    started: now - 3 * MINUTE,
    tasks: [
      {
        id: '4-Metrics',
        name: 'Metrics',
        description: 'Count retries and give-ups',
        status: 'running',
        started: now - 185_000,
        assignment: 'Count each retry and each give-up in src/metrics.',
        progress: progress('edit', 'src/metrics/payments.ts', 48_210),
      },
      {
        id: '5-Docs',
        name: 'Docs',
        description: 'Write the retry guide',
        status: 'running',
        started: now - 42_000,
        progress: { tools: 0, tokens: 0 },
      },
      {
        id: '6-Sandbox',
        name: 'Sandbox',
        description: 'Run the suite against the staging provider',
        status: 'pending',
        started: null,
      },
    ],
  },
  {
    id: 'b2',
    session: SESSION,
    agent: 'task',
    started: now - 26 * MINUTE,
    ended: now - 8 * MINUTE,
    tasks: [
      {
        id: '0-RetryClient',
        name: 'RetryClient',
        description: 'Retry in the HTTP client',
        preview: REVIEW_PREVIEW,
        files: RETRY_FILES,
        landing: { state: 'waiting' },
        worktree: true,
        assignment: 'Use the retry helper in src/payments/client.ts.',
        started: now - 26 * MINUTE,
        ended: now - 21 * MINUTE,
        progress: { tools: 31, tokens: 112_400 },
      },
      {
        id: '1-Timeouts',
        name: 'Timeouts',
        description: 'One timeout for all calls',
        files: RETRY_FILES.slice(1, 2),
        landing: {
          state: 'recoverable',
          reason:
            'src/payments/client.ts has changed in your folder since the batch began: lines 118 to 124 conflict.',
          recovery: 'refs/lodeline/recovery/b2/1-Timeouts',
        },
        preview: 'One AbortSignal.timeout for the whole call.',
      },
      {
        id: '2-Keys',
        name: 'IdempotencyKeys',
        description: 'Build keys from the order only',
        files: RETRY_FILES.slice(1, 2),
        landing: { state: 'applied' },
        preview: 'Done.',
      },
      {
        id: '3-Errors',
        name: 'ErrorTexts',
        description: 'Say what to do next in every error',
        status: 'failed',
        error: 'The model answered three times without calling yield.',
        landing: { state: 'no_changes' },
      },
    ],
  },
  {
    id: 'b1',
    session: { id: 's2', title: '', source: 'claude-code' },
    agent: 'reviewer',
    isolated: false,
    started: now - 27 * 60 * MINUTE,
    ended: now - 26 * 60 * MINUTE,
    tasks: [
      {
        id: '0-Review',
        name: 'PaymentsReview',
        description: 'Review the payment client',
        preview: 'overall_correctness: incorrect',
        findings: [
          {
            title: 'The idempotency key changes with every attempt',
            body: 'key.ts adds the attempt number, so the provider sees another payment and charges twice.',
            priority: 'P0',
            confidence: 0.95,
            file: 'src/payments/key.ts',
            lineStart: 18,
            lineEnd: 20,
          },
          {
            title: 'A 429 without Retry-After is retried at once',
            body: 'The header is optional; without it the delay is NaN and setTimeout fires immediately.',
            priority: 'P2',
            confidence: 0.7,
            file: 'src/payments/retry.ts',
            lineStart: 41,
            lineEnd: 41,
          },
        ],
      },
    ],
  },
] as const;

const CONFLICT = "Your files and the task's differ in the same places: src/payments/client.ts.";
const BRANCH = 'refs/heads/lodeline/task/2-IdempotencyKeys-0a1b2c3d';
const FOLDER = '/home/bea/payments/.git/lodeline/worktrees/s2/0-Review-5e6f7a8b';
const LEFT = [
  { kind: 'branch', id: BRANCH, task: '2-IdempotencyKeys', session: null, time: now - 3 * 24 * 60 * MINUTE },
  { kind: 'kept', id: '0-Docs-1a2b3c4d', task: '0-Docs', session: null, time: now - 95 * 24 * 60 * MINUTE },
  { kind: 'worktree', id: FOLDER, task: '0-Review', session: SESSION, time: now - 50 * MINUTE },
  { kind: 'worktree', id: '/x/y', task: '1-Unknown', session: null, time: null, canRead: false },
].map((one) => ({
  canRead: true,
  place: one.kind === 'kept' ? `refs/lodeline/recovery/${one.id}` : one.id,
  ...one,
})) as unknown as readonly [LeftView, ...LeftView[]];

const DIFFS = { 'src/payments/client.ts': DIFF, 'docs/retry-flow.png': { binary: true } };
const base: Setup = { panel: 'subagents', subagents: { batches: BATCHES, diffs: DIFFS } };

const task = (panel: Page, name: RegExp) => panel.getByRole('treeitem', { name });
const openBatch = (panel: Page, id: 'b1' | 'b2') =>
  panel
    .locator('.row.batch')
    .nth(id === 'b2' ? 1 : 2)
    .click();
const openTask = async (panel: Page, name: RegExp) => {
  await openBatch(panel, 'b2');
  await task(panel, name).click();
};
const showLeft = (panel: Page) => panel.locator('lode-left .fold').click();
const act = (panel: Page, name: RegExp) => panel.getByRole('button', { name }).first().click();

const SCENES: readonly (Omit<Scene, 'setup'> & Partial<Scene>)[] = [
  {
    name: 'tree',
    act: async (panel) => {
      await openBatch(panel, 'b2');
      await panel.getByRole('tree').press('ArrowDown');
    },
  },
  { name: 'running', act: async (panel) => task(panel, /^Metrics/).click() },
  { name: 'review', act: async (panel) => openTask(panel, /^RetryClient/) },
  {
    name: 'diff',
    height: 700,
    act: async (panel) => {
      await openTask(panel, /^RetryClient/);
      await panel.locator('.file[data-path="src/payments/client.ts"]').click();
      await panel.getByText('@@', { exact: false }).first().waitFor();
      for (const key of ['n', 'n']) await panel.keyboard.press(key);
    },
  },
  {
    name: 'diff-wrap',
    height: 700,
    act: async (panel) => {
      await openTask(panel, /^RetryClient/);
      await panel.locator('.file[data-path="src/payments/client.ts"]').click();
      await panel.locator('lode-files .tools button').nth(2).click();
    },
  },
  {
    name: 'parts',
    height: 700,
    setup: { ...base, failing: { subagents_apply: CONFLICT } },
    act: async (panel) => {
      await openTask(panel, /^RetryClient/);
      await panel.locator('.file[data-path="src/payments/client.ts"]').click();
      await panel.locator('.part').nth(2).click();
      await panel.locator('.refused').waitFor();
      await panel.evaluate(() => {
        delete window.fakeHost.failing.subagents_apply;
      });
      await panel.locator('.part').nth(0).click();
      await panel.locator('.hunk .done').waitFor();
      await panel.locator('.entry .icon-button').first().click();
    },
  },
  {
    name: 'left',
    setup: { panel: 'subagents', subagents: { batches: BATCHES, left: LEFT } },
    act: showLeft,
  },
  {
    name: 'left-question',
    setup: { panel: 'subagents', subagents: { left: LEFT, leftFiles: { [LEFT[0].id]: RETRY_FILES } } },
    act: async (panel) =>
      panel
        .getByRole('button', { name: /^(?:Discard|버리기): / })
        .first()
        .click(),
  },
  {
    name: 'apply',
    act: async (panel) => {
      await openTask(panel, /^RetryClient/);
      await act(panel, /^(?:Apply|적용)$/);
    },
  },
  {
    name: 'discard',
    act: async (panel) => {
      await openTask(panel, /^RetryClient/);
      await act(panel, /^(?:Discard|버리기)$/);
    },
  },
  { name: 'recoverable', act: async (panel) => openTask(panel, /^Timeouts/) },
  { name: 'applied', act: async (panel) => openTask(panel, /^IdempotencyKeys/) },
  { name: 'failed', act: async (panel) => openTask(panel, /^ErrorTexts/) },
  {
    name: 'findings',
    act: async (panel) => {
      await openBatch(panel, 'b1');
      await task(panel, /^PaymentsReview/).click();
    },
  },
  { name: 'menu', act: async (panel) => task(panel, /^Metrics/).click({ button: 'right' }) },
  { name: 'empty', setup: { panel: 'subagents' } },
  {
    name: 'untrusted',
    setup: { ...base, trusted: false },
    act: async (panel) => openTask(panel, /^RetryClient/),
  },
];

takePictures(
  'pictures of the subagents panel',
  SCENES.map((scene) => ({ setup: base, ...scene })),
  { height: 560 },
);
