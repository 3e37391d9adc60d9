/**
 * The names of tasks and of what they leave behind.
 *
 * A task id is the model's; an artifact id is `<number>-<task id>`, and of a nested subagent
 * `<parent's artifact id>.<number>-<task id>`. Only a text that passes here becomes part of a path.
 */

/** Seed 000: a task id has at most 48 characters. */
export const TASK_ID_LENGTH = 48;

/** No dot, which stands between a parent and its child; no dash in front, which would be an option. */
const TASK_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;
const ARTIFACT_ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
/** Names that Windows keeps for devices, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/i;
/** File systems allow 255 bytes; the rest is for suffixes and temporary names. */
export const ARTIFACT_ID_LENGTH = 200;

/** Why a text cannot be a task id, as the end of a sentence; undefined when it can. */
export function taskIdProblem(id: string): string | undefined {
  if (id.length > TASK_ID_LENGTH) return `is longer than ${TASK_ID_LENGTH} characters`;
  if (!TASK_ID.test(id)) return 'may hold only letters (a-z), digits, _ and -, and not start with -';
  if (RESERVED.test(id)) return 'is a name that Windows reserves';
  return undefined;
}

/** Whether a text can be an artifact id, and so part of a file's name. */
export function isArtifactId(id: string): boolean {
  return id.length <= ARTIFACT_ID_LENGTH && ARTIFACT_ID.test(id) && !RESERVED.test(id.split('.')[0] ?? '');
}
