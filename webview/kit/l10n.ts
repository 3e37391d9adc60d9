import type { Phrase } from '../../src/protocol.ts';

let translations: Readonly<Record<string, string>> = {};
let language = 'en';

/** Sets what `t` and the formatters use from now on. */
export function setLanguage(strings: Readonly<Record<string, string>>, locale: string): void {
  translations = strings;
  language = isLocale(locale) ? locale : 'en';
}

/** The current locale, BCP 47. */
export function locale(): string {
  return language;
}

/** The translation of an English text; `{0}`, `{1}` … are replaced by the values. */
export function t(english: string, ...values: readonly (string | number)[]): string {
  return phraseText({ text: english, values });
}

/** `t` for what the host says. */
export function phraseText({ text: english, values }: Phrase): string {
  const text = Object.hasOwn(translations, english) ? (translations[english] ?? english) : english;
  return text.replace(/\{(\d)\}/g, (hole, index: string) => String(values[Number(index)] ?? hole));
}

/** An editor may run under a display language that Intl does not know; dates must not fail over it. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
