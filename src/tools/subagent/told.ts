/**
 * What subagents say and a person reads. Their records hold plain English, which models read too; here its sentences
 * are found again, so that a panel can tell them in the person's language.
 */
import type { Phrase } from '../../protocol.ts';
import { phrase } from '../../worker/api.ts';

/** The sentences of `src/subagent` that are stored with a task, are the message of an error, or ask for an approval. */
export const TOLD: readonly Phrase[] = [
  phrase('The task changed nothing.'),
  phrase('The task committed, but its files are as they were.'),
  phrase('Your files already have what the task changed.'),
  phrase('Changed {0} of your files.'),
  phrase('Kept, and not landed.'),
  phrase('Discarded as asked.'),
  phrase('It did not land.'),
  phrase("Your files and the task's differ in the same places: {0}."),
  phrase('Changed meanwhile: {0}.'),
  phrase('{0} was changed meanwhile.'),
  phrase('{0} is not what git takes it for.'),
  phrase('{0} is a file, and {1} needs a folder there.'),
  phrase('{0} is a link, and {1} would go through it.'),
  phrase("Changed while it landed: {0}. The task's work is kept as well."),
  phrase("It landed, but git could not look at it: {0}. The task's work is kept as well."),
  phrase('Your branch went on since it was landed. Nothing was put back.'),
  phrase('Names that no file of yours may have: {0}.'),
  phrase('It could not be landed: {0}'),
  phrase('The process that ran it ended before it was done.'),
  phrase('It landed just before the process that ran it ended.'),
  phrase('Let a subagent run this command?'),
  phrase('{0}\n\nIn {1}\n\n{2}'),
  phrase('Let a subagent fetch from {0}?'),
  phrase('{0}\n\nThis task then fetches from {1} without asking again.\n\n{2}'),
  phrase('Let a subagent change {0}?'),
  phrase('Editors and agents take from this file what they run.\n\n{0}'),
  phrase('Cancelled'),
  phrase('Cancelled before start'),
  phrase('Cancelled before it landed.'),
  phrase('Stopped after {0} minutes (task.maxMinutes).'),
  phrase('Stopped after {0} tokens (task.maxTokens).'),
  phrase('It is in your files already.'),
  phrase('It is in your files: revert it instead.'),
  phrase('It is not in your files, so there is nothing to take back.'),
  phrase('This task changed no files, so there is nothing to land or take back.'),
  phrase('This task did not change the file.'),
  phrase('There is nothing to run again.'),
  phrase('It still runs.'),
  phrase('Isolated tasks cannot start. {0}'),
  phrase('Another subagent started it: run that one again.'),
  phrase('This task is not there any more.'),
  phrase('This batch is not there any more.'),
  phrase('Its batch still runs. Wait until it has ended, or cancel it.'),
  phrase('There is no landing {0} to undo in {1}.'),
  phrase('Changed since it was landed: {0}. Nothing was put back.'),
  phrase('{0} was changed meanwhile. Nothing was put back.'),
  phrase('There is no kept work called {0}; {1} holds what there is.'),
  phrase('Process {0} on {1} has been working on this repository for too long. Try again when it is done.'),
  phrase('{0} Nothing was put back.'),
  phrase('Its work is another than what was shown. Look at it again.'),
  phrase('The rest landed together with it: revert all of it.'),
  phrase('The rest of the file landed together with it: revert all of the file.'),
  phrase('The task did not change {0}.'),
  phrase('{0} has no hunks to choose from; take the file as a whole.'),
  phrase('{0} has {1} hunks, and no number {2}.'),
  phrase('Nothing is known of this folder: look at it, then remove it by hand.'),
  phrase('It is not there any more.'),
  phrase('It holds more than can be kept: {0}. Look at it, then remove it by hand.'),
  phrase('Other tasks work over this folder; it goes with the last of them.'),
  phrase('This branch is checked out, or went on: it was left as it is.'),
  phrase("The task's work tree is gone: {0}"),
  phrase('{0} is no longer the folder that was made for the task; look at it, then remove it by hand.'),
  phrase('"{0}" does not go onto your branch: {1}.'),
  phrase("What you have not committed overlaps with the task's work: {0}."),
  phrase('It changed the same lines as what you had not committed when it began.'),
  phrase('The output does not match the schema: {0}'),
  phrase(
    'The output could not be saved as a file, so read agent://{0} soon, while its batch is remembered: {1}.',
  ),
  phrase('fuse-projfs is not available here; git worktrees are used (setting task.isolation.mode).'),
  phrase('fuse-overlay is not available: {0}; git worktrees are used (setting task.isolation.mode).'),
];

const PATTERNS = TOLD.map(({ text }) => ({ text, pattern: patternOf(text) }));

/** A sentence of a subagent with its holes; one that is not known, such as a model's own, as it is. */
export function toldPhrase(said: string): Phrase {
  for (const { text, pattern } of PATTERNS) {
    const found = pattern.exec(said);
    if (found !== null) return { text, values: found.slice(1) };
  }
  return { text: said, values: [] };
}

function patternOf(text: string): RegExp {
  const parts = text.split(/\{\d\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('(.+)')}$`, 's');
}
