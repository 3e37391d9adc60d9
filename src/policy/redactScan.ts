/** `value` without the characters of `chars` at its end (a regular expression would be quadratic). */
export function trimEnd(value: string, chars: string): string {
  let end = value.length;
  while (end > 0 && chars.includes(value.charAt(end - 1))) end--;
  return value.slice(0, end);
}

/**
 * The end of a run of characters that starts at `at`: `part`, a sticky pattern with a bounded length, is
 * matched again and again, because one unbounded quantifier exhausts the engine's stack on megabytes.
 */
export function endOfRun(text: string, at: number, part: RegExp): number {
  let end = at;
  for (;;) {
    part.lastIndex = end;
    const length = part.exec(text)?.[0].length ?? 0;
    if (length === 0) return end;
    end += length;
  }
}
