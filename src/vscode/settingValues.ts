import { tightened } from '../policy/tightened.ts';

/** What the editor knows of one setting; the shape of `WorkspaceConfiguration.inspect`. */
export interface Inspected {
  readonly defaultValue?: unknown;
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** The value that counts: the person's own, or the default, with what the workspace may change of it. */
export function effectiveValue(key: string, inspected: Inspected | undefined): unknown {
  const { defaultValue, globalValue, workspaceValue, workspaceFolderValue } = inspected ?? {};
  return tightened(key, globalValue ?? defaultValue, workspaceFolderValue ?? workspaceValue);
}
