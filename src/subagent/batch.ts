/**
 * Whether a call of `task` can be carried out, before anything is started: the same checks whether its tasks run in
 * place or in the background, and all problems in one answer.
 */
import type { AgentDefinition, Spawns } from './agentFile.ts';
import { agentNamed } from './agents.ts';
import { taskIdProblem } from './ids.ts';
import { chooseOutputSchema, type OutputSchema, OutputSchemaError } from './outputSchema.ts';
import { quoted } from './text.ts';

/** `task.simple` (seed 000): which of `context` and `schema` a call may have. */
export const TASK_MODES = ['default', 'schema-free', 'independent'] as const;
export type TaskMode = (typeof TASK_MODES)[number];

/** A call as a model wrote it, its types checked. A field that is there counts, even when it is empty. */
export interface TaskCall {
  readonly agent: string;
  readonly tasks: readonly {
    readonly id?: string | undefined;
    readonly description?: string | undefined;
    readonly assignment?: string | undefined;
  }[];
  readonly context?: string | undefined;
  readonly schema?: string | undefined;
  readonly isolated?: boolean | undefined;
}

/** All that the answer depends on. */
export interface BatchConditions {
  readonly mode: TaskMode;
  /** Whether `task.isolation.mode` is anything but `none`. */
  readonly isolation: boolean;
  /** Why tasks cannot be isolated in this folder; undefined when they can. */
  readonly gitProblem?: string | undefined;
  readonly agents: readonly AgentDefinition[];
  /** `task.disabledAgents`. */
  readonly disabled: readonly string[];
  /** See `blockedAgent`. */
  readonly blocked?: string | undefined;
  /** Of the caller: 0 at the top. */
  readonly depth: number;
  /** `task.maxRecursionDepth`. */
  readonly maxDepth: number;
  /** Which agents the caller may start. */
  readonly spawns: Spawns;
  /** The schema that the caller itself has to fill. */
  readonly parentSchema?: unknown;
  /** `async.enabled`. */
  readonly background: boolean;
}

export interface ReadyTask {
  readonly id: string;
  readonly description: string;
  readonly assignment: string;
}

export interface ReadyBatch {
  readonly agent: AgentDefinition;
  readonly tasks: readonly ReadyTask[];
  readonly context?: string | undefined;
  readonly schema?: OutputSchema | undefined;
  readonly isolated: boolean;
  /** Each task as a job of its own; otherwise the caller waits. */
  readonly background: boolean;
}

export type BatchAnswer =
  | { readonly ok: true; readonly batch: ReadyBatch }
  | { readonly ok: false; readonly text: string };

/** Checks a call and makes it ready, or says everything that is wrong with it, one problem a line. */
export function checkBatch(call: TaskCall, conditions: BatchConditions): BatchAnswer {
  const agent = agentNamed(conditions.agents, call.agent);
  const schema = schemaOf(call, agent, conditions);
  const problems = [
    modeProblem(call, conditions.mode),
    isolationProblem(call, conditions),
    agentProblem(call.agent, agent, conditions),
    ...taskProblems(call),
    typeof schema === 'string' ? schema : undefined,
    agent && spawnProblem(agent.name, conditions),
  ].filter((problem) => problem !== undefined);
  if (!agent || typeof schema === 'string' || problems.length > 0)
    return { ok: false, text: problems.join('\n') };
  const tasks = call.tasks.map(({ id = '', description = '', assignment = '' }) => ({
    id: id.trim(),
    description,
    assignment,
  }));
  return {
    ok: true,
    batch: {
      agent,
      tasks,
      context: call.context,
      schema,
      isolated: call.isolated === true,
      background: conditions.background && !agent.blocking,
    },
  };
}

/** Whether a session at this depth may start subagents: `maxDepth` −1 is no limit, 0 is never. */
export function maySpawn(depth: number, maxDepth: number): boolean {
  return maxDepth < 0 || depth < maxDepth;
}

/** What a subagent at `depth` gets: at the greatest depth it loses `task`, whatever its file says. */
export function childAccess(
  agent: AgentDefinition,
  depth: number,
  maxDepth: number,
): { tools: readonly string[] | undefined; spawns: Spawns; mayTask: boolean } {
  const mayTask = maySpawn(depth, maxDepth) && agent.spawns.length > 0;
  return {
    tools: mayTask ? agent.tools : agent.tools?.filter((tool) => tool !== 'task'),
    spawns: mayTask ? agent.spawns : [],
    mayTask,
  };
}

/** The agent that the environment blocks: `LODELINE_BLOCKED_AGENT`, or the older `GJC_BLOCKED_AGENT`. */
export function blockedAgent(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env.LODELINE_BLOCKED_AGENT?.trim() || env.GJC_BLOCKED_AGENT?.trim() || undefined;
}

function modeProblem({ context, schema }: TaskCall, mode: TaskMode): string | undefined {
  const refused = [
    mode === 'independent' && context !== undefined ? '`context`' : '',
    mode !== 'default' && schema !== undefined ? '`schema`' : '',
  ].filter((field) => field !== '');
  if (refused.length === 0) return undefined;
  const advice = [
    ...(refused.includes('`context`') ? ['Put the background that a task needs into its assignment.'] : []),
    ...(refused.includes('`schema`') ? ["The agent's own output schema, or the inherited one, counts."] : []),
  ];
  return `task.simple is ${mode}: the task tool does not accept ${refused.join(' or ')}. Remove ${refused.length > 1 ? 'both' : 'it'}. ${advice.join(' ')}`;
}

function isolationProblem(call: TaskCall, { isolation, gitProblem }: BatchConditions): string | undefined {
  if (call.isolated === undefined) return undefined;
  if (!isolation)
    return 'Task isolation is disabled. Remove `isolated`, or let the person set task.isolation.mode to worktree, fuse-overlay or fuse-projfs.';
  if (!call.isolated || gitProblem === undefined) return undefined;
  return `Isolated task execution requires a git repository. ${gitProblem}`;
}

function agentProblem(
  name: string,
  agent: AgentDefinition | undefined,
  { agents, disabled }: BatchConditions,
): string | undefined {
  const enabled = agents.filter((one) => !disabled.includes(one.name)).map((one) => one.name);
  const listed = enabled.join(', ') || 'none';
  if (!agent) return `Unknown agent ${quoted(name)}. Available: ${listed}`;
  if (!enabled.includes(agent.name))
    return `Agent ${quoted(name)} is disabled in the setting task.disabledAgents. Enabled: ${listed}`;
  return undefined;
}

function spawnProblem(name: string, conditions: BatchConditions): string | undefined {
  const { blocked, depth, maxDepth, spawns } = conditions;
  if (!maySpawn(depth, maxDepth))
    return `Subagents cannot be started at depth ${depth}: the setting task.maxRecursionDepth is ${maxDepth}. Do the work yourself.`;
  if (blocked?.normalize('NFC') === name)
    return `Cannot spawn ${name} agent from within itself (recursion prevention). Use a different agent type.`;
  if (spawns === '*' || spawns.includes(name)) return undefined;
  return `Cannot spawn '${name}'. Allowed: ${spawns.join(', ') || 'none (spawns disabled for this agent)'}`;
}

function schemaOf(
  { schema: call }: TaskCall,
  agent: AgentDefinition | undefined,
  { mode, parentSchema }: BatchConditions,
): OutputSchema | string | undefined {
  try {
    return chooseOutputSchema({
      call: mode === 'default' ? call : undefined,
      agent: agent?.output,
      parent: parentSchema,
    });
  } catch (error) {
    if (error instanceof OutputSchemaError) return `Invalid output schema: ${error.message}.`;
    throw error;
  }
}

function taskProblems({ tasks }: TaskCall): string[] {
  if (tasks.length === 0)
    return ['No tasks provided. Use: { agent, [context?,] tasks: [{ id, description, assignment }] }'];
  const problems = [
    missing(
      'task ids',
      tasks.map((task) => task.id),
    ),
    ...unusable(tasks.map((task) => task.id?.trim() ?? '')),
    duplicates(tasks.map((task) => task.id?.trim() ?? '')),
    missing(
      'assignments',
      tasks.map((task) => task.assignment),
    ),
  ].filter((problem) => problem !== undefined);
  return problems.length === 0 ? [] : [`Invalid tasks: ${problems.join('. ')}`];
}

function missing(what: string, texts: readonly (string | undefined)[]): string | undefined {
  const indexes = texts.flatMap((text, index) => ((text ?? '').trim() === '' ? [index] : []));
  return indexes.length === 0 ? undefined : `Missing ${what} at indexes: ${indexes.join(', ')}`;
}

function unusable(ids: readonly string[]): string[] {
  return ids.flatMap((id, index) => {
    const problem = id === '' ? undefined : taskIdProblem(id);
    return problem === undefined ? [] : [`Task id ${quoted(id)} (index ${index}) ${problem}`];
  });
}

function duplicates(ids: readonly string[]): string | undefined {
  const indexes = new Map<string, number[]>();
  ids.forEach((id, index) => {
    const same = id.normalize('NFC').toLowerCase();
    if (id !== '') indexes.set(same, [...(indexes.get(same) ?? []), index]);
  });
  const groups = [...indexes.values()].filter((group) => group.length > 1);
  if (groups.length === 0) return undefined;
  const named = groups.map((group) => `${shownId(ids[group[0] ?? 0] ?? '')} (indexes ${group.join(', ')})`);
  return `Duplicate task ids detected (case-insensitive): ${named.join('; ')}`;
}

/** As it is when it is harmless, which keeps the message in the reference's words. */
function shownId(id: string): string {
  return taskIdProblem(id) === undefined ? id : quoted(id);
}
