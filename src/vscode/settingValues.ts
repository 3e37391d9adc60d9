/** What the editor knows of one setting; the shape of `WorkspaceConfiguration.inspect`. */
export interface Inspected {
  readonly defaultValue?: unknown;
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/**
 * The value that counts. Whoever opens a folder has not chosen what its files say, so a workspace may take the
 * unattended approval away and not give it, and levels are the person's own: a higher one writes more strictly
 * and reads more, so neither is the tighter one.
 */
export function effectiveValue(key: string, inspected: Inspected | undefined): unknown {
  const own = inspected?.globalValue ?? inspected?.defaultValue;
  if (key.startsWith('classification.')) return own;
  const theirs = inspected?.workspaceFolderValue ?? inspected?.workspaceValue;
  // What runs and is fetched without a question is the person's to say; a workspace may only switch it off.
  if (/^task\.(run|fetch)\./.test(key) && theirs !== 'never') return own;
  if (key === 'approval.unattended' && theirs === 'allow') return own;
  if (key === 'memory.capture.enabled' && theirs !== false) return own;
  return theirs ?? own;
}
