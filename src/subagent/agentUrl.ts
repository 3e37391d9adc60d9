/** `agent://<id>`, `agent://<id>/<path>` and `agent://<id>?q=<query>`: the output of a subagent, or a part of it. */
import type { JsonValue } from '../journal/record.ts';
import { decoded, parseQuery, pathToQuery, QueryError, select } from './agentQuery.ts';
import { ArtifactError, type ArtifactIndex, type FoundArtifact, readArtifact } from './artifacts.ts';
import { ARTIFACT_ID_LENGTH } from './ids.ts';
import { oneLine, quoted } from './text.ts';

const SCHEME = 'agent://';

export interface AgentContent {
  readonly id: string;
  readonly content: string;
  readonly contentType: 'application/json' | 'text/markdown';
  /** What was done to the output, for the model. */
  readonly notes: readonly string[];
}

/**
 * Reads what an `agent://` address names. Before a path is taken as a way into JSON, its segments are taken as names
 * of nested subagents, as long as there are such. What is missing in the JSON is `null`.
 * @throws ArtifactError when the address is faulty, nothing or too much has the id, or the output is not JSON.
 */
export async function readAgentUrl(url: string, artifacts: ArtifactIndex): Promise<AgentContent> {
  const { id, path, query } = splitUrl(url);
  const { found, rest } = resolve(id, path, artifacts);
  const wayIn = pathToQuery(rest);
  if (wayIn !== '' && query !== '')
    throw new ArtifactError(`${quoted(url)} has both a path and a query. Use one of them.`);
  const text = found.text ?? (await readArtifact(found.dir, found.id));
  const asked = wayIn || query;
  if (asked === '') return { id: found.id, content: text, contentType: 'text/markdown', notes: [] };
  const value = select(parsed(text, found.id), keysOf(asked)) ?? null;
  return {
    id: found.id,
    content: JSON.stringify(value, null, 2),
    contentType: 'application/json',
    notes: [`Extracted: ${oneLine(asked)}`],
  };
}

/** Not by `URL`, which changes what it reads. */
function splitUrl(url: string): { id: string; path: string; query: string } {
  const match = /^agent:\/\/([^/?]+)(\/[^?]*)?(?:\?([\s\S]*))?$/.exec(url.trim());
  if (!match)
    throw new ArtifactError(
      `${quoted(url)} is no agent address: use ${SCHEME}<id>, ${SCHEME}<id>/<path> or ${SCHEME}<id>?q=<query>.`,
    );
  const [, id = '', path = '', search = ''] = match;
  if (search !== '' && !search.startsWith('q='))
    throw new ArtifactError(`${quoted(url)}: the only parameter is q, as in ${SCHEME}<id>?q=.items[0]`);
  return { id: decoded(id), path, query: decoded(search.slice('q='.length)) };
}

/** The deepest nested subagent that the path leads to, and the rest of the path. */
function resolve(id: string, path: string, artifacts: ArtifactIndex): { found: FoundArtifact; rest: string } {
  const segments = path.split('/').filter((segment) => segment !== '');
  let deepest: { found: FoundArtifact; rest: string } | undefined;
  let nested = id;
  for (const [at, segment] of segments.entries()) {
    nested += `.${decoded(segment)}`;
    if (nested.length > ARTIFACT_ID_LENGTH) break;
    const found = artifacts.find(nested);
    if (found) deepest = { found, rest: `/${segments.slice(at + 1).join('/')}` };
  }
  return deepest ?? { found: artifacts.get(id), rest: path };
}

function parsed(text: string, id: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw new ArtifactError(
      `The output of ${id} is not valid JSON, so nothing can be taken out of it. Read ${SCHEME}${id} whole.`,
    );
  }
}

function keysOf(query: string): string[] {
  try {
    return parseQuery(query);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new ArtifactError(`The query ${quoted(query)} cannot be read: ${error.message}.`);
  }
}
