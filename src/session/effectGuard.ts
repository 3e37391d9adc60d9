/**
 * Side effects in a loop: they are announced before they take place, and refused while nobody knows of earlier ones
 * whether they took place.
 */
import { hash } from 'node:crypto';
import type { ToolSpec } from './chatModel.ts';
import type { Acknowledged, CallIntent, CallOutcome, Finding } from './effects.ts';
import type { WrittenCall } from './modelAnswer.ts';
import type { Draft } from './record.ts';
import type { UnknownCall } from './resume/ledger.ts';
import { effectOf, type LoopCallInput, type LoopResult, type LoopTools, wrapping } from './turnCalls.ts';

const ACKNOWLEDGE = 'acknowledge';

const FINDINGS: readonly Finding[] = ['succeeded', 'failed', 'unknown'];
/** Characters of what an agent says that it saw. */
const MAX_EVIDENCE = 2_000;
/** So many calls are named in a refusal. */
const NAMED = 10;

const SPEC: ToolSpec = {
  name: ACKNOWLEDGE,
  description:
    'Say what became of a call whose result was lost when this session was interrupted, after you have looked. While there is such a call, tools with side effects are refused.',
  inputSchema: {
    type: 'object',
    properties: {
      call: { type: 'string', description: 'Its id, as the refusal and the report name it.' },
      finding: { type: 'string', enum: [...FINDINGS], description: 'unknown: it cannot be told.' },
      evidence: { type: 'string', description: 'What you saw that says so.' },
    },
    required: ['call', 'finding', 'evidence'],
  },
};

/** The tools of one turn, watched. */
export class EffectGuard {
  readonly tools: LoopTools;
  /** As the store told it last: what the agent says counts from its next answer on. */
  #unknown: readonly UnknownCall[] = [];
  /** By id: calls of this answer that were not announced, and so must not run, whatever is known by then. */
  #refused: ReadonlyMap<string, LoopResult> = new Map();
  /** What the agent has said in this step, to be recorded with its results. */
  #said: Draft[] = [];

  constructor(tools: LoopTools) {
    this.tools = wrapping(tools, {
      specs: () => {
        if (this.#unknown.length === 0) return tools.specs();
        return [...tools.specs().filter(({ name }) => name !== ACKNOWLEDGE), SPEC];
      },
      isExclusive: (name) => this.#isOurs(name) || tools.isExclusive(name),
      effectOf: (call) => (this.#isOurs(call.name) ? 'read' : effectOf(tools, call)),
      call: async (call, signal) => {
        if (this.#isOurs(call.name)) return this.#acknowledge(call);
        return this.#refused.get(call.id) ?? this.#refusal(tools, call) ?? (await tools.call(call, signal));
      },
    });
  }

  /** Takes in which calls nobody knows about, as the store tells it. */
  update(unknown: readonly UnknownCall[] = []): void {
    this.#unknown = unknown;
  }

  /** What is to be recorded with the results of the step. */
  taken(): readonly Draft[] {
    const said = this.#said;
    this.#said = [];
    return said;
  }

  /** What the calls of an answer are about to do, to be recorded before any of them runs; none when nothing. */
  async intents(calls: readonly WrittenCall[], offered: ReadonlySet<string>): Promise<readonly Draft[]> {
    const planned = new Map<string, Uint8Array>();
    const intents: CallIntent[] = [];
    const refused = new Map<string, LoopResult>();
    this.#refused = refused;
    for (const { block, problem } of calls) {
      const { id, name, input } = block;
      const call = { id, name, input };
      const effect = effectOf(this.tools, call);
      if (problem !== undefined || !offered.has(name) || effect === 'read') continue;
      // A call that will be refused changes nothing.
      const refusal = this.#refusal(this.tools, call);
      if (refusal !== undefined) {
        refused.set(id, refusal);
        continue;
      }
      // What cannot be looked at now cannot be told later; the call itself says what is wrong.
      const evidence = await this.tools.evidenceOf?.(call, planned).catch(() => undefined);
      intents.push({ call: id, name, effect, key: keyOf(call), ...(evidence && { evidence }) });
    }
    return intents.length === 0 ? [] : [{ type: 'intent', intent: { calls: intents } }];
  }

  #isOurs(name: string): boolean {
    return name === ACKNOWLEDGE && this.#unknown.length > 0;
  }

  #refusal(tools: LoopTools, call: LoopCallInput): LoopResult | undefined {
    if (this.#unknown.length === 0) return undefined;
    const effect = effectOf(tools, call);
    if (effect === 'read' || effect === 'record') return undefined;
    const named = this.#unknown.slice(0, NAMED).map(({ id, name }) => `${name} (${id})`);
    const rest = this.#unknown.length - named.length;
    const text = `${call.name} was not run: nobody knows whether these earlier calls took effect: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}. Look first with tools that only read, then call ${ACKNOWLEDGE} for each of them with what you found.`;
    return { text, isError: true };
  }

  #acknowledge({ input }: LoopCallInput): LoopResult {
    const said = inputOf(input);
    const error = (text: string): LoopResult => ({ text, isError: true });
    if (said === undefined)
      return error(
        `${ACKNOWLEDGE} takes "call" (an id), "finding" (${FINDINGS.join(', ')}) and "evidence" (what you saw). Call it again with all three.`,
      );
    if (!this.#unknown.some(({ id }) => id === said.id)) {
      const ids = this.#unknown.slice(0, NAMED).map(({ id }) => id);
      return error(`There is no open question about that call. Open are: ${ids.join(', ')}.`);
    }
    const acknowledged: Acknowledged = { by: 'agent', calls: [said] };
    this.#said.push({ type: 'acknowledged', acknowledged });
    const known = this.#said.flatMap((draft) =>
      draft.type === 'acknowledged' ? draft.acknowledged.calls.map(({ id }) => id) : [],
    );
    const open = this.#unknown.filter(({ id }) => !known.includes(id)).map(({ id }) => id);
    const next =
      open.length === 0
        ? 'From your next answer on every tool works again.'
        : `Still open: ${open.slice(0, NAMED).join(', ')}.`;
    return { text: `Noted: ${said.finding}. ${next}`, isError: false };
  }
}

/** What results say of the intents that announced their calls. @param ids of the calls, in the results' order */
export function outcomesOf(
  intents: readonly Draft[],
  ids: readonly string[],
  results: readonly LoopResult[],
): readonly Draft[] {
  const announced = intents.flatMap((draft) => (draft.type === 'intent' ? draft.intent.calls : []));
  const outcomes = announced.flatMap(({ call, key }): CallOutcome[] => {
    const result = results[ids.indexOf(call)];
    return result === undefined ? [] : [{ call, key, ended: result.isError ? 'error' : 'ok' }];
  });
  return outcomes.length === 0 ? [] : [{ type: 'outcome', outcome: { calls: outcomes } }];
}

function keyOf(call: LoopCallInput): string {
  return hash('sha256', JSON.stringify([call.id, call.name, call.input]));
}

function inputOf(input: LoopCallInput['input']): Acknowledged['calls'][number] | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const { call, evidence } = input;
  const finding = FINDINGS.find((each) => each === input.finding);
  if (typeof call !== 'string' || typeof evidence !== 'string' || evidence.trim() === '') return undefined;
  if (finding === undefined) return undefined;
  return { id: call, finding, evidence: evidence.slice(0, MAX_EVIDENCE).toWellFormed() };
}
