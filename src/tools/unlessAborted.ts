/**
 * What `running` comes to, if that is before the signal fires. It is not stopped by that; what it comes to is dropped.
 * @throws the signal's reason once it fires
 */
export async function unlessAborted<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  // Whichever comes second must not be reported as an error that nobody handles.
  for (const each of [running, aborted]) each.catch(() => {});
  try {
    return await Promise.race([running, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
