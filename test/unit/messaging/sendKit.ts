/** Sessions that answer each other in a test, with a model that says what the test wants. */
import type { ChatModel, ModelPart, ModelRequest } from '../../../src/session/chatModel.ts';
import { textOf } from '../../../src/session/messages.ts';
import type { SessionKind, SessionRecord } from '../../../src/session/record.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { draft, say } from '../session/kit.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';
import { recordsOf } from '../worker/kit.ts';

type Answer = string | readonly ModelPart[] | Promise<string>;

/** Says what a function makes of the last message that it is shown. */
export class AnsweringModel implements ChatModel {
  readonly name = 'answering';
  readonly asked: string[] = [];
  answer: (text: string, request: ModelRequest, signal: AbortSignal) => Answer;

  constructor(answer: AnsweringModel['answer']) {
    this.answer = answer;
  }

  async *send(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const last = request.messages.at(-1);
    const text = last === undefined ? '' : lastText(last);
    this.asked.push(text);
    const answer = await this.answer(text, request, signal);
    if (typeof answer === 'string') yield { type: 'text', text: answer };
    else yield* answer;
  }
}

function lastText(message: ModelRequest['messages'][number]): string {
  const [block] = message.content;
  return block?.type === 'tool_result' ? textOf({ role: 'user', content: block.content }) : textOf(message);
}

export const A = 'agent:main:webchat:direct:a';
export const B = 'agent:main:webchat:direct:b';

/** Two chats of ours, `a` and `b`, in which something was said; each sees the other unless settings say else. */
export async function openTalk(
  answer: AnsweringModel['answer'],
  settings: Record<string, unknown> = {},
  folder = temporaryFolder(),
) {
  settings['tools.sessions.visibility'] ??= 'all';
  const tools = openTestTools(folder, undefined, settings);
  const model = new AnsweringModel(answer);
  tools.models.model = model;
  const chat = async (key: string, kind: SessionKind = 'participant') => {
    const owner = { key, kind, source: 'lodeline', level: 'PUBLIC' } as const;
    const { id } = await tools.sessions.turnBegin(owner, [draft(say('user', `hello ${key}`))]);
    return tools.sessions.turnEnd(id, [draft(say('assistant', `hi ${key}`))], { reason: 'completed' });
  };
  await chat('a');
  await chat('b');
  const send = async (input: object, as: Partial<ToolCall> = {}) => {
    const outcome = await tools.call(
      'sessions_send',
      { sessionKey: B, message: 'What is 2+2?', ...input },
      { session: 'a', door: 'editor', loop: { callId: 'c', depth: 0 }, ...as },
    );
    if (outcome.data === undefined) throw new Error(outcome.text);
    return outcome.data as Record<string, string>;
  };
  const records = (key: string): SessionRecord[] => recordsOf(tools.folder, idOf(key));
  /** What a session's messages say after the first turn: the role and the text without the head of a message. */
  const said = (key: string): string[] =>
    records(key)
      .flatMap((record) => {
        if (record.type !== 'message') return [];
        const text = textOf(record.message);
        const parts = text.startsWith('[Inter-session message]') ? text.split('\n\n').slice(1) : [text];
        return [`${record.message.role}: ${parts.join(' / ')}`];
      })
      .slice(2);
  return { ...tools, model, chat, send, records, said };
}
