/** A process that runs one turn and kills itself in the midst of it. Run by effects.test.ts. */
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonValue } from '../../../src/journal/record.ts';
import type { ChatModel, ModelPart } from '../../../src/session/chatModel.ts';
import { BatchFiles, OWNER } from '../../../src/subagent/batchFiles.ts';
import { NO_PROGRESS } from '../../../src/subagent/batchRecord.ts';
import { ID } from './common.ts';
import { around, compactorOf, EffectLoop, OWNER as OWNER_OF } from './effectKit.ts';

export interface Life {
  readonly folder: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Answers of the model: the calls of each. */
  readonly answers: readonly (readonly {
    readonly id: string;
    readonly name: string;
    readonly input: JsonValue;
  }[])[];
  /** `before`, `after`: the first call of the tool `on`. `during`: a moment after it began. `idle`: the turn has ended. */
  readonly dies: 'before' | 'after' | 'during' | 'idle' | 'torn';
  readonly on?: string;
  /** Leaves a batch whose task runs. */
  readonly batch?: boolean;
  /** `torn`: in which write, the one of the first results where not given, and after which part of it. */
  readonly torn?: { readonly on: string; readonly at: number };
  /** Works with a window of so many tokens. */
  readonly window?: number;
  /** Tasks of a plan that is there when the turn begins. */
  readonly plan?: readonly string[];
}

const life = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Life;

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
}

let writes = 0;
const { on: tornOn, at: tornAt } = life.torn ?? { on: '"tool_result"', at: 0.5 };
const loop = new EffectLoop({
  ...{ folder: life.folder, instance: 'first' },
  ...(life.settings && { settings: life.settings }),
  seam: {
    write(fd, bytes, offset, length) {
      const isIt = Buffer.from(bytes.buffer, bytes.byteOffset + offset, length).includes(tornOn);
      if (life.dies !== 'torn' || !isIt || writes++ > 0) return writeSync(fd, bytes, offset, length);
      writeSync(fd, bytes, offset, Math.ceil(length * tornAt));
      return die();
    },
  },
});

let asked = 0;
const model: ChatModel = {
  name: 'first model',
  async *send({ tools: offered }): AsyncGenerator<ModelPart> {
    if (offered.length === 0) {
      yield { type: 'text', text: '<summary>\n1. Intent: FACT\n</summary>' };
      return;
    }
    const calls = life.answers[asked++] ?? [];
    yield { type: 'text', text: calls.length === 0 ? 'Done.' : 'Now I act.' };
    for (const call of calls) yield { type: 'tool_use', ...call };
  },
};

const isIt = (name: string) => life.on === undefined || life.on === name;
const tools = around(loop.tools(), {
  before: (name) => {
    if (life.dies === 'before' && isIt(name)) die();
    if (life.dies === 'during' && isIt(name)) void delay(1_500).then(die);
  },
  after: (name) => life.dies === 'after' && isIt(name) && die(),
});

if (life.batch === true) {
  const task = {
    id: '0-Look',
    name: 'Look',
    description: '',
    assignment: 'look',
    status: 'running',
  } as const;
  await new BatchFiles(join(loop.store, 'batches'), Date.now).save(
    {
      ...{ version: 1, id: 'b1', session: ID, level: 'PUBLIC', agent: 'task', context: '', schema: '' },
      ...{ isolated: false, background: true, started: Date.now(), owner: OWNER },
      tasks: [{ ...task, progress: NO_PROGRESS, preview: '', findings: [], files: [] }],
    },
    true,
  );
}
if (life.plan !== undefined)
  await loop.sessions.todoWrite(
    { ...OWNER_OF, loop: { callId: 'plan', depth: 0 } },
    [{ op: 'init', list: [{ phase: 'P', items: [...life.plan] }] }],
    60,
  );
await loop.turn(model, { tools, ...(life.window && { compactor: compactorOf(life.window) }) });
if (life.dies === 'idle') die();
