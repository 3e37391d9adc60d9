/** Where `recall`, `retain` and `reflect` keep memories, for the person: `backend_status` and `backend_retry`. */
import { z } from 'zod';
import type { BackendView } from '../../backendProtocol.ts';
import { fill } from '../../worker/api.ts';
import { defineTool } from '../tool.ts';

export const backendStatus = defineTool({
  name: 'backend_status',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Show the Memory Backend',
  description:
    'Where recall, retain and reflect keep memories: the server and how it answers, what waits to be sent, banks and mental models.',
  input: z.object({}),
  async run(_input, { level }, { backend }) {
    const data = await backend.status(level);
    return { text: backendText(data), data };
  },
});

export const backendRetry = defineTool({
  name: 'backend_retry',
  family: 'memory',
  profile: 'person',
  effect: 'write',
  title: 'Send Waiting Memories Now',
  description:
    'Sends what waits for the memory server at once, also what it refused before. others: false leaves what was kept for another server.',
  input: z.object({ others: z.boolean().default(true) }),
  async run({ others }, { level }, { backend }) {
    await backend.retryNow(others);
    const data = await backend.status(level);
    return { text: backendText(data), data };
  },
});

/** The same in a few lines of English. */
function backendText({ kind, server, queue, banks, mentalModels }: BackendView): string {
  const { waiting, refused, error } = queue;
  return [
    `Backend: ${kind}`,
    ...(server === null ? [] : [`Server: ${server.url} (${server.state})`]),
    ...(server?.error === undefined ? [] : [`  ${fill(server.error)}`]),
    ...(waiting === 0 ? [] : [`Waiting: ${waiting}${refused === 0 ? '' : `, ${refused} of them refused`}`]),
    ...(waiting === 0 || error === undefined ? [] : [`  ${fill(error)}`]),
    ...banks.map(({ id, tag }) => `Bank: ${id}${tag === undefined ? '' : ` (${tag})`}`),
    ...mentalModels.map(({ name }) => `Mental model: ${name}`),
  ].join('\n');
}
