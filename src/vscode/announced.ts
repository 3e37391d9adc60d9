/** What a person reads first of an announcement: Status, Result, Notes and statistics, each after an empty line. */

/** One line of what a session said: of an announcement its result, or why there is none. */
export function inShort(text: string, length: number): string {
  const [, status = '', result = ''] =
    /^Status: ([^\n]*)\n\nResult:\n(.*?)(?:\n\n(?:Notes:\n|Stats: ).*)?$/s.exec(text) ?? [];
  const isFine = status === 'completed successfully';
  const said = status === '' ? text : isFine && result !== '(none)' ? result : status;
  const line = said.replace(/\s+/gu, ' ').trim();
  return line.length > length ? `${line.slice(0, length).toWellFormed()}…` : line;
}
