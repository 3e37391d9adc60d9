import { type Scene, takePictures } from './harness/pictures.ts';

const MINUTE = 60_000;
const now = Date.now();

const SESSIONS = [
  {
    id: 's1',
    title: 'Make payments survive a flaky provider',
    source: 'copilot',
    live: true,
    lastActive: now,
  },
  { id: 's2', title: 'Docs: retry guide', source: 'claude-code', live: false, lastActive: now - 90 * MINUTE },
];

const todo = {
  sessions: SESSIONS,
  phases: [
    {
      name: 'Understand',
      tasks: [
        { content: 'Read the client', status: 'completed', notes: [] },
        { content: 'Reproduce the timeout', status: 'abandoned', notes: [] },
      ],
    },
    {
      name: 'Implement',
      tasks: [
        { content: 'Add a retry helper with exponential backoff', status: 'completed', notes: [] },
        {
          content: 'Use it in src/payments/client.ts and keep the idempotency key over all attempts',
          status: 'in_progress',
          notes: [
            'The provider bans clients after ten requests a second.\n\n  max 5 attempts, jitter 0.5–1.5',
          ],
        },
        { content: 'Count retries in the metrics', status: 'abandoned', notes: [] },
        {
          content: 'Give up with the last error',
          status: 'pending',
          notes: ['Ask what the UI shows.', 'See #482.'],
        },
      ],
    },
    {
      name: 'Verify',
      tasks: [
        { content: 'Unit tests with a fake clock', status: 'pending', notes: [] },
        { content: 'Run the sandbox suite against the staging provider', status: 'pending', notes: [] },
      ],
    },
  ],
} as const;

const since = { messages: 14, tools: 23, tokens: 48_210 };
const active = {
  goal: 'Find out whether the retry can live in the HTTP client instead of each caller',
  startedAt: now - 12 * MINUTE,
  since,
  pending: false,
};
const history = [
  {
    goal: 'Why does the sandbox answer 409 on the second attempt?',
    startedAt: now - 200 * MINUTE,
    endedAt: now - 170 * MINUTE,
    report:
      'The idempotency key is built from the attempt number.\n\n- src/payments/key.ts:18 adds `attempt`\n- the provider treats it as another payment\n\nFix: build the key from the order only.',
    since: { messages: 9, tools: 12, tokens: 21_400 },
  },
  {
    goal: 'Try the provider’s own SDK',
    startedAt: now - 2_000 * MINUTE,
    endedAt: now - 1_990 * MINUTE,
    report: null,
    since: { messages: 3, tools: 1, tokens: 2_100 },
  },
];

const context = {
  used: 48_210,
  window: 200_000,
  next: 169_000,
  strategy: 'summary',
  compactions: 2,
  canCompact: true,
} as const;
const full = { ...context, used: 27_900, window: 32_000, next: 22_500, compactions: 0 };
const folds = [
  {
    block: 'b1',
    tier: 1,
    topic: 'Read the payment client and its callers',
    summary:
      'src/payments/client.ts sends each charge once. Callers in checkout/ and refunds/ pass an idempotency key.\n\n- timeout 30 s, no retry\n- 409 means the key was used with another body',
    messages: 18,
    tokens: 14_200,
    active: true,
  },
  {
    block: 'b2',
    tier: 1,
    topic: 'Try the sandbox',
    summary: 'The sandbox answers 503 for one request in ten.',
    messages: 6,
    tokens: 3_900,
    active: false,
  },
  {
    block: 'b3',
    tier: 2,
    topic: 'Everything up to the decision to retry inside the HTTP client instead of in each of its callers',
    summary: 'Decided: retry in the client, five attempts, jitter.',
    messages: 41,
    tokens: 52_700,
    active: true,
  },
];
const unknowns = [
  { id: 'c1', name: 'edit', announced: 'Now I change the timeout in src/payments/client.ts to 10 seconds.' },
  { id: 'c2', name: 'run', announced: '' },
];
const looser = [
  { key: 'task.run.mode', counts: '"never"', says: '"ask"' },
  { key: 'agents.maxSteps', counts: '50', says: '200' },
];

const OLD = SESSIONS.slice(1);
const EMPTY = { name: 'Later', tasks: [] };
const NO_KEY = {
  text: 'This session is sealed with a key that is not here. Put the key back into ~/.lodeline/keys, or set LODELINE_KEY to it, and start again.',
  values: [],
};
const DAMAGE =
  'A part of a session could not be read and was set aside: sessions/4f1c.jsonl, 812 bytes at 40960 (unverified).';

const SCENES: readonly Scene[] = [
  {
    name: 'todo',
    setup: { panel: 'todo', todo },
    act: async (panel) => {
      await panel.getByRole('tree').focus();
      for (const key of ['End', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowRight'])
        await panel.keyboard.press(key);
    },
  },
  {
    name: 'todo-menu',
    setup: { panel: 'todo', todo },
    act: async (panel) => {
      await panel.getByRole('tree').focus();
      for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter'])
        await panel.keyboard.press(key);
    },
  },
  {
    name: 'todo-edit',
    setup: { panel: 'todo', todo },
    act: async (panel) => {
      await panel.getByRole('tree').focus();
      for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'Delete', '+']) await panel.keyboard.press(key);
      await panel.keyboard.type('Log each attempt');
      await panel.getByRole('treeitem', { name: /Unit tests/ }).hover();
    },
  },
  {
    name: 'todo-phase',
    setup: { panel: 'todo', todo },
    act: async (panel) => {
      await panel.getByRole('treeitem', { name: /^Verify/ }).click({ button: 'right' });
      await panel.getByRole('menuitem', { name: /F2/ }).hover();
    },
  },
  {
    name: 'todo-rename',
    setup: { panel: 'todo', todo },
    act: async (panel) => {
      await panel.getByRole('tree').focus();
      for (const key of ['Home', 'ArrowDown', 'F2']) await panel.keyboard.press(key);
    },
  },
  {
    name: 'todo-removed',
    setup: { panel: 'todo', todo: { ...todo, sessions: OLD, phases: [...todo.phases, EMPTY] } },
    act: async (panel) => {
      await panel.getByRole('tree').focus();
      for (const key of ['Home', 'ArrowDown', 'Enter', 'End', 'Enter']) await panel.keyboard.press(key);
    },
  },
  { name: 'todo-empty', setup: { panel: 'todo' } },
  { name: 'todo-none', setup: { panel: 'todo', todo: { session: null, sessions: [] } } },
  { name: 'todo-key', setup: { panel: 'todo', todo, unreadable: { s1: NO_KEY } } },
  {
    name: 'todo-damage',
    setup: { panel: 'todo', todo, notices: [DAMAGE] },
  },
  {
    name: 'long-meter',
    setup: { panel: 'checkpoint', checkpoint: { sessions: SESSIONS, context, active, history } },
  },
  {
    name: 'long-full',
    setup: {
      panel: 'checkpoint',
      checkpoint: { context: { ...full, strategy: 'off', next: null }, managed: true },
    },
    act: async (panel) => {
      for (let at = 0; at < 3; at++) await panel.keyboard.press('Tab');
    },
  },
  {
    name: 'long-folds',
    setup: {
      panel: 'checkpoint',
      checkpoint: { context: { ...full, strategy: 'folding', canCompact: false }, folds, history },
    },
    act: async (panel) => {
      await panel.locator('lode-folds .head').last().click();
      await panel.getByRole('button', { name: /Show original|원문 표시/ }).click();
    },
  },
  {
    name: 'long-reopen',
    setup: { panel: 'checkpoint', checkpoint: { context, folds } },
    act: async (panel) => {
      await panel.locator('lode-folds .head').first().click();
      await panel.locator('lode-folds .reopen').click();
    },
  },
  {
    name: 'long-unknown',
    setup: { panel: 'checkpoint', checkpoint: { sessions: OLD, context, unknowns, looser } },
  },
  {
    name: 'checkpoint-key',
    setup: { panel: 'checkpoint', checkpoint: { sessions: OLD }, unreadable: { s2: NO_KEY } },
  },
  { name: 'checkpoint-off', setup: { panel: 'checkpoint', checkpoint: { enabled: false } } },
  { name: 'checkpoint-none', setup: { panel: 'checkpoint', checkpoint: { history } } },
  {
    name: 'checkpoint-active',
    setup: { panel: 'checkpoint', checkpoint: { sessions: SESSIONS, active, history } },
    act: async (panel) => panel.getByRole('button', { name: /409/ }).click(),
  },
  {
    name: 'checkpoint-report',
    setup: { panel: 'checkpoint', checkpoint: { active, history } },
    act: async (panel) => {
      await panel.getByRole('button', { name: /Rewind with|쓰고 되감기/ }).click();
      await panel.keyboard.type('The client can retry: every caller passes its key.');
    },
  },
  {
    name: 'checkpoint-cancel',
    setup: { panel: 'checkpoint', checkpoint: { active: { ...active, pending: true }, history } },
    act: async (panel) => panel.getByRole('button', { name: /Cancel checkpoint|체크포인트 취소/ }).click(),
  },
];

takePictures('pictures of the session panels', SCENES, { height: 560 });
