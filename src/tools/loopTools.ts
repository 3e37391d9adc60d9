/** The tools that the model of a loop of ours can call. */
import type { Settings } from '../ports.ts';
import type { ToolSpec } from '../session/chatModel.ts';
import type { LoopTools } from '../session/turnCalls.ts';
import { inputSchemaOf } from './inputSchema.ts';
import { type Registry, toolsOf } from './registry.ts';
import type { ToolCall, ToolDefinition } from './tool.ts';

/** Each of these acts on the one plan or the one checkpoint of its session, so their order counts. */
const EXCLUSIVE: ReadonlySet<string> = new Set(['todo_write', 'checkpoint', 'rewind']);

export interface RegistryTools {
  readonly registry: Registry;
  readonly settings: Settings;
  /** Read anew each time, so that it may be a getter. */
  readonly profile: 'core' | 'full';
  /** Leaves out the tools that it says no to. */
  readonly filter?: ((name: string) => boolean) | undefined;
  /** Of the session: 0 for one of its own, one more for each parent. */
  readonly depth: number;
  /** What every call has from its session. Read anew for each call, so that `level` may be a getter. */
  readonly call: Omit<ToolCall, 'actor' | 'signal' | 'loop'>;
}

/** The registry's tools of a profile, as far as the settings have them on at the moment of asking. */
export function registryTools(options: RegistryTools): LoopTools {
  const { registry, settings, filter = () => true, depth, call } = options;
  return {
    specs: () =>
      registry.within(call.session, () =>
        toolsOf(options.profile, settings)
          .filter(({ name }) => filter(name))
          .map((tool) => specOf(tool, settings)),
      ),
    isExclusive: (name) => EXCLUSIVE.has(name),
    // All that those do is in the session's own transcript.
    effectOf: ({ name, input }) => (EXCLUSIVE.has(name) ? 'record' : registry.effectOf(name, input)),
    call: async ({ id, name, input }, signal) => {
      const loop = { callId: id, depth };
      const { text, isError } = await registry.invoke(name, input, { ...call, actor: 'agent', signal, loop });
      return { text, isError };
    },
  };
}

const specs = new WeakMap<ToolDefinition, ToolSpec>();

/** Made once for each tool, since a loop asks before every step; anew where it depends on the settings. */
function specOf(tool: ToolDefinition, settings: Settings): ToolSpec {
  const known = specs.get(tool);
  if (known !== undefined) return known;
  const { name, description } = tool;
  const spec = { name, description, inputSchema: inputSchemaOf(tool, settings) };
  if (tool.shown === undefined) specs.set(tool, spec);
  return spec;
}
