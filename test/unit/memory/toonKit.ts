/** Memories made from a seed, for what must come back whatever they hold. */
import { CATEGORIES, type Entry, IMPORTANCE, ORIGINS } from '../../../src/memory/entry.ts';
import { normalizeKey } from '../../../src/memory/operation.ts';

const DAY = 86_400_000;
/** 2026-07-12T09:00:00Z, the tests' own present. */
const NOW = Date.parse('2026-07-12T09:00:00Z');

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const PIECES = [
  ...['|', '\\', '\n', '\\n', '\\|', '\\\\', '\r\n', '\r', '  ', '\t', ';', ':', ': ', '"', '{', '}[', ','],
  ...[
    'summaries:',
    'entries[3|]{id}:',
    '  5d406310|bug|x|y',
    'version: 1',
    '[[use-zod]]',
    '<script>',
    '\u2028',
  ],
  ...[
    '레디스',
    '한글'.normalize('NFD'),
    'é',
    'e\u0301',
    '😀',
    '\ud83d',
    '\udc00',
    '\0',
    '\u001b[31m',
    '\ufeff',
    'x',
  ],
  ...['redis', 'pool', 'Use Zod', 'C:\\tmp\\new', '2026-07-12', 'a'.repeat(300)],
];

/** A text of pieces that formats stumble over; never blank. */
export function trickyText(random: () => number): string {
  const count = 1 + Math.floor(random() * 12);
  const pieces = Array.from({ length: count }, () => PIECES[Math.floor(random() * PIECES.length)] ?? '');
  return `${pieces.join('')}.${Math.floor(random() * 1e9)}`;
}

/** One memory; `index` makes its key its own. */
export function generatedEntry(random: () => number, index: number): Entry {
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const chance = (share: number): boolean => random() < share;
  const day = NOW - Math.floor(random() * 400) * DAY;
  const status = pick(['active', 'active', 'active', 'draft', 'superseded'] as const);
  const words = (): string[] =>
    Array.from({ length: Math.floor(random() * 4) }, () =>
      pick(['redis', 'zod', '레디스', 'a|b', 'c\\d', 'x:y']),
    );
  return {
    id: '',
    level: 'PUBLIC',
    key: normalizeKey(`${pick(['key', '한글-경고', 'a|b', 'c\\d', 'with blank'])}-${index}`),
    category: pick(CATEGORIES),
    content: trickyText(random),
    file: pick(['', 'src/a.ts', 'src\\new.ts:3', 'a|b.ts']),
    tags: [...new Set(words())],
    links: [...new Set(words())],
    created: day,
    updated: day,
    expires: chance(0.2) ? Math.floor(NOW / DAY + 1 + random() * 400) * DAY : undefined,
    importance: chance(0.4) ? pick(IMPORTANCE) : undefined,
    quality: random(),
    confidence: Math.round(random() * 100) / 100,
    pinned: chance(0.1),
    pathScope: pick(['', 'src/**', 'a|b/*.ts']),
    origin: pick(ORIGINS),
    status,
    confirmed: false,
    branch: '',
    session: 's-1',
    source: 'copilot',
    supersededBy: status === 'superseded' ? `successor-${index}` : '',
    reason: '',
    revisions: [],
    used: Math.floor(random() * 50),
    lastUsed: chance(0.5) ? day + 5000 : undefined,
  };
}
