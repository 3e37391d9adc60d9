/** What an agent tells its hooks: JSON on standard input, in the words of VS Code's agent hooks and Claude Code's. */
import type { SeenCall } from '../session/observedTranscriptLines.ts';
import { isoTime } from '../session/observedTranscriptLines.ts';

/** Results of tools come along; nothing sensible is longer. */
const MAX_INPUT = 16 * 1024 * 1024;
const MAX_NAME = 200;
/** What may become part of a path: DESIGN's grammar of ids. */
const ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const MAX_ID = 128;

export interface HookEvent {
  /** Such as `PostToolUse`. */
  readonly name: string;
  /** Id of the chat. */
  readonly session: string;
  readonly agent: string;
  /** Where the agent works; undefined when it does not say. */
  readonly cwd: string | undefined;
  /** The transcript that the agent itself writes. */
  readonly transcript: string | undefined;
  /** For events of tools. */
  readonly tool: string;
  readonly input: unknown;
  /** A call that has just ended. */
  readonly call: SeenCall | undefined;
}

/** Input that is no event of a hook; the message says why. */
class HookInputError extends Error {
  override readonly name = 'HookInputError';
}

/** Reads all of a stream. @throws HookInputError when it does not end within the bound. */
export async function readInput(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    // The agent must be able to write it all, whatever becomes of it.
    if (length <= MAX_INPUT) chunks.push(Buffer.from(chunk));
    else chunks.length = 0;
  }
  if (length > MAX_INPUT) throw new HookInputError(`the input is longer than ${MAX_INPUT} bytes`);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The event that a text tells of.
 * @param given the event's name and the agent's, where the command line says them
 * @throws HookInputError
 */
export function parseEvent(
  text: string,
  given: { readonly event?: string | undefined; readonly agent?: string | undefined } = {},
): HookEvent {
  const value = parseJson(text);
  const field = (...names: readonly string[]): string | undefined =>
    names.map((name) => value[name]).find((each): each is string => typeof each === 'string' && each !== '');
  const name = given.event ?? field('hook_event_name', 'hookEventName');
  if (name === undefined) throw new HookInputError('it has no hook_event_name');
  const session = field('session_id', 'sessionId', 'conversation_id');
  if (session === undefined) throw new HookInputError('it has no session_id');
  if (session.length > MAX_ID || !ID.test(session)) throw new HookInputError('its session_id is not an id');
  const transcript = field('transcript_path', 'transcriptPath');
  const tool = (field('tool_name', 'toolName') ?? '').slice(0, MAX_NAME);
  const input = objectIn(value.tool_input ?? value.toolInput ?? value.toolArgs);
  const event = { name: name.slice(0, MAX_NAME), session, tool, input, transcript };
  return {
    ...event,
    agent: given.agent ?? agentOf(transcript, value),
    cwd: field('cwd'),
    call: callOf(event, value),
  };
}

function parseJson(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new HookInputError('it is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HookInputError('it is not a JSON object');
  return value as Readonly<Record<string, unknown>>;
}

/** Copilot CLI hands a tool's input over as the text of its JSON. */
function objectIn(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null ? value : input;
  } catch {
    return input;
  }
}

/** Each agent keeps its transcripts in a folder of its own; of the two only the editor tells the time. */
function agentOf(transcript: string | undefined, value: Readonly<Record<string, unknown>>): string {
  if (transcript !== undefined && /[\\/]\.claude[\\/]/.test(transcript)) return 'claude-code';
  return 'timestamp' in value ? 'copilot' : 'claude-code';
}

function callOf(
  { name, tool, input }: Pick<HookEvent, 'name' | 'tool' | 'input'>,
  value: Readonly<Record<string, unknown>>,
): SeenCall | undefined {
  const id = value.tool_use_id;
  if (name !== 'PostToolUse' || tool === '' || typeof id !== 'string' || id.length > MAX_NAME)
    return undefined;
  const response = value.tool_response;
  const result = typeof response === 'string' ? response : (JSON.stringify(response) ?? '');
  return { id, name: tool, input: input ?? {}, result, isError: false, timestamp: isoTime(value.timestamp) };
}
