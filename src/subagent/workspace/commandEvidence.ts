/** What a work tree is like before a command runs in it, so that it can be compared with what is there later. */
import { hash } from 'node:crypto';
import { findGit } from '../../git/layout.ts';
import { fieldsOf, lineOf, runGit } from '../../git/run.ts';
import type { CommandEvidence } from '../../session/effects.ts';

/** A large work tree may take longer than a command is worth; then only the commit is known. Milliseconds. */
const PATIENCE = 2_000;

/** Names a command line. */
export function commandHash(command: string): string {
  return hash('sha256', command.toWellFormed());
}

/** Never throws: what cannot be told is left out. */
export async function commandEvidence(command: string, root: string): Promise<CommandEvidence> {
  return { hash: commandHash(command), ...(await treeEvidence(root)) };
}

/** The commit that is checked out, and what git says has changed since. */
export async function treeEvidence(root: string): Promise<Omit<CommandEvidence, 'hash'>> {
  const git = findGit(root);
  if (git === undefined) return {};
  const call = { cwd: git.workTree, signal: AbortSignal.timeout(PATIENCE) };
  const head = await runGit(['rev-parse', '--verify', '--quiet', 'HEAD'], { ...call, accept: [1, 128] })
    .then(lineOf)
    .catch(() => '');
  const status = await runGit(['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames'], call)
    .then(({ stdout }) => hash('sha256', Buffer.from(fieldsOf(stdout).join('\0'))))
    .catch(() => undefined);
  return { ...(head !== '' && { head }), ...(status !== undefined && { status }) };
}
