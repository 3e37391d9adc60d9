/** Turns, by name, within this process. */
const last = new Map<string, Promise<unknown>>();

/** Runs `work` after everything that was asked for under the same name before. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(name) ?? Promise.resolve();
  const turn = before.then(work, work);
  last.set(name, turn);
  try {
    return await turn;
  } finally {
    if (last.get(name) === turn) last.delete(name);
  }
}
