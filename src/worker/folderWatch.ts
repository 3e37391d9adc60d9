import { statSync } from 'node:fs';

/** Notices that files in a folder came, went or were replaced, by one look at the folder. */
export class FolderWatch {
  readonly #dir: string;
  #time: number;

  constructor(dir: string) {
    this.#dir = dir;
    this.#time = this.#look();
  }

  /** Whether something happened since the last call. */
  poll(): boolean {
    const time = this.#look();
    const changed = time !== this.#time;
    this.#time = time;
    return changed;
  }

  #look(): number {
    return statSync(this.#dir, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  }
}
