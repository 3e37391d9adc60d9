import type { CancellationToken, Disposable } from 'vscode';

/** Runs something that can be aborted for as long as the editor wants its answer. */
export async function withSignal<T>(
  token: CancellationToken,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const subscription: Disposable = token.onCancellationRequested(() => controller.abort());
  try {
    return await run(controller.signal);
  } finally {
    subscription.dispose();
  }
}
