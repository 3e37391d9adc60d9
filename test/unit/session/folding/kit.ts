/** What the tests of folding share. */
import type { JsonValue } from '../../../../src/journal/record.ts';
import type { ChatModel } from '../../../../src/session/chatModel.ts';
import type { CompactorRequest } from '../../../../src/session/compactor.ts';
import type { FoldBlock } from '../../../../src/session/folding/blocks.ts';
import { createFolding, type FoldingOptions } from '../../../../src/session/folding/folding.ts';
import { foldedText, planFolds } from '../../../../src/session/folding/gates.ts';
import { parseFoldInput } from '../../../../src/session/folding/parse.ts';
import { project } from '../../../../src/session/folding/project.ts';
import { COMPRESS, rebuild } from '../../../../src/session/folding/rebuild.ts';
import type { Message } from '../../../../src/session/messages.ts';
import type { FoldOpened } from '../../../../src/session/record.ts';
import { answer, say } from '../kit.ts';

export const WINDOW = 100_000;
export const SUMMARY =
  'The files were read. The parser is in src/parse.ts and fails on empty input; nothing was changed yet.';

/** A conversation that grows message by message, in which calls fold. */
export class Conversation {
  readonly messages: Message[] = [];
  opened: FoldOpened[] = [];
  #calls = 0;

  /** The person says something. */
  user(text: string): this {
    this.messages.push(say('user', text));
    return this;
  }

  /** The model reads a file of so many characters. */
  read(characters: number, text = `line of file ${this.#calls} `): this {
    const id = `c${this.#calls++}`;
    this.messages.push(
      say('assistant', `Reading ${id}.`, { type: 'tool_use', id, name: 'read', input: { path: id } }),
    );
    this.messages.push(
      say('user', answer(id, text.repeat(Math.ceil(characters / text.length)).slice(0, characters))),
    );
    return this;
  }

  /** The model calls `Compress`; the result is what the gates say. Answers it. */
  compress(input: JsonValue, window = WINDOW): string {
    const id = `f${this.#calls++}`;
    const plan = planFolds(this.folds, parseFoldInput(input), id, window);
    const text = plan.ok ? foldedText(plan.planned, plan.notes) : plan.error;
    this.messages.push(say('assistant', { type: 'tool_use', id, name: COMPRESS, input }));
    this.messages.push(
      say('user', {
        type: 'tool_result',
        tool_use_id: id,
        content: [{ type: 'text', text }],
        ...(!plan.ok && { is_error: true }),
      }),
    );
    return text;
  }

  fold(startId: string, endId: string, summary = SUMMARY): string {
    return this.compress({ content: [{ topic: 'reading', startId, endId, summary }] });
  }

  get folds() {
    return rebuild(this.messages, this.opened);
  }

  get view(): readonly Message[] {
    return project(this.folds, { hasTags: true });
  }

  /** Every text of the view, one after another. */
  get text(): string {
    return textsOf(this.view);
  }
}

/** Everything that a model reads of messages. */
export function textsOf(messages: readonly Message[]): string {
  const texts = (blocks: Message['content']): string[] =>
    blocks.flatMap((block) => {
      if (block.type === 'text') return [block.text];
      if (block.type === 'tool_use') return [JSON.stringify(block.input)];
      return block.type === 'tool_result' ? texts(block.content) : [];
    });
  return messages.flatMap(({ content }) => texts(content)).join('\n');
}

/** A place for folds that is only in memory. */
function memoryFolds(): FoldingOptions['folds'] & {
  committed: FoldBlock[];
  opened: FoldOpened[];
  density: number;
  fails: boolean;
} {
  return {
    committed: [],
    opened: [],
    density: 1,
    fails: false,
    async foldOpen(_place, density = 1) {
      if (this.fails) throw new Error('the disk is gone');
      this.density = Math.max(this.density, density);
      return { opened: this.opened, density: this.density };
    },
    async foldCommit(_place, blocks) {
      if (this.fails) throw new Error('the disk is full');
      this.committed.push(...blocks);
    },
    async foldRead(_place, block, offset, length) {
      return { text: `original of ${block}`.slice(offset, offset + length), next: undefined };
    },
  };
}

const MODEL: ChatModel = {
  name: 'scripted',
  maxInputTokens: WINDOW,
  async *send() {},
};

export function request(
  messages: readonly Message[],
  changes: Partial<CompactorRequest> = {},
): CompactorRequest {
  return {
    ...{ system: 'Be brief.', messages, tools: [], model: MODEL, usage: undefined },
    ...{ signal: new AbortController().signal, ...changes },
  };
}

/** A compactor whose window is all of the model's. */
export function folding(folds = memoryFolds(), key = `k${Math.random()}`) {
  const compactor = createFolding({
    ...{ folds, place: { key } },
    windowOf: ({ maxInputTokens = WINDOW }) => ({ contextWindow: maxInputTokens, maxOutputTokens: 1 }),
  });
  return { compactor, folds };
}
