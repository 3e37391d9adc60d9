import { t } from '../kit/l10n.ts';
import { visibleLine } from '../kit/text.ts';

const NAMED = 3;

/** The id in what a save answers: `{ id }`, or `{ entry: { id } }`. */
export function savedId(data: unknown): string | undefined {
  const id = field(data, 'id') ?? field(field(data, 'entry'), 'id');
  return typeof id === 'string' ? id : undefined;
}

/** What the person should know about a save: what was cut out or kept, and what speaks against it. */
export function savedMessage(data: unknown): string {
  const redacted = list(field(data, 'redacted')).map(String);
  const contradicted = keys([...list(field(data, 'contradictions')), ...list(field(data, 'rejected'))]);
  const similar = keys(list(field(data, 'duplicates'))).filter((key) => !contradicted.includes(key));
  return [
    field(data, 'keptContent') === true
      ? t('The key existed: your text was added to its entry.')
      : t('Saved.'),
    ...(redacted.length === 0 ? [] : [t('Secrets were taken out: {0}', named(redacted))]),
    ...(contradicted.length === 0 ? [] : [t('May contradict: {0}', named(contradicted))]),
    ...(similar.length === 0 ? [] : [t('Similar: {0}', named(similar))]),
  ].join('\n');
}

function named(names: readonly string[]): string {
  return names.slice(0, NAMED).map(visibleLine).join(', ') + (names.length > NAMED ? ', …' : '');
}

/** The keys of entries, which may be wrapped together with how similar they are. */
function keys(entries: readonly unknown[]): readonly string[] {
  const found = entries.map((entry) => field(field(entry, 'entry') ?? entry, 'key'));
  return [...new Set(found.filter((key) => typeof key === 'string'))];
}

function field(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
}

function list(data: unknown): readonly unknown[] {
  return Array.isArray(data) ? data : [];
}
