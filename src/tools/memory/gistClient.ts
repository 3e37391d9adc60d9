/** The two calls to GitHub that sharing memory takes. Nothing here logs, and no error holds the token. */
import { z } from 'zod';
import type { GitHub } from '../../ports.ts';
import { ToolError } from '../tool.ts';

const PATIENCE = 30_000;
/** Longer ones are neither sent nor taken. */
const MAX_BYTES = 20 * 1024 * 1024;
/** Where GitHub keeps files that are too long for its answer. */
const RAW_HOST = 'gist.githubusercontent.com';

const madeSchema = z.object({ id: z.string(), html_url: z.string() });
const gistSchema = z.object({
  files: z.record(
    z.string(),
    z.object({
      content: z.string().optional(),
      truncated: z.boolean().optional(),
      raw_url: z.string().optional(),
    }),
  ),
});

/** Makes a secret gist of one file. Throws a `ToolError` that says what to do. */
export async function createGist(
  github: GitHub | undefined,
  file: { readonly name: string; readonly text: string },
  description: string,
  signal: AbortSignal,
): Promise<{ id: string; url: string }> {
  const size = Buffer.byteLength(file.text);
  if (size > MAX_BYTES)
    throw new ToolError(
      `The memory takes ${Math.ceil(size / 1024 / 1024)} MB, and a gist of more than 20 MB cannot be imported again. Archive or forget what is not needed, then try again. Nothing was sent.`,
    );
  const token = await github?.token();
  if (github === undefined || token === undefined)
    throw new ToolError(
      'GitHub needs a token with the scope "gist": set GITHUB_TOKEN, then try again. Nothing was sent.',
    );
  const answer = await request(`${github.api}/gists`, token, signal, {
    method: 'POST',
    body: JSON.stringify({ description, public: false, files: { [file.name]: { content: file.text } } }),
  });
  const { id, html_url } = parse(madeSchema, answer);
  return { id, url: html_url };
}

/** The text of a gist's first JSON file. Works without a token for what anybody with the address may read. */
export async function readGist(github: GitHub | undefined, id: string, signal: AbortSignal): Promise<string> {
  if (github === undefined) throw new ToolError('GitHub cannot be reached from here. Nothing was fetched.');
  const answer = await request(`${github.api}/gists/${id}`, await github.token(), signal, {});
  const files = Object.entries(parse(gistSchema, answer).files);
  const file = files.find(([name]) => name.endsWith('.json'))?.[1];
  if (file === undefined)
    throw new ToolError('The gist has no JSON file, so it holds no memory of Lodeline.');
  if (file.truncated !== true) return file.content ?? '';
  const raw = file.raw_url ?? '';
  if (!URL.canParse(raw) || ![RAW_HOST, new URL(github.api).host].includes(new URL(raw).host))
    throw new ToolError('The gist is too long for GitHub to send it whole.');
  return request(raw, undefined, signal, {});
}

async function request(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
  init: { method?: 'POST'; body?: string },
): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, {
      ...init,
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': 'lodeline',
        'x-github-api-version': '2022-11-28',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      // A redirect could take the token elsewhere.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
  } catch {
    signal.throwIfAborted();
    throw new ToolError('GitHub did not answer. Check the network connection, then try again.');
  }
  const text = await bodyOf(response);
  if (response.ok) return text;
  const reasons: Record<number, string> = {
    401: 'GitHub did not accept the token. Give one with the scope "gist", then try again.',
    403: 'GitHub refused: the token lacks the scope "gist", or too many calls were made. Try again later.',
    404: 'GitHub has no such gist, or the token may not see it. Check the id.',
  };
  throw new ToolError(
    reasons[response.status] ?? `GitHub answered with status ${response.status}. Try again later.`,
  );
}

async function bodyOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw new ToolError('The gist is longer than 20 MB. Split the memory, then try again.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse<Shape extends z.ZodType>(shape: Shape, text: string): z.output<Shape> {
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw new ToolError('GitHub answered in a form that is not known here. Nothing was changed.');
  }
}
