import { isPlain } from './keys.ts';
import { TypeAhead } from './type-ahead.ts';

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
  readonly #letters = new TypeAhead();

  /**
   * @param rows how many lines there are, and `word` what each begins with
   * @returns the index of the row to go to, what to do, or undefined for a key that means nothing here
   */
  read(
    event: KeyboardEvent,
    rows: number,
    word: (index: number) => string,
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
      End: rows - 1,
    };
    const move = moves[event.key];
    if (move !== undefined) return Math.max(0, Math.min(move, rows - 1));
    // A name may have spaces in it.
    const command = event.key === ' ' && this.#letters.isTyping ? undefined : COMMANDS[event.key];
    if (command !== undefined) return command;
    return [...event.key].length === 1
      ? this.#letters.type(
          event.key,
          Array.from({ length: rows }, (_, at) => word(at)),
          active,
        )
      : undefined;
  }
}
