/** One GET, to a public address only. */
import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublic } from './addresses.ts';
import { orAborted, quote, WorkspaceError } from './tool.ts';

/** Most bytes of a body that are taken. */
export const MAX_BODY = 5_000_000;
/** For the whole answer, milliseconds. */
const PATIENCE = 30_000;

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** How names become addresses, and which of them are reached. */
export interface Network {
  resolve(host: string): Promise<readonly Address[]>;
  isReachable(address: string): boolean;
}

export const INTERNET: Network = {
  resolve: (host) => lookup(host, { all: true, verbatim: true }),
  isReachable: isPublic,
};

export interface Page {
  readonly status: number;
  /** Where the answer sends to, as it says it. */
  readonly location: string | undefined;
  readonly type: string;
  readonly body: Buffer;
  /** The body was longer. */
  readonly cut: boolean;
}

/**
 * A web address that may be fetched.
 * @throws WorkspaceError for anything but http and https, and for one with a name and password.
 */
export function parseAddress(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new WorkspaceError(`${quote(text)} is no web address. Give one that begins with https://.`);
  if (url.username !== '' || url.password !== '')
    throw new WorkspaceError('The address holds a user name or password, and none are sent. Leave them out.');
  return url;
}

/**
 * Gets one page. The host's name is resolved here, and the connection goes to the address that was checked: a name
 * that resolves to another one a moment later changes nothing. Redirects are not followed.
 * @throws WorkspaceError when the host is not public or the answer is none; the signal's reason when cancelled.
 */
export async function getPage(url: URL, network: Network, signal: AbortSignal): Promise<Page> {
  const late = AbortSignal.timeout(PATIENCE);
  try {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const stop = AbortSignal.any([signal, late]);
    const addresses = await orAborted(addressesOf(host, network), stop);
    return await ask(url, addresses, stop);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WorkspaceError) throw error;
    const why = late.aborted ? `no answer within ${PATIENCE / 1000} seconds` : codeOf(error);
    throw new WorkspaceError(
      `${quote(url.href)} could not be fetched: ${why}. Check the address, or go on without it.`,
    );
  }
}

/** The addresses of a host, all of them public: one that is not makes the others suspicious. */
async function addressesOf(host: string, network: Network): Promise<readonly [Address, ...Address[]]> {
  const family = isIP(host);
  const found = family === 0 ? await network.resolve(host) : [{ address: host, family }];
  const [first, ...others] = found;
  if (first === undefined || !found.every(({ address }) => network.isReachable(address)))
    throw new WorkspaceError(
      `${quote(host)} is not on the public internet, and only what is can be fetched. Go on without it.`,
    );
  return [first, ...others];
}

function ask(url: URL, addresses: readonly [Address, ...Address[]], signal: AbortSignal): Promise<Page> {
  const toChecked: LookupFunction = (_host, options, done) => {
    if (options.all === true) done(null, [...addresses]);
    else done(null, addresses[0].address, addresses[0].family);
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = request(url, {
      // No agent: a kept connection may lead elsewhere.
      agent: false,
      lookup: toChecked,
      signal,
      headers: {
        accept: 'text/*, application/json, application/xml;q=0.9, */*;q=0.1',
        'accept-encoding': 'identity',
        'user-agent': 'Lodeline',
      },
    });
    sent.once('error', reject);
    sent.once('response', (response) => bodyOf(response).then(resolve, reject));
    sent.end();
  });
}

async function bodyOf(response: IncomingMessage): Promise<Page> {
  const { headers, statusCode: status = 0 } = response;
  const chunks: Buffer[] = [];
  let length = 0;
  const type = headers['content-type'] ?? '';
  const redirects = status >= 300 && status < 400;
  if (!redirects) refuseUnreadable(response, type);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (redirects) break;
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BODY) break;
  }
  response.destroy();
  const body = Buffer.concat(chunks).subarray(0, MAX_BODY);
  return { status, location: headers.location, type, body, cut: length > MAX_BODY };
}

/** Text is read; anything else would be noise. */
function refuseUnreadable(response: IncomingMessage, type: string): void {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  const isText =
    type === '' || /^(text\/|application\/([\w.-]+\+)?(json|xml|yaml|x-yaml|toml|javascript)\b)/i.test(type);
  if (isText && encoding === 'identity') return;
  response.destroy();
  throw new WorkspaceError(
    `The answer is ${quote(isText ? `compressed (${encoding})` : type)} and not text. Look for a text form of it, such as a raw file.`,
  );
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
