import * as vscode from 'vscode';

/** Runs something that can be aborted for as long as the editor wants its answer. */
export async function withSignal<T>(
  token: vscode.CancellationToken,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const subscription = token.onCancellationRequested(() => controller.abort());
  try {
    return await run(controller.signal);
  } finally {
    subscription.dispose();
  }
}

/** The editor's token for a signal. Disposing of it cancels it, too: nobody wants the answer any more. */
export function tokenOf(signal: AbortSignal): { token: vscode.CancellationToken } & vscode.Disposable {
  const source = new vscode.CancellationTokenSource();
  const cancel = () => source.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel);
  return {
    token: source.token,
    dispose: () => {
      signal.removeEventListener('abort', cancel);
      cancel();
      source.dispose();
    },
  };
}
