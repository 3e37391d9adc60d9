/** What happens in two worlds that are the same up to a level: a plan, its course, and the shortest one that differs. */
import { LEVELS, type Level, levelRank } from '../../../src/policy/level.ts';
import { TOOLS } from '../../../src/tools/catalog.ts';
import { Dice, FOLDERS, inputFor, KEYS } from './inputs.ts';
import { type Caller, World } from './world.ts';

const HOUR = 3_600_000;
const RESOURCES = ['entries', 'stats', 'summaries'].map((name) => `toon://memory/${name}`);

/**
 * What a person agrees to for the whole folder, whichever session asks: that it is encrypted is on disk for everybody to
 * see, and changes what leaves the folder (exports, gists, .toon files, the user-wide memory), so it happens in both
 * worlds or in none. What is sealed tells of what is above a session no more than what is not: see `World.#comparable`.
 */
const OF_THE_FOLDER: ReadonlySet<string> = new Set(['memory_encrypt', 'memory_decrypt']);

/** One thing that happens; `only` in one of the two worlds, which nothing below its level may notice. */
export type Step = { readonly after: number; readonly only?: 0 | 1 | undefined } & (
  | { readonly does: 'call'; readonly tool: string; readonly input: unknown; readonly by: Caller }
  | { readonly does: 'resource'; readonly uri: string }
  | { readonly does: 'prompt'; readonly name: string; readonly text: string }
  | { readonly does: 'attend'; readonly by: Caller; readonly file: string }
  | { readonly does: 'capture'; readonly by: Caller; readonly text: string; readonly file: string }
  | { readonly does: 'turn'; readonly by: Caller; readonly text: string }
  | { readonly does: 'file'; readonly file: string; readonly text: string }
  | { readonly does: 'lists' | 'tidy' | 'reopen' }
);

export interface Plan {
  /** The level of those who must not notice. */
  readonly low: Level;
  readonly defaultLevel: Level;
  readonly steps: readonly Step[];
}

/** Two answers that should be one. */
export interface Difference {
  /** Index of the step that was answered. */
  readonly at: number;
  readonly answers: readonly [string, string];
}

/** A plan with so many steps whose answers are compared. */
export function planOf(seed: number, compared: number): Plan {
  const dice = new Dice(seed);
  const low = dice.pick(LEVELS.slice(0, -1));
  const above = LEVELS.filter((level) => levelRank(level) > levelRank(low));
  const defaultLevel = dice.pick(['PUBLIC', 'PUBLIC', low, 'RESTRICTED'] as const);
  const steps: Step[] = [];
  for (let count = 0; count < compared; ) {
    const isAbove = dice.chance(0.35);
    const level = isAbove ? dice.pick(above) : low;
    const step = {
      ...(isAbove && dice.chance(0.15) ? fileStep(level, low, dice) : stepOf(level, isAbove, dice)),
      after: dice.chance(0.02) ? dice.below(40) * 24 * HOUR : dice.below(3) * HOUR,
    };
    const isShared = step.does === 'call' && OF_THE_FOLDER.has(step.tool);
    steps.push(isAbove && !isShared ? { ...step, only: dice.pick([0, 1] as const) } : step);
    if (!isAbove && isCompared(step)) count++;
  }
  return { low, defaultLevel, steps };
}

function isCompared({ does }: Step): boolean {
  return does === 'call' || does === 'resource' || does === 'prompt' || does === 'lists';
}

/** A file above the session, or a session that rises from its level to that of such a file. */
function fileStep(level: Level, low: Level, dice: Dice): Step {
  const file = `${FOLDERS[level]}/${dice.pick(['a', 'redis', 'login'])}.ts`;
  const text = `export const ${dice.pick(['useZod', 'login', 'merger'])} = ${dice.below(9)};\n`;
  if (dice.chance(0.5)) return { does: 'file', file, text, after: 0 };
  const session = `riser-${level}-${dice.below(3)}`;
  const by: Caller = { level: low, session, actor: 'agent', door: 'mcp', answer: 'approved' };
  const remembering = TOOLS.find(({ name }) => name === 'memory_remember');
  if (remembering === undefined) throw new Error('there is no memory_remember');
  const input = { ...inputFor(remembering, dice, true), file };
  return { does: 'call', tool: 'memory_remember', input, by, after: 0 };
}

function stepOf(level: Level, isAbove: boolean, dice: Dice): Step {
  const by: Caller = {
    level,
    session: `${isAbove ? level : 'low'}-${dice.below(3)}`,
    actor: 'agent',
    door: dice.pick(['mcp', 'mcp', 'editor', 'cli']),
    answer: dice.pick(['approved', 'approved', 'declined', 'unavailable']),
  };
  const file = dice.pick(['src/a.ts', 'docs/é.md', 'src/deep/b.ts']);
  const text = `${dice.pick(['redis', 'zod', 'login'])} ${dice.pick(['pool', 'fixed', 'retry'])}`;
  const after = 0;
  const at = dice.below(100);
  if (at < 3) return { does: 'attend', by, file, after };
  if (at < 6) return { does: 'capture', by, text, file, after };
  if (at < 8) return { does: 'turn', by, text, after };
  if (!isAbove) {
    if (at < 13)
      return {
        does: 'resource',
        uri: dice.pick([...RESOURCES, 'ui://viewer', 'toon://memory/nothing']),
        after,
      };
    if (at < 15)
      return { does: 'prompt', name: dice.pick(['briefing', 'briefing', 'save', 'none']), text, after };
    if (at === 15) return { does: 'lists', after };
    if (at === 16) return { does: dice.pick(['tidy', 'tidy', 'reopen']), after };
  }
  // A person deletes for good what an agent only forgets.
  if (isAbove && at < 15) {
    const input = { key: dice.pick(KEYS), action: 'hard' };
    return {
      does: 'call',
      tool: 'memory_forget',
      input,
      by: { ...by, actor: 'person', answer: 'approved' },
      after,
    };
  }
  const persons = dice.chance(0.2);
  const tool = dice.chance(0.2)
    ? TOOLS.find(({ name }) => name === 'memory_remember')
    : dice.pick(TOOLS.filter(({ profile }) => (profile === 'person') === persons));
  if (tool === undefined) throw new Error('there is no memory_remember');
  // Agents are refused a person's tools. In a chat the person's calls are answered at its level, since agents read them.
  const isPerson = persons && dice.chance(0.8) && !(isAbove ? SEEN_BY_ALL : OF_EVERY_LEVEL).has(tool.name);
  const as: Caller = isPerson ? { ...by, actor: 'person', door: 'editor', answer: 'approved' } : by;
  return { does: 'call', tool: tool.name, input: inputFor(tool, dice, isAbove), by: as, after };
}

/**
 * What a person does to all there is, and what no chat is answered by: the audit log numbers its records whatever their
 * level, and a session that is raised is no session of its level any more.
 */
const OF_EVERY_LEVEL: ReadonlySet<string> = new Set(['session_raise', 'audit_show', 'audit_verify']);
/** The person puts a file of theirs into the folder, or deletes everything, how often entries were used with it. */
const SEEN_BY_ALL: ReadonlySet<string> = new Set(['memory_export_toon', 'memory_erase']);

/** Follows a plan in two new worlds until they differ. */
export async function follow({ low, defaultLevel, steps }: Plan): Promise<Difference | undefined> {
  const worlds = [new World(defaultLevel, low), new World(defaultLevel, low)] as const;
  for (const [at, step] of steps.entries()) {
    const answers: string[] = [];
    for (const [index, world] of worlds.entries()) {
      world.wait(step.after);
      answers.push(step.only === undefined || step.only === index ? await take(world, step) : '');
    }
    if (step.only !== undefined) continue;
    const [one = '', other = ''] = answers;
    if (one !== other) return { at, answers: [one, other] };
  }
  return undefined;
}

/** The answer to a step, and the number by which clients are told of changes. */
async function take(world: World, step: Step): Promise<string> {
  switch (step.does) {
    case 'call': {
      const answer = await world.call(step.tool, step.input, step.by);
      return `${answer}\nversion ${await world.version()}`;
    }
    case 'resource':
      return world.ask({ resource: step.uri });
    case 'prompt':
      return world.ask({ prompt: step.name, text: step.text });
    case 'lists':
      return world.ask('lists');
    case 'attend':
      await world.attend(step.by, step.file);
      return '';
    case 'capture':
      await world.capture(step.by, 'run_in_terminal', step.text, step.file);
      return '';
    case 'turn':
      await world.turn(step.by, step.text);
      return '';
    case 'file':
      world.write(step.file, step.text);
      return '';
    case 'tidy':
      await world.tidy();
      return '';
    case 'reopen':
      await world.reopen();
      return '';
  }
}

/**
 * The shortest plan found that still differs: without what comes after the difference, then without ever smaller runs
 * of steps. `patience`: how many plans to try.
 */
export async function shorten(plan: Plan, found: Difference, patience = 60): Promise<[Plan, Difference]> {
  let best: [Plan, Difference] = [{ ...plan, steps: plan.steps.slice(0, found.at + 1) }, found];
  let tries = patience;
  for (
    let size = Math.ceil(found.at / 2);
    size >= 1 && tries > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = best[0].steps.length - 1 - size; from > -size && tries > 0; from -= size) {
      const steps = best[0].steps.filter((_, at) => at < from || at >= from + size);
      if (steps.length === best[0].steps.length) continue;
      tries--;
      const difference = await follow({ ...plan, steps });
      if (difference === undefined) continue;
      best = [{ ...plan, steps: steps.slice(0, difference.at + 1) }, difference];
    }
  }
  return best;
}

/** A plan and its difference for whoever has to find the cause. */
export function describeDifference([{ low, defaultLevel, steps }, { answers }]: [Plan, Difference]): string {
  const lines = steps.map(({ only, after, ...step }) => {
    const where = only === undefined ? 'both' : `only ${only === 0 ? 'one' : 'other'}`;
    return `${where}, ${after / HOUR} h later: ${JSON.stringify(step)}`;
  });
  const [one, other] = answers.map((answer) => answer.split('\n'));
  const apart = (one ?? []).flatMap((line, at) =>
    line === other?.[at] ? [] : [`- ${line.slice(0, 1500)}`, `+ ${(other?.[at] ?? '').slice(0, 1500)}`],
  );
  return [`Seen from ${low}, in a folder of ${defaultLevel}:`, ...lines, ...apart.slice(0, 12)].join('\n');
}
