/** What subagents, landings, spawned sessions and hooks leave in a store and beside it, outside the store's own thread. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { putStored, readStored } from '../../../src/journal/storedFile.ts';
import { stageAttachments } from '../../../src/messaging/attachments.ts';
import { noteAttached } from '../../../src/session/attachedFolders.ts';
import { WARNED_FOLDER } from '../../../src/session/toldHolders.ts';
import { readArtifact, writeArtifact } from '../../../src/subagent/artifacts.ts';
import { BatchFiles } from '../../../src/subagent/batchFiles.ts';
import { type BatchRecord, NO_PROGRESS } from '../../../src/subagent/batchRecord.ts';
import { LandingFolder } from '../../../src/subagent/landingJournal.ts';
import { Workspace } from '../../../src/subagent/workspace/workspace.ts';

/** A text for each kind of file. */
export const WORKS = {
  artifact: 'mark-artifact-7f3a',
  batch: 'mark-batch-7f3a',
  patch: 'mark-patch-7f3a',
  landing: 'mark-landing-7f3a',
  image: 'mark-image-7f3a',
  worktree: 'mark-worktree-7f3a',
  local: 'mark-local-7f3a',
  attached: 'mark-attached-7f3a',
  warned: 'mark-warned-7f3a',
} as const;

const SESSION = 's1';
const ATTACHMENT = 'given';

export function batchOf(id: string, text: string): BatchRecord {
  return {
    ...{ version: 1, id, session: SESSION, level: 'PUBLIC', agent: 'task', context: text, schema: '' },
    ...{ isolated: false, background: false, started: 1, owner: { pid: process.pid, host: 'h' } },
    tasks: [
      {
        ...{ id: '0-A', name: 'A', description: text, assignment: text, status: 'completed', preview: text },
        ...{ progress: NO_PROGRESS, findings: [], files: [] },
      },
    ],
  };
}

/** Puts one of each in place. `folder` holds the store as `store`, and is the workspace folder, too. */
export async function fillWorks(folder: string): Promise<void> {
  const store = join(folder, 'store');
  await writeArtifact(artifactsOf(store), '0-A', WORKS.artifact);
  await writeArtifact(artifactsOf(store), '0-A', WORKS.patch, 'patch');
  await new BatchFiles(join(store, 'batches'), Date.now).save(batchOf('batch-1', WORKS.batch), true);
  putStored(join(store, 'patches', 'p.patch'), Buffer.from(WORKS.patch));
  const person = join(folder, 'person.ts');
  writeFileSync(person, WORKS.image);
  const landings = new LandingFolder(store);
  landings.keep('l1', 'before', 0, person);
  const after = { kind: 'file', hash: landings.hashOf('l1', 'before', 0), mode: 0o644 } as const;
  landings.write({
    ...{ version: 1, id: 'l1', workTree: folder, state: 'landed', nested: [], nestedTrees: [] },
    changes: [{ path: `${WORKS.landing}.ts`, before: { kind: 'absent' }, after }],
  });
  writeFileSync(person, '');
  putStored(join(store, 'worktrees', SESSION, 'w.json'), Buffer.from(JSON.stringify(WORKS.worktree)));
  const notes = notesOf(store);
  await notes.write(notes.locate('deep/note.md', 'write'), Buffer.from(WORKS.local), undefined);
  noteAttached(store, folder);
  await stageAttachments(folder, ATTACHMENT, [
    { name: 'a.txt', bytes: Buffer.from(WORKS.attached), sha256: '' },
  ]);
  putStored(join(store, WARNED_FOLDER, 's.json'), Buffer.from(JSON.stringify([[WORKS.warned, 1]])));
}

/** What each of them says. */
export async function worksOf(folder: string): Promise<Record<keyof typeof WORKS, unknown>> {
  const store = join(folder, 'store');
  const landings = new LandingFolder(store);
  const notes = notesOf(store);
  const person = new Workspace(folder);
  const said = async (workspace: Workspace, path: string) =>
    (await workspace.read(workspace.locate(path, 'read'))).bytes.toString();
  const stored = (...path: string[]) => readStored(join(store, ...path)).toString();
  return {
    artifact: await readArtifact(artifactsOf(store), '0-A'),
    batch: await new BatchFiles(join(store, 'batches'), Date.now).list(),
    patch: [await readArtifact(artifactsOf(store), '0-A', 'patch'), stored('patches', 'p.patch')],
    landing: landings.read('l1'),
    image: [landings.hashOf('l1', 'before', 0), readStored(landings.image('l1', 'before', 0)).toString()],
    worktree: stored('worktrees', SESSION, 'w.json'),
    local: await said(notes, 'deep/note.md'),
    attached: await said(person, `.lodeline/attachments/${ATTACHMENT}/a.txt`),
    warned: stored(WARNED_FOLDER, 's.json'),
  };
}

/** Names of everything that lies in the folders of these but for who writes, to see that nothing is left behind. */
export function workNames(folder: string): string[] {
  const names = (dir: string) => readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return ['batches', 'patches', 'landings', 'worktrees', 'sessions', WARNED_FOLDER]
    .flatMap((name) => names(join(folder, 'store', name)).map((file) => `${name}/${file}`))
    .filter((name) => !name.includes('.lease'))
    .sort();
}

export function artifactsOf(store: string, session = SESSION): string {
  return join(store, 'sessions', session, 'artifacts');
}

export function notesOf(store: string, session = SESSION): Workspace {
  const dir = join(store, 'sessions', session, 'local', 'files');
  mkdirSync(dir, { recursive: true });
  return new Workspace(dir);
}
