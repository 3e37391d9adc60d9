/** What memory has to say to a prompt before anybody asks it. */
import { z } from 'zod';
import type { Entry } from '../../memory/entry.ts';
import { injectedText, markOf } from '../../memory/injected.ts';
import { analyze } from '../../recall/analyze.ts';
import { readerOf } from '../author.ts';
import { query } from '../fields.ts';
import { defineTool } from '../tool.ts';

/** `memory.autoInject` (seed 002's memory shows three). */
const MOST = 3;
const LIMIT = 10;
/** Of these many ranked ones some are in view already, or share too little with the prompt. */
const LOOKED_AT = 20;
/** A long prompt is about what it says first and last; only so much of it is compared. In UTF-16 units. */
const LONGEST = 20_000;
/** Two words in common, or a third of what a short prompt says: one word of many is chance. */
const ENOUGH = 2;
const SHARE = 1 / 3;

/** What goes with a prompt, for whoever records it. */
export interface InjectedMemory {
  readonly entries: readonly {
    readonly id: string;
    readonly key: string;
    readonly source: string;
    readonly updated: number;
  }[];
}

export const memoryInject = defineTool({
  name: 'memory_inject',
  family: 'memory',
  profile: 'client',
  effect: 'read',
  title: 'Memory for a Prompt',
  description: 'Confirmed memories that a prompt is about, labelled, for the loop that puts them before it.',
  input: z.object({ query, shown: z.array(z.string().max(64)).max(1000).default([]) }),
  async run({ query: prompt, shown }, call, context) {
    const asked =
      prompt.length > LONGEST ? `${prompt.slice(0, LONGEST / 2)}\n${prompt.slice(-LONGEST / 2)}` : prompt;
    const limit = limitOf(context.settings.get('memory.autoInject'));
    const words = wordsOf(asked);
    if (limit === 0 || words.length === 0) return { text: '', data: { entries: [] } };
    // What nobody has confirmed may come from a tool or the web, and would speak in every chat.
    const filter = { confirmed: true };
    const request = { query: asked, filter, limit: LOOKED_AT, count: false, matchesOnly: true };
    const { results } = await context.store.recall(request, readerOf(call));
    const entries = results
      .map(({ entry }) => entry)
      .filter((entry) => !shown.includes(markOf(entry)) && isAbout(entry, words))
      .slice(0, limit);
    const data: InjectedMemory = {
      entries: entries.map(({ id, key, source, updated }) => ({ id, key, source, updated })),
    };
    return { text: injectedText(entries, context.now()), data };
  },
});

/** How many entries go with a prompt; what is no such number means the default. */
function limitOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= LIMIT
    ? value
    : MOST;
}

function isAbout({ key, content, tags }: Entry, asked: readonly (readonly string[])[]): boolean {
  const said = new Set(wordsOf(`${key}\n${tags.join(' ')}\n${content}`).flat());
  const common = asked.filter((forms) => forms.some((form) => said.has(form))).length;
  return common >= ENOUGH || common >= asked.length * SHARE;
}

/**
 * The words of a text, each once, with the forms that search knows them by. Of the pairs in a Hangul word only its first
 * counts, which is its stem's: the others are endings, as are words of one syllable. Han and kana have pairs for words.
 */
function wordsOf(text: string): string[][] {
  const words = text.split(/\s+/u).flatMap((word) => {
    const terms = analyze(word);
    const pairs = terms.filter(({ form }) => form === 'pair').map(({ text: pair }) => pair);
    const whole = terms
      .filter(({ form, text: term }) => form === 'word' || (form === 'loose' && [...term].length > 1))
      .map(({ text: term }) => term);
    if (whole.length > 0) return [[...whole, ...pairs.slice(0, 1)]];
    return terms.length === pairs.length ? pairs.map((pair) => [pair]) : [];
  });
  return [...new Map(words.map((forms) => [forms.join(' '), forms])).values()];
}
