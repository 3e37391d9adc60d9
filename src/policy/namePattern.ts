/** Patterns for names of tools and agents, in which `*` stands for any part. */

/**
 * Whether a name is like a pattern; case does not count. Each part between two stars is looked for once, from where the
 * one before it ended, so that no pattern makes a look slow.
 */
export function nameMatcher(pattern: string): (name: string) => boolean {
  const [first = '', ...others] = folded(pattern).split('*');
  const last = others.pop();
  return (name) => {
    const text = folded(name);
    if (last === undefined) return text === first;
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of others) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

function folded(text: string): string {
  return text.toWellFormed().normalize('NFC').toLowerCase();
}
