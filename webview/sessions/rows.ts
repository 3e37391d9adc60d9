import type { SessionLine } from '../../src/sessionProtocol.ts';
import { clip, visibleLine } from '../kit/text.ts';
import type { TreeRow } from '../kit/tree-rows.ts';
import { conflictsName } from './conflicts.ts';
import { factsOf, kindName, sessionName, standingName, standingOf } from './describe.ts';

export interface SessionRow extends TreeRow {
  readonly session: SessionLine;
  /** 1 at the top. */
  readonly depth: number;
}

/** What is listed of all sessions. */
export interface Listing {
  readonly query: string;
  readonly archived: boolean;
  readonly open: Readonly<Record<string, boolean>>;
}

const HEIGHT = 42;
/** Characters of each name that are looked through. */
const SEARCHED = 1_000;

/** The lines of the tree from top to bottom: children stand below the session that spawned them. */
export function buildRows(sessions: readonly SessionLine[], listing: Listing): readonly SessionRow[] {
  const { query, open } = listing;
  const children = childrenOf(listed(sessions, listing));
  const rows: SessionRow[] = [];
  const add = (session: SessionLine, depth: number, parent: number | undefined, place: Place) => {
    const own = children.get(session.key) ?? [];
    // What is looked for must not be folded away.
    const isOpen =
      query !== '' || (Object.hasOwn(open, session.key) ? open[session.key] : undefined) !== false;
    const index = rows.length;
    rows.push({
      key: session.key,
      session,
      depth,
      ...place,
      top: index * HEIGHT,
      height: HEIGHT,
      parent,
      open: own.length === 0 ? undefined : isOpen,
    });
    if (isOpen)
      own.forEach((child, at) => {
        add(child, depth + 1, index, { position: at + 1, size: own.length });
      });
  };
  const roots = children.get('') ?? [];
  roots.forEach((session, at) => {
    add(session, 1, undefined, { position: at + 1, size: roots.length });
  });
  return rows;
}

type Place = Pick<TreeRow, 'position' | 'size'>;

/** What fits, with all that it stands below. */
function listed(sessions: readonly SessionLine[], { query, archived }: Listing): readonly SessionLine[] {
  const shown = archived ? sessions : sessions.filter((session) => !session.archived);
  const words = fold(query)
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return shown;
  const byKey = new Map(shown.map((session) => [session.key, session]));
  const kept = new Set<SessionLine>();
  for (const session of shown) {
    const text = fold(searchText(session));
    if (!words.every((word) => text.includes(word))) continue;
    let each: SessionLine | undefined = session;
    while (each !== undefined && !kept.has(each)) {
      kept.add(each);
      each = each.parent === null ? undefined : byKey.get(each.parent);
    }
  }
  return shown.filter((session) => kept.has(session));
}

/** Sessions by the key of the one that they stand below; '' for the top. */
function childrenOf(sessions: readonly SessionLine[]): ReadonlyMap<string, readonly SessionLine[]> {
  const byKey = new Map(sessions.map((session) => [session.key, session]));
  const children = new Map<string, SessionLine[]>();
  for (const session of sessions) {
    const { parent } = session;
    const place = parent !== null && byKey.has(parent) && !isInside(byKey, parent, session.key) ? parent : '';
    const siblings = children.get(place);
    if (siblings === undefined) children.set(place, [session]);
    else siblings.push(session);
  }
  return children;
}

/** Whether a session stands, however deep, below another: records of other versions may go in circles. */
function isInside(byKey: ReadonlyMap<string, SessionLine>, key: string, other: string): boolean {
  const seen = new Set<string>();
  let each: string | null | undefined = key;
  while (each !== null && each !== undefined && !seen.has(each)) {
    if (each === other) return true;
    seen.add(each);
    each = byKey.get(each)?.parent;
  }
  return each !== null && each !== undefined;
}

function searchText(session: SessionLine): string {
  const { title, label, source, key, agentId, model, kind, peer = '', conflicts = [] } = session;
  const files = conflicts.map(({ file }) => file).join(' ');
  const known = [title, label, source, key, agentId, model ?? '', peer, files].map((each) =>
    clip(each, SEARCHED),
  );
  return [...known, kindName(kind), standingName(standingOf(session))].join(' ');
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** What a screen reader says: nothing that changes all the time. */
export function rowName({ session }: SessionRow): string {
  const { tokens: _tokens, ...still } = session;
  const facts = factsOf({ ...still, tokens: null });
  return [sessionName(session), standingName(standingOf(session)), conflictsName(session), ...facts]
    .filter((part) => part !== '')
    .map(visibleLine)
    .join(', ');
}
