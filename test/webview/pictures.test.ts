import { type Scene, takePictures } from './harness/pictures.ts';

const LONG = {
  id: 'long',
  key: 'retry-policy-for-payments',
  category: 'decision',
  content:
    'Retries use exponential backoff with jitter, at most five times; the payment provider bans clients that hammer it.\n\nSee [[auth-tokens]] for what happens when a token runs out in between, and [[no-such-key]].\n\n  const delay = Math.min(30_000, 200 * 2 ** attempt) * (0.5 + random());',
  confirmed: false,
  pinned: true,
  level: 'CONFIDENTIAL',
  tags: ['payments', 'network', 'resilience'],
  links: ['error-codes'],
  file: 'src/payments/retry.ts:42',
  expires: Date.now() + 86_400_000 * 30,
  revisions: [
    {
      text: 'The provider raised the limit to ten requests a second.',
      at: Date.now() - 3_600_000,
      actor: 'agent',
      source: 'claude-code',
      addition: true,
    },
    {
      text: 'Retries: three times, one second apart.',
      at: Date.now() - 86_400_000 * 9,
      actor: 'person',
      source: 'panel',
      addition: false,
    },
  ],
};

const SCENES: readonly Scene[] = [
  { name: 'index', setup: { count: 40 } },
  {
    name: 'search',
    setup: { count: 40 },
    act: async (panel) => {
      await panel.getByRole('textbox', { name: /Search|검색/ }).fill('re');
      await panel.getByRole('button', { name: /Filter and sort|필터/ }).click();
    },
  },
  {
    name: 'levels',
    setup: {
      count: 40,
      entries: [LONG, { ...LONG, id: 'top', key: 'top-plan', level: 'RESTRICTED', pinned: false }],
    },
  },
  { name: 'empty', setup: { count: 0 } },
  { name: 'error', setup: { failing: { memory_browse: 'The memory worker stopped: out of memory.' } } },
  { name: 'detail', setup: { count: 40, entries: [LONG], show: { view: 'entry', id: 'long' } } },
  {
    name: 'from-file',
    setup: { count: 40, entries: [{ ...LONG, source: 'file' }], show: { view: 'entry', id: 'long' } },
  },
  {
    name: 'edit',
    setup: { count: 40, entries: [LONG], show: { view: 'entry', id: 'long' } },
    act: async (panel) => panel.getByRole('button', { name: /^(Edit|편집)$/ }).click(),
  },
  {
    name: 'select',
    setup: { count: 40, trusted: true, notices: ['One damaged record was set aside in memory/quarantine.'] },
    act: async (panel) => {
      const list = panel.getByRole('listbox', { name: /Memory|메모리/ });
      await list.focus();
      for (const key of ['Space', 'ArrowDown', 'ArrowDown', 'Space']) await list.press(key);
      await panel.getByRole('button', { name: /^(Pin|고정)$/ }).click();
    },
  },
];

takePictures('pictures of the memory browser', SCENES);
