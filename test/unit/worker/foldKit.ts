/** A session that folds, in a real store. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import type { Level } from '../../../src/policy/level.ts';
import { runTurn } from '../../../src/session/agentLoop.ts';
import type { ModelPart, ModelRequest } from '../../../src/session/chatModel.ts';
import type { Compactor } from '../../../src/session/compactor.ts';
import { createFolding } from '../../../src/session/folding/folding.ts';
import type { TranscriptSeam } from '../../../src/session/transcript.ts';
import { SessionService } from '../../../src/worker/sessions.ts';
import { SUMMARY, textsOf } from '../session/folding/kit.ts';
import { use } from '../session/turnKit.ts';
import { START, temporaryFolder } from '../support/folder.ts';
import { OWNER } from './kit.ts';

export const FOLD = { content: [{ topic: 'parts', startId: 'm2', endId: 'm13', summary: SUMMARY }] };

export interface Stage {
  readonly folder: string;
  readonly sessions: SessionService;
  readonly requests: ModelRequest[];
  /** The person goes back to this turn with the next prompt. */
  back: string | undefined;
  /** Of the next turn. */
  level: Level;
  /** Keeps the next turns within the window; folding, unless a test wants another. */
  compactor: (() => Compactor | undefined) | undefined;
  /** Runs a turn in which the model says these answers. */
  turn(
    prompt: string,
    ...answers: (readonly (ModelPart | (() => Promise<unknown>))[])[]
  ): Promise<string | undefined>;
  reopen(): Stage;
}

export function stage(
  level: Level = 'PUBLIC',
  folder = temporaryFolder(),
  seam?: TranscriptSeam,
  agent?: { id: string; parent: string; depth: number },
): Stage {
  const sessions = new SessionService({
    ...{ dir: join(folder, 'store', 'sessions'), keys: new KeyRing({ dir: join(folder, 'keys') }) },
    ...{ defaultLevel: 'PUBLIC', now: () => START },
    seam,
  });
  onTestFinished(() => sessions.close());
  const requests: ModelRequest[] = [];
  const owner = {
    ...OWNER,
    agent,
    ...(agent && { kind: 'subagent' as const, key: `${agent.parent}:subagent:${agent.id}` }),
  };
  const made: Stage = {
    ...{ folder, sessions, requests, back: undefined, level, compactor: undefined },
    reopen: () => {
      sessions.close();
      return stage(made.level, folder, seam, agent);
    },
    async turn(prompt, ...answers) {
      const result = await runTurn({
        ...{
          sessions,
          owner: { ...owner, level: made.level, returnTo: made.back },
          prompt,
          system: 'Be brief.',
          reminders: 0,
          onText: () => {},
        },
        signal: new AbortController().signal,
        compactor:
          made.compactor === undefined
            ? createFolding({
                ...{ folds: sessions, place: { key: owner.key, agent } },
                windowOf: () => ({ contextWindow: 100_000, maxOutputTokens: 1 }),
              })
            : made.compactor(),
        tools: {
          specs: () => [{ name: 'read', description: 'Read', inputSchema: { type: 'object' } }],
          isExclusive: () => false,
          effectOf: () => 'read',
          call: async ({ id }) => ({ text: `secret of ${id} `.repeat(300), isError: false }),
        },
        model: {
          name: 'scripted',
          async *send(request) {
            requests.push(request);
            for (const part of answers.shift() ?? [{ type: 'text', text: 'Done.' } as const]) {
              if (typeof part === 'function') await part();
              else yield part;
            }
          },
        },
      });
      if (result.reason !== 'completed') throw new Error(`${result.reason}: ${result.detail}`);
      made.back = undefined;
      return result.turn;
    },
  };
  return made;
}

export const reads = (from: number, count = 4) =>
  Array.from({ length: count }, (_, at) => [use('read', `c${from + at}`)]);

/** A turn of four reads, one of four more with a fold at its end, and a look. */
export async function folded(at = stage()): Promise<Stage> {
  await at.turn('One.', ...reads(0));
  await at.turn('Two.', ...reads(10), [use('Compress', 'f1', FOLD)]);
  return at;
}

export const last = ({ requests }: Stage) => textsOf(requests.at(-1)?.messages ?? []);
