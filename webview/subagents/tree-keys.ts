import { isPlain } from '../kit/keys.ts';
import { type Row, rowWord } from './rows.ts';

const TYPEAHEAD_PAUSE = 600;

/** What a key asks the tree to do. */
export type Command = 'open' | 'close' | 'enter';

const COMMANDS: Readonly<Record<string, Command>> = {
  Enter: 'enter',
  ' ': 'enter',
  ArrowRight: 'open',
  ArrowLeft: 'close',
};

/** Reads keys as a tree does: moves, commands, and letters that find a line. */
export class TreeKeys {
  #typed = '';
  #typedAt = 0;

  /** The index of the row to go to, what to do, or undefined for a key that means nothing here. */
  read(
    event: KeyboardEvent,
    rows: readonly Row[],
    active: number,
    page: number,
  ): number | Command | undefined {
    if (!isPlain(event)) return undefined;
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    };
    const move = moves[event.key];
    if (move !== undefined) return Math.max(0, Math.min(move, rows.length - 1));
    // A name may have spaces in it.
    const command = event.key === ' ' && this.#before !== '' ? undefined : COMMANDS[event.key];
    if (command !== undefined) return command;
    return [...event.key].length === 1 ? this.#type(event.key, rows, active) : undefined;
  }

  get #before(): string {
    return Date.now() - this.#typedAt < TYPEAHEAD_PAUSE ? this.#typed : '';
  }

  #type(letter: string, rows: readonly Row[], active: number): number {
    this.#typed = this.#before + letter.toLowerCase();
    this.#typedAt = Date.now();
    // The same letter again goes on to the next line that starts with it.
    const again = [...this.#typed].every((each) => each === this.#typed[0]);
    const word = again ? (this.#typed[0] ?? '') : this.#typed;
    for (let step = again ? 1 : 0; step <= rows.length; step++) {
      const index = (active + step) % rows.length;
      const row = rows[index];
      if (row !== undefined && rowWord(row).toLowerCase().startsWith(word)) return index;
    }
    return active;
  }
}
