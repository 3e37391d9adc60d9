/** Answers of a server that may be anything: read whole, and no longer than what anybody reads. */

/** In bytes. An honest answer is thousands of times shorter. */
const LONGEST = 8 * 1024 * 1024;

/**
 * A `fetch` whose response has all of its body. It fails where the body is longer than 8 MiB, or not there when the
 * signal aborts: a request that has its headers forgets its signal once it is garbage, and would wait for ever.
 */
export function wholeFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, signal });
    const { status, statusText, headers, body } = response;
    if (body === null) return response;
    return new Response(await bytesOf(body, signal), { status, statusText, headers });
  };
}

async function bytesOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<Buffer> {
  const reader = body.getReader();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    signal.throwIfAborted();
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted]);
      if (done) return Buffer.concat(chunks);
      length += value.length;
      if (length > LONGEST) throw new Error(`the answer is longer than ${LONGEST} bytes`);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
