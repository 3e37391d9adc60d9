/** Nothing was acknowledged; the store is as readable as before. */
export class JournalWriteError extends Error {
  override readonly name = 'JournalWriteError';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
