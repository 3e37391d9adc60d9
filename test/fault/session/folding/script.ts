/** A session of many turns whose model folds when it is told to, for a process that may die in it. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { KeyRing } from '../../../../src/journal/keys.ts';
import { runTurn } from '../../../../src/session/agentLoop.ts';
import type { ChatModel, ModelPart, ModelRequest } from '../../../../src/session/chatModel.ts';
import { tokensOfFixed, tokensOfMessages } from '../../../../src/session/compaction/estimate.ts';
import { createFolding } from '../../../../src/session/folding/folding.ts';
import { type Message, textOf } from '../../../../src/session/messages.ts';
import { idOf } from '../../../../src/session/sessionId.ts';
import type { TranscriptSeam } from '../../../../src/session/transcript.ts';
import type { LoopTools } from '../../../../src/session/turnCalls.ts';
import { SessionService } from '../../../../src/worker/sessions.ts';

export const KEY = 'folding';
export const WINDOW = 32_000;

/** Of one turn. */
const MOST_CALLS = 6;

export interface ScriptOptions {
  readonly dir: string;
  readonly keys: string;
  readonly from: number;
  readonly to: number;
  /** The request of this turn that the process dies in, after it wrote what it was shown into `seen`. */
  readonly dieIn?: number | undefined;
  /** The step of a fold at which it dies, from 1. */
  readonly dieAt?: number | undefined;
  /** Goes on with the session before the turns, as a person does. */
  readonly resumes?: boolean | undefined;
  readonly seen: string;
}

/** What one request was like. */
export interface Shown {
  readonly turn: number;
  readonly estimated: number;
  readonly isNudged: boolean;
}

/** Words that no two turns share, about so many characters. */
function textFor(seed: number, characters: number): string {
  let text = '';
  for (let at = 0; text.length < characters; at++) {
    const digest = createHash('sha256').update(`${seed} ${at}`).digest('hex');
    text += `line ${at}: const value${digest.slice(0, 4)} = parse(${digest.slice(4, 7)}); // step ${seed}, 값 ${at}\n`;
  }
  return text.slice(0, characters);
}

const TOOLS: LoopTools = {
  specs: () => [{ name: 'read', description: 'Read a file', inputSchema: { type: 'object' } }],
  isExclusive: () => false,
  effectOf: () => 'read',
  call: async ({ input }) => {
    const { turn } = input as { turn: number };
    return { text: textFor(turn, 2_000 + ((turn * 997) % 3_000)), isError: false };
  },
};

function die(): void {
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
}

/** Runs the turns; `onRequest` is told of every request before it is answered. */
export async function runScript(
  options: ScriptOptions,
  onRequest: (shown: Shown, request: ModelRequest) => void = () => {},
): Promise<{ steps: number }> {
  let steps = 0;
  const seam: TranscriptSeam = {
    step(name) {
      if (!name.startsWith('folds:')) return;
      steps++;
      if (steps === options.dieAt) die();
    },
  };
  const keys = new KeyRing({ dir: options.keys });
  const sessions = new SessionService({
    ...{ dir: options.dir, keys, defaultLevel: 'PUBLIC', now: Date.now, seam },
  });
  if (options.resumes === true) await sessions.sessionResume(idOf(KEY), { level: 'PUBLIC' });
  for (let turn = options.from; turn < options.to; turn++) {
    const result = await runTurn({
      sessions,
      owner: { key: KEY, kind: 'participant', source: 'test', level: 'PUBLIC' },
      prompt: `Turn ${turn}: look at part ${turn}. The word of this turn is w${createHash('sha256').update(String(turn)).digest('hex').slice(0, 8)}.`,
      model: modelOf(turn, options, onRequest),
      system: 'Be brief.',
      tools: TOOLS,
      signal: new AbortController().signal,
      reminders: 0,
      compactor: createFolding({
        ...{ folds: sessions, place: { key: KEY } },
        windowOf: () => ({ contextWindow: WINDOW, maxOutputTokens: 1 }),
      }),
      onText: () => {},
    });
    if (result.reason !== 'completed') throw new Error(`turn ${turn}: ${result.reason} ${result.detail}`);
  }
  sessions.close();
  return { steps };
}

function modelOf(
  turn: number,
  { dieIn, seen }: ScriptOptions,
  onRequest: (shown: Shown, request: ModelRequest) => void,
): ChatModel {
  let hasRead = false;
  let calls = 0;
  return {
    name: 'folder',
    async *send(request): AsyncGenerator<ModelPart> {
      const { messages } = request;
      const last = textOf(messages.at(-1) as Message);
      const nudge = last.startsWith('Notice from Lodeline, not a message: about') ? last : undefined;
      const estimated = tokensOfFixed(request) + tokensOfMessages(messages);
      onRequest({ turn, estimated, isNudged: nudge !== undefined }, request);
      if (turn === dieIn && hasRead) {
        writeFileSync(seen, JSON.stringify(messages));
        die();
      }
      const range = nudge === undefined ? undefined : rangeIn(nudge);
      // Where nothing came of that, it goes on with its task.
      if (range !== undefined && calls < MOST_CALLS) {
        const [startId, endId] = range;
        const summary = `Parts up to turn ${turn} were looked at. ${textFor(turn, startId.startsWith('b') ? 300 : 400)}`;
        const input = { content: [{ topic: `to ${turn}`, startId, endId, summary }] };
        yield { type: 'tool_use', id: `t${turn}f${calls++}`, name: 'Compress', input };
      } else if (!hasRead) {
        hasRead = true;
        yield { type: 'tool_use', id: `t${turn}c${calls++}`, name: 'read', input: { turn } };
      } else yield { type: 'text', text: `Part ${turn} is fine.` };
    },
  };
}

function rangeIn(nudge: string): readonly [string, string] | undefined {
  const sections = /startId "(b\d+)", endId "(b\d+)"/.exec(nudge) ?? /(m\d{5,}) to (m\d{5,})/.exec(nudge);
  return sections?.[1] === undefined || sections[2] === undefined ? undefined : [sections[1], sections[2]];
}
