/** What a caller may ask of `sessions_spawn`, and what is wrong with a request (seed 003). */
import { z } from 'zod';
import type { AttachmentInput } from './attachments.ts';
import { oneLine } from './text.ts';

/** Ways to direct where an answer goes, which a spawned session does not have: it announces to its requester. */
const REJECTED = [
  ...['target', 'transport', 'channel', 'to'],
  ...['threadId', 'thread_id', 'replyTo', 'reply_to'],
] as const;
/** Starts of these name no single task. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['all', 'last']);
const TASK_NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const MOST_LABEL = 64;
/** A day. A run that may take longer is given no limit. */
const LONGEST_RUN = 86_400;

const attachment = z.object({
  name: z.string(),
  content: z.string(),
  encoding: z.enum(['utf8', 'base64']).optional(),
  mimeType: z.string().max(200).optional(),
});

/** What callers are told of. */
export const SHOWN_SPAWN = z.object({
  task: z.string().describe('The whole instruction'),
  label: z.string().optional(),
  agentId: z.string().optional(),
  model: z.string().optional(),
  runTimeoutSeconds: z.number().optional().describe('0: none'),
  thread: z.boolean().optional(),
  mode: z.enum(['run', 'session']).optional(),
  cleanup: z.enum(['delete', 'keep']).optional(),
  sandbox: z.enum(['inherit', 'require']).optional(),
  attachments: z.array(attachment).optional(),
  attachAs: z.object({ mountPath: z.string().optional() }).optional(),
});

/** What is taken: also fields of the reference, so that each is refused in words that help. */
export const SPAWN_INPUT = z.object({
  task: z
    .string()
    .max(1_000_000, 'task is longer than 1000000 characters: attach files')
    .refine((text) => text.trim() !== '', 'task is empty: say what is to be done'),
  label: z.string().max(MOST_LABEL, `label is longer than ${MOST_LABEL} characters`).optional(),
  taskName: z.string().optional(),
  runtime: z.enum(['subagent', 'acp']).optional(),
  agentId: z.string().max(200).optional(),
  model: z.string().max(200).optional(),
  thinking: z.string().optional(),
  runTimeoutSeconds: z.number().min(0).max(LONGEST_RUN).optional(),
  timeoutSeconds: z.number().min(0).max(LONGEST_RUN).optional(),
  cwd: z.string().optional(),
  thread: z.boolean().optional(),
  mode: z.enum(['run', 'session']).optional(),
  cleanup: z.enum(['delete', 'keep']).optional(),
  sandbox: z.enum(['inherit', 'require']).optional(),
  context: z.enum(['isolated', 'fork']).optional(),
  attachments: z.array(attachment).optional(),
  attachAs: z.object({ mountPath: z.string().optional() }).optional(),
  ...Object.fromEntries(REJECTED.map((name) => [name, z.unknown().optional()])),
});

export type SpawnInput = z.output<typeof SPAWN_INPUT>;

/** A request with its defaults. */
export interface SpawnRequest {
  readonly task: string;
  readonly label: string | undefined;
  readonly agentId: string | undefined;
  readonly model: string | undefined;
  /** 0 is no limit. */
  readonly runTimeoutSeconds: number;
  readonly thread: boolean;
  readonly mode: 'run' | 'session';
  readonly cleanup: 'delete' | 'keep';
  readonly attachments: readonly AttachmentInput[];
}

/** Why there is no such session; the status is the seed's. */
export interface SpawnRefusal {
  readonly status: 'error' | 'forbidden';
  readonly error: string;
}

/** What decides whether a request can be met, apart from who asks. */
export interface SpawnConditions {
  /** The requester may not leave its sandbox through a child. */
  readonly sandboxed: boolean;
  /** Whether this host can open a chat on the child. */
  readonly opensChats: boolean;
  /** `tools.sessions_spawn.attachments.enabled` */
  readonly attachments: boolean;
}

/** Checks all of a request that needs no look at sessions, and fills in the defaults. */
export function spawnRequest(input: SpawnInput, conditions: SpawnConditions): SpawnRequest | SpawnRefusal {
  const { thread = false, mode = thread ? 'session' : 'run', attachments = [] } = input;
  const refusal =
    unsupported(input) ?? sandboxRefusal(input, conditions) ?? threadRefusal(thread, mode, conditions);
  if (refusal !== undefined) return refusal;
  if (attachments.length > 0 && !conditions.attachments)
    return error(
      'attachments are switched off (setting "tools.sessions_spawn.attachments.enabled": false, of the person or of this folder). Put what the child needs into task, or name files of the folder.',
    );
  return {
    ...{ task: input.task, thread, mode, attachments },
    label: text(input.label) ?? text(input.taskName),
    agentId: text(input.agentId),
    model: text(input.model),
    runTimeoutSeconds: input.runTimeoutSeconds ?? input.timeoutSeconds ?? 0,
    cleanup: input.cleanup ?? 'keep',
  };
}

function unsupported(input: SpawnInput): SpawnRefusal | undefined {
  const named = REJECTED.filter((name) => isGiven(Reflect.get(input, name)));
  if (named.length > 0)
    return error(
      `sessions_spawn does not support ${named.map((name) => `"${name}"`).join(', ')}: the child announces its result to this session. Use sessions_send to write to another one.`,
    );
  const { taskName, runtime, thinking, context, cwd, attachments = [] } = input;
  if (isGiven(taskName) && (!TASK_NAME.test(String(taskName)) || RESERVED_NAMES.has(String(taskName))))
    return error(
      'taskName must begin with a small letter and have at most 64 of a-z, 0-9, _ and -; "all" and "last" are taken.',
    );
  if (runtime === 'acp' && attachments.length > 0)
    return error('attachments are only supported for runtime "subagent", not for "acp".');
  if (runtime === 'acp') return error('runtime "acp" is not available here. Leave runtime out.');
  if (isGiven(thinking))
    return error('thinking cannot be chosen for a spawned session here. Leave it out, or name a model.');
  if (context === 'fork')
    return error(
      'context "fork" is not available here: the child knows only its task. Put all it needs there.',
    );
  if (isGiven(cwd) && cwd !== '.')
    return error('cwd cannot be chosen: the child works in this workspace folder. Name the folder in task.');
  return undefined;
}

function sandboxRefusal({ sandbox }: SpawnInput, { sandboxed }: SpawnConditions): SpawnRefusal | undefined {
  const instead = 'Use task with "isolated": true, whose work is in a git worktree of its own.';
  if (sandbox === 'require')
    return forbidden(`sandbox "require": a spawned session works in the folder itself. ${instead}`);
  if (sandboxed)
    return forbidden(
      'Sandboxed sessions cannot spawn unsandboxed ones, and a spawned session works in the folder itself. Do the work yourself.',
    );
  return undefined;
}

function threadRefusal(
  thread: boolean,
  mode: SpawnRequest['mode'],
  { opensChats }: SpawnConditions,
): SpawnRefusal | undefined {
  if (mode === 'session' && !thread) return error('mode "session" requires thread: true.');
  if (thread && !opensChats)
    return error(
      'thread: true opens a chat on the child, and there is no editor here that could. Leave thread and mode out, and use sessions_send to go on with the child.',
    );
  return undefined;
}

/** Models fill what they have nothing for with null, empty texts and defaults of their types. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function text(value: string | undefined): string | undefined {
  const line = oneLine(value ?? '').trim();
  return line === '' ? undefined : line;
}

function error(message: string): SpawnRefusal {
  return { status: 'error', error: message };
}

function forbidden(message: string): SpawnRefusal {
  return { status: 'forbidden', error: message };
}
