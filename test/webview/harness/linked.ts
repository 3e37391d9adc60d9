import type { Setup } from './panel.ts';

const WORDS = [
  'retry-policy',
  'auth-tokens',
  'build-cache',
  'date-parsing',
  'error-codes',
  'api-paging',
  'db-schema',
];
const CATEGORIES = ['decision', 'pattern', 'bug', 'knowledge', 'warning'];

/** Entries that link to earlier ones, some of them much liked, and others that link to nothing. The same every time. */
export function linkedEntries(linked: number, loners: number): NonNullable<Setup['entries']> {
  const keyOf = (at: number) => (at < WORDS.length ? `${WORDS[at]}` : `${WORDS[at % WORDS.length]}-${at}`);
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  return Array.from({ length: linked + loners }, (_, at) => {
    const near = Math.floor(random() ** 2 * at);
    const far = Math.floor(random() * at);
    const links = at === 0 || at >= linked ? [] : random() < 0.4 ? [keyOf(near), keyOf(far)] : [keyOf(near)];
    return {
      id: `g${at}`,
      key: at < linked ? keyOf(at) : `alone-${at}`,
      category: CATEGORIES[Math.floor(random() * 5)],
      content: `What ${keyOf(at)} is about.`,
      links,
    };
  });
}
