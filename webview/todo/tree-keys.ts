import { isDelete, isPlain } from '../kit/keys.ts';
import { TypeAhead } from '../kit/type-ahead.ts';
import { type ItemRow, type Row, rowWord } from './rows.ts';

/** What a key asks the tree to do. */
export type Command =
  | 'open'
  | 'close'
  | 'menu'
  | 'toggle'
  | 'start'
  | 'rename'
  | 'remove'
  | 'add'
  | 'up'
  | 'down';

/** Letters that mean something unless typed after other letters. */
const LETTERS: Readonly<Record<string, Command>> = { s: 'start', '+': 'add', ' ': 'toggle' };
const KEYS: Readonly<Record<string, Command>> = {
  Enter: 'menu',
  F2: 'rename',
  ArrowRight: 'open',
  ArrowLeft: 'close',
};

/** Reads keys as a tree does: moves, commands, and letters that find a line. */
export class TreeKeys {
  readonly #letters = new TypeAhead();

  /** The index of the row to go to, what to do, or undefined for a key that means nothing here. */
  read(
    event: KeyboardEvent,
    rows: readonly Row[],
    active: number,
    page: number,
  ): number | Command | undefined {
    if (event.altKey && !event.ctrlKey && !event.metaKey) {
      return event.key === 'ArrowUp' ? 'up' : event.key === 'ArrowDown' ? 'down' : undefined;
    }
    if (isDelete(event)) return 'remove';
    if (!isPlain(event)) return undefined;
    const moves: Record<string, () => number> = {
      ArrowDown: () => nearest(rows, active + 1, 1),
      ArrowUp: () => nearest(rows, active - 1, -1),
      PageDown: () => nearest(rows, Math.min(active + page, rows.length - 1), -1),
      PageUp: () => nearest(rows, Math.max(active - page, 0), 1),
      Home: () => nearest(rows, 0, 1),
      End: () => nearest(rows, rows.length - 1, -1),
    };
    const move = moves[event.key];
    if (move !== undefined) {
      const index = move();
      return index < 0 ? active : index;
    }
    if (KEYS[event.key] !== undefined) return KEYS[event.key];
    return [...event.key].length === 1 ? this.#type(event.key, rows, active) : undefined;
  }

  #type(letter: string, rows: readonly Row[], active: number): number | Command {
    const command = this.#letters.isTyping ? undefined : LETTERS[letter];
    if (command !== undefined) return command;
    const words = rows.map((row) => (row.kind === 'edit' ? undefined : rowWord(row)));
    return this.#letters.type(letter, words, active);
  }
}

/** The first line from here in a direction that can be active, else -1. */
function nearest(rows: readonly Row[], from: number, by: 1 | -1): number {
  for (let index = from; index >= 0 && index < rows.length; index += by) {
    if (rows[index]?.kind !== 'edit') return index;
  }
  return -1;
}

/** The active line: the one with the key, else what took its place. */
export function activeIndex(rows: readonly Row[], key: string, before: number): number {
  const index = rows.findIndex((row) => row.key === key);
  if (index >= 0) return index;
  const last = Math.min(Math.max(before, 0), rows.length - 1);
  const near = nearest(rows, last, 1);
  return near >= 0 ? near : nearest(rows, last, -1);
}

export function itemAt(rows: readonly Row[], index: number): ItemRow | undefined {
  const row = rows[index];
  return row?.kind === 'edit' ? undefined : row;
}
