/** After this pause a letter begins a new word. In milliseconds. */
const PAUSE = 600;

/** Letters typed one after another, which find the line that begins with them. */
export class TypeAhead {
  #typed = '';
  #typedAt = 0;

  /** Whether a letter typed now would go on with a word. */
  get isTyping(): boolean {
    return this.#before !== '';
  }

  /**
   * Takes a letter.
   * @param words what each line begins with; undefined for a line that cannot be found
   * @returns the index of the line to go to: the active one where none fits.
   */
  type(letter: string, words: readonly (string | undefined)[], active: number): number {
    this.#typed = this.#before + letter.toLowerCase();
    this.#typedAt = Date.now();
    // The same letter again goes on to the next line that starts with it.
    const again = [...this.#typed].every((each) => each === this.#typed[0]);
    const word = again ? (this.#typed[0] ?? '') : this.#typed;
    for (let step = again ? 1 : 0; step <= words.length; step++) {
      const index = (active + step) % words.length;
      if (words[index]?.toLowerCase().startsWith(word) === true) return index;
    }
    return active;
  }

  get #before(): string {
    return Date.now() - this.#typedAt < PAUSE ? this.#typed : '';
  }
}
