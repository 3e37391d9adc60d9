const WORDS = 5;
const LENGTH = 48;

/** A key made of the first words of a content: letters and digits of any script, lower-case, joined by "-". */
export function suggestKey(content: string): string {
  const words =
    content
      .slice(0, 400)
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let key = '';
  for (const word of words.slice(0, WORDS)) {
    const longer = key === '' ? word : `${key}-${word}`;
    if (longer.length > LENGTH) return key === '' ? [...longer].slice(0, LENGTH).join('') : key;
    key = longer;
  }
  return key;
}
