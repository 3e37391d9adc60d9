/** What the lines of Copilot's transcripts say, as records of ours. */
import { createHash } from 'node:crypto';
import { redactSecrets } from '../policy/redact.ts';
import { redactJson } from '../policy/redactJson.ts';
import { type Message, textMessage } from './messages.ts';
import type { Draft } from './record.ts';

/** What is longer is cut: whole files that the agent reads are in the folder already. */
const MAX_TEXT = 32 * 1024;
/** A call that never ended must not make every reading begin with it. */
const MAX_OPEN_BYTES = 256 * 1024;
const LF = 0x0a;

/** A call of a tool that is not ours, and its result. */
export interface SeenCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly result: string;
  readonly isError: boolean;
  readonly timestamp?: string | undefined;
}

export interface LineOptions {
  /** Id of the chat. */
  readonly chat: string;
  /** Tools of ours: their calls are recorded where they run. */
  isOwnTool(name: string): boolean;
}

interface Line {
  readonly type: string;
  readonly id: string;
  readonly timestamp: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  readonly offset: number;
}

/** Records of whole lines, and where the next reading begins: a call counts when it has ended, so before the first open one. */
export async function draftsOf(
  { bytes, offset }: { readonly bytes: Buffer; readonly offset: number },
  options: LineOptions,
): Promise<{ drafts: Draft[]; next: number }> {
  const end = offset + bytes.length;
  const open = new Map<string, Line>();
  const drafts: Draft[] = [];
  for (const line of linesOf(bytes, offset)) {
    const call = textIn(line.data, 'toolCallId');
    if (line.type === 'user.message') drafts.push(...(await said('user', line, options)));
    else if (line.type === 'assistant.message') drafts.push(...(await said('assistant', line, options)));
    else if (line.type === 'tool.execution_start') open.set(call, line);
    else if (line.type === 'tool.execution_complete') {
      const started = open.get(call);
      open.delete(call);
      if (started) drafts.push(...(await callDrafts(endedCall(started, line), options)));
    }
  }
  const first = Math.min(end, ...[...open.values()].map((line) => line.offset));
  return { drafts, next: end - first > MAX_OPEN_BYTES ? end : first };
}

/** The two records of a call. Whoever tells of the same call gives them the same ids, so that it counts once. */
export async function callDrafts(call: SeenCall, { chat, isOwnTool }: LineOptions): Promise<Draft[]> {
  // What the editor adds to a call's id differs between those who tell of it.
  const id = call.id.split('__vscode-', 1)[0] ?? '';
  if (id === '' || isOwnTool(call.name)) return [];
  const { timestamp } = call;
  const use: Message = {
    role: 'assistant',
    content: [
      { type: 'tool_use', id, name: clean(call.name).slice(0, 200), input: await inputOf(call.input) },
    ],
  };
  const result: Message = {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: id,
        content: [{ type: 'text', text: (await textOf(call.result)) || unknownResult(call) }],
        ...(call.isError && { is_error: true }),
      },
    ],
  };
  return [
    { type: 'message', message: use, uuid: uuidOf(chat, `call ${id}`), ...(timestamp && { timestamp }) },
    { type: 'message', message: result, uuid: uuidOf(chat, `result ${id}`), ...(timestamp && { timestamp }) },
  ];
}

/** Copilot tells hooks and its transcript that a tool ran, and seldom what it answered. */
function unknownResult({ isError }: SeenCall): string {
  return isError ? '(failed)' : '(done; what it answered is not told)';
}

/** ISO 8601 in UTC, or undefined for what is no time. */
export function isoTime(value: unknown): string | undefined {
  const time = typeof value === 'string' && value.length < 64 ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) ? new Date(time).toISOString() : undefined;
}

function endedCall(started: Line, { data, timestamp }: Line): SeenCall {
  const isError = data.success === false;
  const result = isObject(data.result) ? textIn(data.result, 'content') : '';
  return {
    id: textIn(started.data, 'toolCallId'),
    name: textIn(started.data, 'toolName'),
    input: started.data.arguments ?? {},
    result,
    isError,
    timestamp,
  };
}

async function said(role: 'user' | 'assistant', line: Line, { chat }: LineOptions): Promise<Draft[]> {
  const text = await textOf(textIn(line.data, 'content'));
  if (text.trim() === '') return [];
  const { timestamp } = line;
  const message = textMessage(role, text);
  return [{ type: 'message', message, uuid: uuidOf(chat, line.id), ...(timestamp && { timestamp }) }];
}

function* linesOf(bytes: Buffer, offset: number): Generator<Line> {
  for (let start = 0, end = bytes.indexOf(LF); end >= 0; start = end + 1, end = bytes.indexOf(LF, start)) {
    const line = parseLine(bytes.toString('utf8', start, end));
    if (line) yield { ...line, offset: offset + start };
  }
}

function parseLine(text: string): Omit<Line, 'offset'> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || !isObject(value.data)) return undefined;
  const [type, id] = [textIn(value, 'type'), textIn(value, 'id')];
  return id === '' ? undefined : { type, id, timestamp: isoTime(value.timestamp), data: value.data };
}

/** An input as it is kept: whole when it is small, else as the beginning of its text. */
async function inputOf(input: unknown) {
  const text = JSON.stringify(input) ?? '';
  if (text.length > MAX_TEXT) return { cut: await textOf(text) };
  return await redactJson(JSON.parse(clean(text) || '{}'));
}

async function textOf(text: string): Promise<string> {
  const kept = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (cut)` : text;
  return (await redactSecrets(clean(kept))).text;
}

/** Half a character would not survive being written to a file. */
function clean(text: string): string {
  return text.toWellFormed();
}

/** The same for the same record of the same chat, whoever reads it and however often. */
function uuidOf(chat: string, id: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify(['copilot', chat, id]))
    .digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

function textIn(value: Readonly<Record<string, unknown>>, name: string): string {
  const text = value[name];
  return typeof text === 'string' ? text : '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
