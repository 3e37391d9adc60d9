/** What may become part of a path; DESIGN's grammar of ids. */
const ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const MAX_ID = 128;

/**
 * The id of a chat, or undefined where the editor does not tell: no stable API describes the URI whose last segment
 * is the chat's id in base64.
 * @param source the options of a tool call, or the `toolInvocationToken` of a chat request
 */
export function chatSessionOf(source: unknown): string | undefined {
  const segment = lastSegment(property(source, 'chatSessionResource') ?? property(source, 'sessionResource'));
  if (segment === undefined) return undefined;
  const decoded = Buffer.from(segment, 'base64').toString('utf8');
  // Other kinds of chats carry the id as it is.
  return [decoded, segment].find((id) => id.length <= MAX_ID && ID.test(id));
}

/** The folder the calling chat works in, where the editor tells. */
export function workingDirectoryOf(source: unknown): string | undefined {
  const directory = property(source, 'workingDirectory');
  const path = typeof directory === 'string' ? directory : property(directory, 'fsPath');
  return typeof path === 'string' ? path : undefined;
}

function lastSegment(resource: unknown): string | undefined {
  const path = typeof resource === 'string' ? resource : pathOf(resource);
  try {
    return path === undefined ? undefined : decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  } catch {
    return undefined;
  }
}

function pathOf(resource: unknown): string | undefined {
  const path = property(resource, 'path');
  return typeof path === 'string' ? path : undefined;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
