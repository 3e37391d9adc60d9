/** What the tests of sessions share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import type { LiveSession } from '../../../src/session/liveSession.ts';
import type { Block, Message, Role, Usage } from '../../../src/session/messages.ts';
import type { Draft, RecordBody, SessionInfo, SessionRecord } from '../../../src/session/record.ts';
import { type Resumed, resumeSession, startSession } from '../../../src/session/resume.ts';
import {
  openTranscript,
  type TranscriptOptions,
  type TranscriptWriter,
} from '../../../src/session/transcript.ts';

export const START = Date.parse('2026-07-12T09:00:00Z');

export const INFO: SessionInfo = {
  key: 'agent:main:main',
  kind: 'participant',
  source: 'test',
  started: START,
  depth: 0,
};

/** A folder that the test's end removes. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lodeline-session-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Options of the session `s` in a folder. What is above INTERNAL is sealed. */
export function options(dir: string, changes: Partial<TranscriptOptions> = {}): TranscriptOptions {
  return {
    dir: join(dir, 'sessions'),
    id: 's',
    keys: new KeyRing({ dir: join(dir, 'keys') }),
    defaultLevel: 'INTERNAL',
    now: () => START,
    ...changes,
  };
}

/** Opens a transcript that nobody else has. */
export function openFree(options: TranscriptOptions): { writer: TranscriptWriter; records: SessionRecord[] } {
  const opened = openTranscript(options);
  if (!opened.writer) throw new Error(`held by ${JSON.stringify(opened.holder)}`);
  return opened;
}

/** Goes on with a session that nobody else has. */
export function resume(options: TranscriptOptions): Resumed {
  const resumed = resumeSession(options);
  if (!resumed.session) throw new Error(`held by ${JSON.stringify(resumed.holder)}`);
  return resumed;
}

/** A new session. */
export function start(options: TranscriptOptions): LiveSession {
  const { session } = startSession(options, INFO);
  if (!session) throw new Error('held');
  return session;
}

export function say(role: Role, ...content: (Block | string)[]): Message {
  return {
    role,
    content: content.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
  };
}

export function use(id: string, name = 'read'): Block {
  return { type: 'tool_use', id, name, input: { id } };
}

export function answer(id: string, text = `result of ${id}`): Block {
  return { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] };
}

export function draft(message: Message, usage?: Usage): Extract<Draft, { type: 'message' }> {
  return usage ? { type: 'message', message, usage } : { type: 'message', message };
}

/** Records as they would stand in a transcript, named r0, r1, … unless they bring a uuid. */
export function records(...drafts: Draft[]): SessionRecord[] {
  return drafts.map(({ uuid, parent_uuid: _, timestamp, level, ...body }, seq) => ({
    uuid: uuid ?? `r${seq}`,
    session_id: 's',
    timestamp: timestamp ?? new Date(START + seq * 1000).toISOString(),
    level: level ?? 'PUBLIC',
    seq,
    ...(body as RecordBody),
  }));
}

/** Calls without a result and results without a call. */
export function unpaired(messages: readonly Message[]): string[] {
  const open = new Set<string>();
  const orphans: string[] = [];
  for (const block of messages.flatMap((message) => message.content)) {
    if (block.type === 'tool_use') open.add(block.id);
    else if (block.type === 'tool_result' && !open.delete(block.tool_use_id)) orphans.push(block.tool_use_id);
  }
  return [...open, ...orphans];
}
