/** A memory with something wrong of every kind, for the tests of the memory browser's other views. */
import type { Setup } from './panel.ts';

type Care = NonNullable<Setup['care']>;

const DAY = 86_400_000;
const now = Date.now();

const named = (at: number, key: string) => ({
  id: `e${String(at).padStart(7, '0')}`,
  key,
  category: 'bug' as const,
  level: 'PUBLIC' as const,
});

const findings: NonNullable<Care['findings']> = [
  {
    kind: 'orphan-link',
    entry: named(0, 'retry-policy'),
    phrase: { text: '{0} leads nowhere', values: ['[[payments-limits]]'] },
    fix: {
      tool: 'memory_edit',
      input: { key: 'e0000000', content: 'Retries use backoff; see payments-limits.' },
    },
  },
  {
    kind: 'duplicate',
    entry: named(3, 'date-parsing'),
    phrase: { text: 'says the same as "{0}"', values: ['retry-policy'] },
    fix: { tool: 'memory_consolidate', input: { mode: 'identical' } },
  },
  {
    kind: 'duplicate',
    entry: named(4, 'error-codes'),
    phrase: { text: 'says the same as "{0}"', values: ['retry-policy'] },
    fix: { tool: 'memory_consolidate', input: { mode: 'identical' } },
  },
  {
    kind: 'broken-file',
    entry: named(6, 'db-schema'),
    phrase: { text: '{0} is not there', values: ['src/db/schema.ts'] },
    fix: { tool: 'memory_edit', input: { key: 'e0000006', file: '' } },
  },
  {
    kind: 'old-session',
    phrase: {
      text: '"{0}" was last active on {1}',
      values: ['Move the client to the new API', '2026-01-04'],
    },
    fix: { tool: 'session_put_away', input: { sessions: ['s-old'] } },
  },
  {
    kind: 'damaged',
    phrase: { text: 'a record cannot be read; what was written around it is whole', values: [] },
  },
];

export const AILING: Pick<Setup, 'care'> = { care: { score: 71, findings } };

export const DRAFTS: NonNullable<Care['drafts']> = [
  {
    key: 'fix-the-pool-timeout-9f3a',
    category: 'bug',
    content: 'Fix the pool timeout: the client waited for a connection that the server had closed',
    file: 'src/net/pool.ts',
    confidence: 0.85,
    source: 'copilot@main',
  },
  {
    key: 'queue-drains-on-shutdown',
    id: 'd1',
    name: 'd1',
    content: 'The queue drains on shutdown, so a worker may be stopped at any time.',
    confidence: 0.7,
    source: 'claude-code',
    tool: '',
    level: 'INTERNAL',
  },
  {
    key: 'ls-src-1c2d',
    content: 'ls src',
    confidence: 0.25,
    tool: 'run_in_terminal',
    source: 'copilot@fix/pool',
  },
];

export const CONTRADICTED: NonNullable<Setup['entries']> = [
  {
    id: 'retry',
    key: 'retry-policy-for-payments',
    category: 'decision',
    content:
      'Retries use exponential backoff with jitter, at most five times; the provider bans clients that hammer it.',
    tags: ['payments'],
    source: 'copilot',
    revisions: [
      {
        text: 'Retries use exponential backoff with jitter, at most ten times; the provider raised its limit.',
        at: now - DAY / 24,
        actor: 'agent',
        source: 'claude-code',
        addition: true,
      },
      {
        text: 'Retries: three times, one second apart.',
        at: now - 9 * DAY,
        actor: 'person',
        source: 'panel',
        addition: false,
      },
    ],
  },
];
