import { LineCodec } from '../session/line.ts';
import type { OverriddenSessions } from '../session/overrides.ts';
import { transcriptFile } from '../session/place.ts';
import type { Presence } from '../session/presenceRecord.ts';
import type { PutAwaySessions } from '../session/putAway.ts';
import type { RegistryOptions, SessionRegistry, SessionSummary } from '../session/registry.ts';
import { idOf } from '../session/sessionId.ts';
import type { Presences } from './presence.ts';
import type { SessionApi, SessionReader } from './sessionApi.ts';
import { locked, notThere } from './sessionErrors.ts';
import type { PageQuery, SessionFacts, TranscriptPage } from './sessionLookApi.ts';
import { pageOf } from './sessionPage.ts';

/** A window of the editor says that it is there; it is no session of an agent's. */
const WINDOW = 'vscode';

type Place = Pick<SessionFacts, 'id' | 'agentId'>;

export interface SessionFactsParts {
  readonly options: RegistryOptions;
  readonly registry: SessionRegistry;
  readonly presences: Presences;
  readonly putAway: PutAwaySessions;
  readonly overrides: OverriddenSessions;
}

/** What sessions are and say, from the ends of their transcripts. */
export class SessionFactsReader {
  readonly #parts: SessionFactsParts;
  readonly #codec: LineCodec;

  constructor(parts: SessionFactsParts) {
    this.#parts = parts;
    this.#codec = new LineCodec(parts.options);
  }

  list(reader: SessionReader): SessionFacts[] {
    const { registry, presences, putAway, overrides, options } = this.#parts;
    const [saidAway, said] = [putAway.words(), overrides.reader()];
    const present = new Map(presences.active(reader).map((each) => [each.key, each]));
    const known = registry.list(reader.level).map((summary): SessionFacts => {
      const { id, agentId, key } = summary;
      const isPresent = agentId === undefined && present.delete(key);
      return {
        ...summary,
        isPresent,
        transcript: transcriptFile({ dir: options.dir, id, agentId }),
        saidAway: agentId === undefined ? saidAway(id, summary.lastActive) : undefined,
        overrides: said(nameOf(summary)),
      };
    });
    // A session above the reader's level is present under its own key, which this reader is not told.
    const others = [...present.values()].filter(({ agent }) => agent !== WINDOW).map(factsOfPresence);
    return [...known, ...others].sort((a, b) => b.lastActive - a.lastActive);
  }

  /** @throws StoreError */
  override(place: Place, change: Parameters<SessionApi['sessionOverride']>[1], reader: SessionReader): void {
    const summary = this.#summary(place, reader);
    this.#parts.overrides.put(nameOf(place), summary.level, change);
  }

  /** @throws StoreError */
  page(place: Place, query: PageQuery, reader: SessionReader): TranscriptPage {
    this.#summary(place, reader);
    const file = transcriptFile({ dir: this.#parts.options.dir, ...place });
    return pageOf(file, this.#codec, query);
  }

  #summary({ id, agentId }: Place, { level }: SessionReader): SessionSummary {
    const { registry } = this.#parts;
    const found = registry.at({ id, agentId }, level);
    if (found !== undefined) return found;
    throw registry.locked(level).some((each) => each.id === id) ? locked() : notThere();
  }
}

/** Names a session among all, subagents' too. */
function nameOf({ id, agentId }: Place): string {
  return agentId === undefined ? id : `${id}/${agentId}`;
}

function factsOfPresence({ key, agent, level, started, seen, peer }: Presence): SessionFacts {
  return {
    ...{
      id: idOf(key),
      key,
      kind: agent === 'copilot' && peer === undefined ? 'copilot' : 'mcp',
      source: agent,
      level,
      started,
    },
    ...{ lastActive: seen, live: false, depth: 0, tail: {}, isPresent: true },
    ...{ saidAway: undefined, overrides: {}, peer },
  };
}
