/** Tools of a loop of ours whose use raises its session: by their names, by the files they are given and show. */
import { messageOf } from '../journal/errors.ts';
import { type LoopResult, type LoopTools, wrapping } from '../session/turnCalls.ts';
import type { Exposed, Exposing, Exposure } from './exposure.ts';
import type { Within } from './registry.ts';

export interface ExposingOptions {
  readonly exposure: Exposure;
  /** The loop's session. */
  readonly session: Exposed;
  /** The folder that the loop works in. */
  readonly folder: string;
  /** Under the settings that count for the session; see `Registry`. */
  readonly within?: Within | undefined;
}

/**
 * The same tools. The session rises before a call runs, and by what a result shows before the model is shown it;
 * where that cannot be saved, the call does not run, or its result is kept back.
 */
export function exposing(
  tools: LoopTools,
  { exposure, session, folder, within = (_, work) => work() }: ExposingOptions,
): LoopTools {
  const refusal = async (use: Exposing, rest: string): Promise<LoopResult | undefined> => {
    try {
      await exposure.use(session, { ...use, folder });
      return undefined;
    } catch (error) {
      return {
        text: `${messageOf(error)} ${rest} Say so in your answer: the person can put that right.`,
        isError: true,
      };
    }
  };
  return wrapping(tools, {
    specs: () => within(session.key, () => tools.specs()),
    call: async (call, signal) => {
      const { name: tool, input } = call;
      const refused = await refusal({ tool, input }, `${tool} was not run.`);
      if (refused !== undefined) return refused;
      const { files, ...result } = await within(session.key, () => tools.call(call, signal));
      if (files === undefined || files.length === 0) return result;
      return (await refusal({ tool, paths: files }, `What ${tool} found is kept back.`)) ?? result;
    },
  });
}
