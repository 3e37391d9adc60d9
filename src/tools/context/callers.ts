import { setTimeout as delay } from 'node:timers/promises';
import type { Code, CodePlace, CodeSymbol } from '../../ports.ts';
import { analyze } from '../../recall/analyze.ts';

/** Language services may have to read the whole project first; a briefing does not wait for that. Milliseconds. */
const PATIENCE = 4_000;
const MOST_SYMBOLS = 8;
const MOST_NAMES = 5;
/** Names in the style of code: `useZod`, `use_zod`, `UseZod`, or anything between backquotes. */
const NAME =
  /`([\p{L}_$][\p{L}\p{N}_$]{1,63})`|(?<![\p{L}\p{N}_$])(\p{L}{1,40}(?:_\p{L}|\p{Ll}\p{Lu})[\p{L}\p{N}_]{0,40})(?![\p{L}\p{N}_$])/gu;

export interface Caller extends CodePlace {
  /** What is used there. */
  readonly symbol: string;
}

/** Names of code in a text, in order, each once. */
export function namesIn(text: string): string[] {
  const names = [...text.matchAll(NAME)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return [...new Set(names)].slice(0, MOST_NAMES);
}

/** What the folder's code defines under these names; nothing where it takes too long. */
export async function definitionsOf(
  names: readonly string[],
  code: Code,
  signal: AbortSignal,
): Promise<readonly CodeSymbol[]> {
  const asked = Promise.all(names.map((name) => code.symbolsNamed(name)));
  return (await inTime(asked, signal))?.flat() ?? [];
}

/**
 * Where what the files define is used in other files, once per file and symbol; what the text names comes first.
 * Nothing where it takes too long.
 */
export async function callersOf(
  text: string,
  files: readonly string[],
  code: Code,
  signal: AbortSignal,
): Promise<readonly Caller[]> {
  const wanted = new Set(analyze(text).map((term) => term.text));
  const isWanted = ({ name }: CodeSymbol) => analyze(name).some((term) => wanted.has(term.text));
  const find = async (): Promise<Caller[]> => {
    const defined = (await Promise.all(files.map((file) => code.symbolsIn(file)))).flat();
    const symbols = [...defined.filter(isWanted), ...defined.filter((symbol) => !isWanted(symbol))];
    const uses = await Promise.all(
      symbols.slice(0, MOST_SYMBOLS).map(async (symbol) => {
        const places = (await code.usesOf(symbol)).filter(({ path }) => path !== symbol.path);
        const first = new Map(places.toReversed().map((place) => [place.path, place]));
        return [...first.values()].reverse().map((place) => ({ ...place, symbol: symbol.name }));
      }),
    );
    return uses.flat();
  };
  return (await inTime(find(), signal)) ?? [];
}

/** What a promise gives, or undefined when it fails or the time is up. @throws the signal's reason. */
async function inTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const over = new AbortController();
  try {
    // Language services that fail leave their part of a briefing out, as those do that are not there.
    return await Promise.race([
      promise.catch(() => undefined),
      delay(PATIENCE, undefined, { signal: AbortSignal.any([signal, over.signal]) }),
    ]);
  } finally {
    over.abort();
  }
}
