// @ts-check
/** What the tests of subagents in the real editor share: what their models do, and the panel. */
import { openView, resizeSidebar, webviewFrame } from './harness/workbench.mjs';

/**
 * @typedef {import('./support.mjs').Page} Page
 * @typedef {{ name: string, input: object }} Use
 */

/**
 * What the subagent does whose assignment holds a word: these calls one after the other, then it hands over.
 * @param {string} word @param {Use[]} uses @param {unknown} data
 * @param {{ delay?: number }} [options]  milliseconds before each call
 */
export function worker(word, uses, data, { delay = 0 } = {}) {
  const hand = { name: 'yield', input: { result: { data } } };
  return [...uses, hand].map((toolCall, at, all) => step(word, all[at - 1], [{ delay }, { toolCall }]));
}

/** The same for one that never ends by itself. @param {string} word @param {Use[]} uses */
export function endless(word, uses) {
  return [
    ...uses.map((toolCall, at, all) => step(word, all[at - 1], [{ toolCall }])),
    step(word, uses.at(-1), [{ text: 'Still at it.' }, { untilCancelled: true }]),
  ];
}

/** @param {string} word @param {Use | undefined} after @param {object[]} reply */
function step(word, after, reply) {
  return { when: { lastUserIncludes: word, ...(after && { afterToolResult: after.name }) }, reply };
}

/** @param {string} path @param {string} old @param {string} text @returns {Use[]} */
export const edit = (path, old, text) => [
  { name: 'read', input: { path } },
  { name: 'edit', input: { path, old, new: text } },
];
/** @param {string} path @param {string} content @returns {Use} */
export const write = (path, content) => ({ name: 'write', input: { path, content } });
/** @param {string} line @returns {Use} */
export const command = (line) => ({ name: 'run', input: { command: line } });

/** @param {Record<string, string>} tasks  assignments by name @param {object} [more] */
export const batch = (tasks, more = {}) => ({
  agent: 'task',
  tasks: Object.entries(tasks).map(([id, assignment]) => ({ id, description: `About ${id}`, assignment })),
  ...more,
});

/** What a person sees of the panel and does in it. @param {Page} page */
export function subagentsPanel(page) {
  const panel = async () => await webviewFrame(page, 'lodeline-subagents');
  return {
    panel,
    /** A line of the tree. @param {RegExp} name */
    row: async (name) => (await panel()).getByRole('treeitem', { name }).first(),
    /** @param {string | RegExp} text */
    text: async (text) => (await panel()).getByText(text).filter({ visible: true }).first(),
    /** @param {RegExp} name */
    group: async (name) => (await panel()).getByRole('group', { name }).first(),
    /** Presses a button of the panel. @param {string} name */
    press: async (name) => await (await panel()).getByRole('button', { name, exact: true }).first().click(),
  };
}

/**
 * The side bar with nothing but the subagents in it.
 * @param {Page} page @param {readonly string[]} others @param {string} name @param {number} [width]
 */
export async function showPanel(page, others, name, width = 360) {
  await openView(page, 'Lodeline');
  for (const [title, open] of [...others.map((other) => [other, 'false']), [name, 'true']]) {
    const header = page.locator('.pane-header', { hasText: title });
    await header.waitFor();
    if ((await header.getAttribute('aria-expanded')) !== open) await header.click();
  }
  await resizeSidebar(page, width);
}
