import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { autoClear } from '../../../src/todo/autoClear.ts';
import { applyOps, isOpen, type Phase } from '../../../src/todo/list.ts';
import { fromMarkdown, toMarkdown } from '../../../src/todo/markdown.ts';
import { resultText } from '../../../src/todo/text.ts';
import { contents, hostileText } from './sample.ts';

const SEED = 20260712;

// Few enough names that operations hit, and hostile ones among them.
const names = ['Plan', 'Build', '# odd', 'two\nlines', '끝'];
const tasks = [
  ...Array.from({ length: 30 }, (_, index) => `task ${index}`),
  ...fc.sample(hostileText, { seed: SEED, numRuns: 30 }),
];
const task = fc.constantFrom(...tasks);
const phase = fc.constantFrom(...names);
const items = fc.array(task, { maxLength: 5 });
const target = fc.oneof(
  { weight: 12, arbitrary: fc.record({ task }) },
  { weight: 2, arbitrary: fc.record({ phase }) },
  { weight: 1, arbitrary: fc.constant({}) },
);
const op = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('init'),
      list: fc.array(fc.record({ phase, items }), { maxLength: 3 }),
    }),
  },
  { weight: 12, arbitrary: fc.record({ op: fc.constant('append'), phase, items }) },
  { weight: 8, arbitrary: fc.record({ op: fc.constant('start'), task }) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom('done', 'drop'), target)
      .map(([name, rest]) => ({ op: name, ...rest })),
  },
  { weight: 6, arbitrary: target.map((rest) => ({ op: 'rm', ...rest })) },
  { weight: 6, arbitrary: fc.record({ op: fc.constant('note'), task, text: hostileText }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ op: 'init' }, { op: 'append', phase: 'Plan' }, null, {
      op: 'done',
      task: 3,
    }),
  },
);

interface AnyOp {
  op?: string;
  task?: unknown;
  phase?: string;
  items?: string[];
  list?: { phase: string; items: string[] }[];
}

/** Which tasks must be there, by phase: the few rules of adding and removing, told in another way. */
function expected(model: Map<string, string>, each: AnyOp | null): Map<string, string> {
  const add = (into: Map<string, string>, name: string, added: string[]): void => {
    for (const content of added) if (content.trim() !== '' && !into.has(content)) into.set(content, name);
  };
  if (each?.op === 'init' && each.list !== undefined) {
    const fresh = new Map<string, string>();
    for (const entry of each.list) add(fresh, entry.phase, entry.items);
    // A list of which nothing can be used keeps the old one.
    const meant = each.list.length === 0 || each.list.some((entry) => entry.items.length === 0);
    return fresh.size > 0 || meant ? fresh : model;
  }
  if (each?.op === 'append' && each.phase !== undefined) add(model, each.phase, each.items ?? []);
  if (each?.op === 'rm') {
    const all = each.task === undefined && each.phase === undefined;
    for (const [content, name] of model) {
      if (all || (each.task === undefined ? name === each.phase : content === each.task))
        model.delete(content);
    }
  }
  return model;
}

function check(phases: readonly Phase[]): void {
  const all = phases.flatMap((each) => each.tasks);
  const active = all.filter((each) => each.status === 'in_progress').length;
  expect(active).toBe(all.some(isOpen) ? 1 : 0);
  expect(new Set(contents(phases)).size).toBe(all.length);
  expect(new Set(phases.map((each) => each.name)).size).toBe(phases.length);
  const markdown = toMarkdown(phases);
  expect(markdown.isWellFormed()).toBe(true);
  expect(fromMarkdown(markdown)).toEqual({ phases, errors: [] });
  expect(resultText(phases).isWellFormed()).toBe(true);
}

describe('two thousand operations', () => {
  it.each([1, 4])('in batches of %i keep one active task, every task, and the Markdown exact', (size) => {
    const ops = fc.sample(op, { seed: SEED, numRuns: 2000 }) as (AnyOp | null)[];
    let phases: readonly Phase[] = [];
    let model = new Map<string, string>();
    let largest = 0;
    for (let start = 0; start < ops.length; start += size) {
      const batch = ops.slice(start, start + size);
      phases = applyOps(phases, batch).phases;
      for (const each of batch) model = expected(model, each);
      const kept = phases.flatMap(({ name, tasks }) => tasks.map(({ content }) => [content, name] as const));
      expect(new Map(kept)).toEqual(model);
      check(phases);
      largest = Math.max(largest, kept.length);
    }
    expect(largest).toBeGreaterThan(20);
  });
});

const anyTask = fc.record(
  {
    content: hostileText,
    status: fc.constantFrom(
      'pending' as const,
      'in_progress' as const,
      'completed' as const,
      'abandoned' as const,
    ),
    notes: fc.array(hostileText, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ['content', 'status'] },
);
const anyList = fc.array(
  fc.record({ name: hostileText, tasks: fc.array(anyTask, { maxLength: 4 }) }, { noNullPrototype: true }),
  {
    maxLength: 4,
  },
);

describe('any list at all', () => {
  it('comes back from Markdown exactly, also through a file and an editor that trims lines', () => {
    fc.assert(
      fc.property(anyList, (phases) => {
        const plain: readonly Phase[] = structuredClone(phases);
        const markdown = toMarkdown(plain);
        const edited = markdown.replace(/[ \t]+$/gmu, '').replaceAll('\n', '\r\n');
        for (const text of [markdown, edited, Buffer.from(markdown, 'utf8').toString('utf8')])
          expect(fromMarkdown(text)).toEqual({ phases: plain, errors: [] });
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });

  it('takes any JSON for operations without throwing', () => {
    const almost = fc.record(
      {
        op: fc.constantFrom('init', 'start', 'done', 'drop', 'rm', 'append', 'note', 7),
        task: fc.jsonValue(),
        phase: fc.jsonValue(),
        items: fc.jsonValue(),
        list: fc.oneof(fc.jsonValue(), fc.array(fc.record({ phase: fc.jsonValue(), items: fc.jsonValue() }))),
        text: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        anyList,
        fc.oneof(fc.jsonValue(), fc.array(fc.oneof(almost, fc.jsonValue()))),
        (phases, ops) => {
          const applied = applyOps(phases, ops);
          resultText(applied.phases, applied.errors);
          autoClear({ phases: applied.phases, finished: new Map(), now: 0, delay: 0 });
        },
      ),
      { seed: SEED, numRuns: 1000 },
    );
  });
});
