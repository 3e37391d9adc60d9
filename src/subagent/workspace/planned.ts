/** Files as the calls of one answer will leave them, so that each of them can be told apart afterwards. */
import { join } from 'node:path';
import type { FileEvidence } from '../../session/effects.ts';
import type { PlannedFiles } from '../../session/turnCalls.ts';
import { hashOf, type Place, type Workspace } from './workspace.ts';

/** What a file will hold when the calls before have run; undefined when there will be none. */
export async function plannedBytes(
  workspace: Workspace,
  place: Place,
  planned: PlannedFiles,
): Promise<Buffer | undefined> {
  const bytes = planned.get(fileOf(workspace, place));
  return bytes === undefined ? (await workspace.peek(place))?.bytes : Buffer.from(bytes);
}

/** Notes that a call will leave the file with this text. */
export function planChange(
  workspace: Workspace,
  place: Place,
  before: Buffer | undefined,
  text: string,
  planned: PlannedFiles,
): FileEvidence {
  const after = Buffer.from(text.toWellFormed());
  planned.set(fileOf(workspace, place), after);
  return {
    path: place.path,
    before: before === undefined ? null : hashOf(before),
    after: hashOf(after),
  };
}

function fileOf({ root }: Workspace, { names }: Place): string {
  return join(root, ...names);
}
