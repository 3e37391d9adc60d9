/** `1 old entry`, `5 old entries` */
export function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The line that says how many of a list are not shown, or nothing. */
export function more(count: number, shown: number): string[] {
  return count > shown ? [`  … and ${count - shown} more`] : [];
}
