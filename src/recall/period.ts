/** A year, a month of a year, or a month of any year. */
export interface Period {
  readonly year?: number;
  /** 1–12 */
  readonly month?: number;
}

/** By their number: English, short English, Spanish. `may` alone is a verb, so it needs a preposition or a year. */
const MONTHS = [
  'january|jan|enero',
  'february|feb|febrero',
  'march|mar|marzo',
  'april|apr|abril',
  'may|mayo',
  'june|jun|junio',
  'july|jul|julio',
  'august|aug|agosto',
  'september|sept|sep|septiembre',
  'october|oct|octubre',
  'november|nov|noviembre',
  'december|dec|diciembre',
];
const MONTH = MONTHS.join('|');
const YEAR = String.raw`(?:19|20)\d\d`;

/** Ways to name a period; groups `y`, and `m` (a number) or `n` (a name). */
const FORMS = [
  String.raw`(?<![\d.-])(?<y>${YEAR})[-/.](?<m>0?[1-9]|1[0-2])(?![\d.])`,
  String.raw`(?<y>${YEAR})\s*[年년]\s*(?:(?<m>0?[1-9]|1[0-2])\s*[月월])?`,
  String.raw`(?<![\d개個])(?<m>0?[1-9]|1[0-2])\s*[月월]`,
  String.raw`\b(?<n>${MONTH})\.?(?:\s+\d{1,2}(?:st|nd|rd|th)?)?(?:,|\s+of|\s+de)?\s+(?<y>${YEAR})\b`,
  String.raw`\b(?:in|since|until|during|early|late|mid|en|desde|of)[\s-]+(?<n>${MONTH})\b(?!\s+${YEAR})`,
  String.raw`\b(?:in|since|until|during|en|desde)\s+(?<y>${YEAR})\b`,
].map((form) => new RegExp(form, 'giu'));

/** The periods that a query names, such as `2024-06`, `June 2024`, `2024년 6월`, `in March`. */
export function periodsOf(query: string): Period[] {
  return FORMS.flatMap((form) => [...query.matchAll(form)]).map(({ groups = {} }) => ({
    ...(groups.y === undefined ? {} : { year: Number(groups.y) }),
    ...monthOf(groups),
  }));
}

function monthOf({ m, n }: Record<string, string | undefined>): { month?: number } {
  if (m !== undefined) return { month: Number(m) };
  const name = n?.toLowerCase();
  if (name === undefined) return {};
  return { month: MONTHS.findIndex((names) => names.split('|').includes(name)) + 1 };
}

/** Whether a moment (epoch milliseconds) lies in one of the periods, in UTC. */
export function isWithin(at: number, periods: readonly Period[]): boolean {
  const date = new Date(at);
  return periods.some(
    ({ year, month }) =>
      (year === undefined || year === date.getUTCFullYear()) &&
      (month === undefined || month === date.getUTCMonth() + 1),
  );
}
