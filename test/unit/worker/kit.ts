/** What the tests of the session service share. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Message, textOf } from '../../../src/session/messages.ts';
import type { SessionRecord } from '../../../src/session/record.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { followTranscript } from '../../../src/session/transcript.ts';
import type { SessionCaller, TurnOutcome, TurnOwner, TurnView } from '../../../src/worker/sessionApi.ts';
import { answer, draft, options, say } from '../session/kit.ts';

export const PERSON = { level: 'RESTRICTED' } as const;
export const DELAY = 60;
export const OWNER: TurnOwner = { key: 'k', kind: 'participant', source: 'test', level: 'PUBLIC' };
export const CHAT: SessionCaller = { key: 'chat', kind: 'copilot', source: 'copilot', level: 'PUBLIC' };
export const ID = idOf(OWNER.key);
export const CHAT_ID = idOf(CHAT.key);

/** The caller of a tool in the loop of `OWNER`. */
export function inLoop(callId: string, depth = 0): SessionCaller {
  return { ...OWNER, loop: { callId, depth } };
}

export function init(...items: string[]) {
  return [{ op: 'init', list: [{ phase: 'P', items }] }];
}

/** A copy of the view that is kept elsewhere, as a loop keeps it. */
export class Copy {
  messages: Message[] = [];

  take(answer: TurnView | TurnOutcome): this {
    if ('reason' in answer) throw new Error(`ended: ${answer.reason} ${answer.detail}`);
    this.messages.length = answer.keep;
    this.messages.push(...answer.messages);
    return this;
  }

  /** Each message in short: its texts, `name(id)` for a call and `=id` for a result. */
  get lines(): string[] {
    return this.messages.map((message) =>
      [
        textOf(message),
        ...message.content.flatMap((block) =>
          block.type === 'tool_use'
            ? [`${block.name}(${block.id})`]
            : block.type === 'tool_result'
              ? [`=${block.tool_use_id}`]
              : [],
        ),
      ]
        .filter((line) => line !== '')
        .join(' '),
    );
  }
}

/** The records of a transcript under a test's folder. */
export function recordsOf(folder: string, id = ID, agentId?: string): SessionRecord[] {
  const at = options(folder, { dir: join(folder, 'store', 'sessions'), id, defaultLevel: 'PUBLIC' });
  return followTranscript({ ...at, agentId }).read().records;
}

export function inboxOf(folder: string, id: string): string[] {
  try {
    return readdirSync(join(folder, 'store', 'sessions', id, 'local', 'inbox'));
  } catch {
    return [];
  }
}

/** What a person, the model and its tools say, as drafts. */
export const user = (text: string) => draft(say('user', text));
export const said = (...content: Parameters<typeof say>[1][]) => draft(say('assistant', ...content));
export const answered = (...ids: string[]) => draft(say('user', ...ids.map((id) => answer(id))));
