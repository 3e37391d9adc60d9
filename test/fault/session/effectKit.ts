/** A loop with real tools over a real transcript, as a process that may be killed runs it and another goes on with it. */
import { join } from 'node:path';
import { KeyRing } from '../../../src/journal/keys.ts';
import { runTurn, type TurnResult } from '../../../src/session/agentLoop.ts';
import type { ChatModel } from '../../../src/session/chatModel.ts';
import { newCompactionState, SummaryCompactor } from '../../../src/session/compaction/summaryCompactor.ts';
import type { Compactor } from '../../../src/session/compactor.ts';
import type { TranscriptSeam } from '../../../src/session/transcript.ts';
import { type LoopTools, wrapping } from '../../../src/session/turnCalls.ts';
import { BatchFiles } from '../../../src/subagent/batchFiles.ts';
import { RunningCommands } from '../../../src/subagent/workspace/running.ts';
import { createWorkspaceTools } from '../../../src/subagent/workspace/tools.ts';
import { FolderExaminer } from '../../../src/tools/examineLeft.ts';
import { exposing } from '../../../src/tools/exposing.ts';
import { HeldPolicies } from '../../../src/tools/heldPolicy.ts';
import { resumedTurns } from '../../../src/tools/resumedTurns.ts';
import { SessionService } from '../../../src/worker/sessions.ts';
import { ID, KEY } from './common.ts';

export interface EffectOptions {
  /** Holds `work`, the workspace folder, and `store`. */
  readonly folder: string;
  readonly instance: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly seam?: TranscriptSeam;
}

export const OWNER = { key: KEY, kind: 'participant', source: 'test', level: 'PUBLIC' } as const;

/** One process's view of the session. */
export class EffectLoop {
  readonly sessions: SessionService;
  readonly policies: HeldPolicies;
  readonly work: string;
  readonly store: string;
  readonly #turnBegin: SessionService['turnBegin'];

  constructor({ folder, instance, settings = {}, seam }: EffectOptions) {
    this.work = join(folder, 'work');
    this.store = join(folder, 'store');
    this.sessions = new SessionService({
      dir: join(this.store, 'sessions'),
      keys: new KeyRing({ dir: join(folder, 'keys') }),
      defaultLevel: 'PUBLIC',
      now: Date.now,
      seam,
    });
    this.policies = new HeldPolicies({ get: (key) => settings[key] });
    const { sessions } = this;
    this.#turnBegin = resumedTurns(sessions.turnBegin, {
      sessions,
      host: { instance, roots: { folder: this.work, store: this.store } },
      policies: this.policies,
      examiner: new FolderExaminer({
        ...{ root: this.work, storeDir: this.store, sessions },
        store: { fetch: async () => [] },
        batches: () => new BatchFiles(join(this.store, 'batches'), Date.now).list(),
      }),
    });
  }

  tools(): LoopTools {
    const files = createWorkspaceTools({
      root: this.work,
      allowed: ['read', 'write', 'edit', 'run'],
      ports: {
        approve: async () => 'approved',
        settings: this.policies.settings,
        running: new RunningCommands(join(this.store, 'running'), ID),
        searchThread: new URL('file:///none'),
      },
    });
    return exposing(files, {
      exposure: { use: async () => 'PUBLIC' } as never,
      session: { key: KEY, start: 'PUBLIC', source: 'test' },
      folder: this.work,
      within: (session, work) => this.policies.within(session, work),
    });
  }

  turn(
    model: ChatModel,
    {
      tools = this.tools(),
      system = 'Be brief.',
      prompt = 'Go',
      compactor,
    }: { tools?: LoopTools; system?: string; prompt?: string; compactor?: Compactor } = {},
  ): Promise<TurnResult> {
    const { sessions } = this;
    return runTurn({
      sessions: {
        turnBegin: this.#turnBegin,
        turnStep: sessions.turnStep,
        turnStop: sessions.turnStop,
        turnEnd: sessions.turnEnd,
      },
      ...{ owner: OWNER, prompt, model, system, tools, compactor },
      signal: new AbortController().signal,
      reminders: 0,
      onText: () => {},
    });
  }
}

/** The built-in compactor, for a model whose window has so many tokens. */
export function compactorOf(contextWindow: number): Compactor {
  const windowOf = () => ({ contextWindow, maxOutputTokens: 1_000 });
  return new SummaryCompactor({ windowOf, state: newCompactionState() });
}

/** The same tools; something happens before or after a call runs. */
export function around(
  tools: LoopTools,
  { before, after }: { before?: (name: string) => unknown; after?: (name: string) => unknown },
): LoopTools {
  return wrapping(tools, {
    call: async (call, signal) => {
      await before?.(call.name);
      const result = await tools.call(call, signal);
      await after?.(call.name);
      return result;
    },
  });
}
