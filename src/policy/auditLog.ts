/** The audit log of one store, in `<store>/audit/`: a hash chain for each process that writes to it. */
import { type ChainRecord, readChains } from '../journal/chainReader.ts';
import { refitEndedChains } from '../journal/chainRefit.ts';
import { type ChainOptions, ChainWriter, isOpenChain } from '../journal/chainWriter.ts';
import type { KeyRing } from '../journal/keys.ts';
import {
  AUDIT_KINDS,
  type AuditEvent,
  type AuditPage,
  type AuditRecord,
  type AuditVerdict,
} from './audit.ts';
import { canFlowTo, type Level, maxLevel, parseLevel } from './level.ts';

/** Reasons and names longer than this are cut: a record is a line, not a place to keep things. In UTF-16 units. */
const MAX_TEXT = 300;

export interface AuditLogOptions extends Omit<ChainOptions, 'sealed'> {
  /** Records above it are sealed on disk. */
  readonly defaultLevel: Level;
}

export class AuditLog {
  readonly #dir: string;
  readonly #keys: KeyRing;
  readonly #writer: ChainWriter;
  readonly #sealed: (text: string) => boolean;
  readonly #alive: ((pid: number) => boolean) | undefined;

  constructor({ defaultLevel, ...options }: AuditLogOptions) {
    this.#dir = options.dir;
    this.#keys = options.keys;
    this.#alive = options.seam?.alive;
    this.#sealed = (text) => {
      const level = parseLevel(text);
      return options.keys.sealsAll() || level === undefined || !canFlowTo(level, defaultLevel);
    };
    this.#writer = new ChainWriter({ ...options, sealed: this.#sealed });
  }

  /**
   * Appends a record, on disk when this returns but for denials, which may be many.
   * @throws JournalWriteError or KeyError when it is not recorded.
   */
  append(event: AuditEvent): void {
    const level = [event.before, event.after].reduce<Level>(
      (highest, other) => maxLevel(highest, other ?? highest),
      event.level,
    );
    const { level: _, ...rest } = event;
    const payload = Object.fromEntries(
      Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, plain(value)]])),
    );
    this.#writer.append(payload, level, event.kind !== 'denied');
  }

  /** The records up to a reader's level, newest first. Undefined for a `before` that names none. @throws when the folder cannot be read. */
  page(
    { limit, before }: { limit: number; before?: string | undefined },
    reader: Level,
  ): AuditPage | undefined {
    const visible = readChains(this.#dir, this.#keys)
      .records.filter(({ level }) => canFlowTo(parseLevel(level) ?? 'RESTRICTED', reader))
      .sort(newestFirst);
    const at = before === undefined ? -1 : visible.findIndex(({ id }) => id === before);
    if (before !== undefined && at < 0) return undefined;
    const page = visible.slice(at + 1, at + 1 + limit);
    const records = page.flatMap((record) => auditRecord(record) ?? []);
    const isMore = at + 1 + page.length < visible.length;
    return {
      records,
      next: isMore ? page.at(-1)?.id : undefined,
      unreadable: page.length - records.length,
    };
  }

  /** Checks every chain. @throws when the folder cannot be read. */
  verify(): AuditVerdict {
    const { files, records, problems, torn } = readChains(this.#dir, this.#keys);
    return { ok: problems.length === 0, files, records: records.length, problems, torn };
  }

  /**
   * Puts the chains of ended writers, and our own, into the form that the store's switch wants.
   * @returns how many chains other processes still have to put into it
   * @throws what the disk says, KeyError
   */
  refit(): number {
    this.#writer.follow();
    return refitEndedChains(
      { dir: this.#dir, keys: this.#keys, sealed: this.#sealed },
      isOpenChain,
      this.#alive,
    );
  }

  close(): void {
    this.#writer.close();
  }
}

function plain(value: string): string {
  const text = value.toWellFormed();
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
}

function newestFirst(a: ChainRecord, b: ChainRecord): number {
  if (a.at !== b.at) return b.at - a.at;
  const [left, right] = [a, b].map(({ id }) => Number(id.slice(id.indexOf('-') + 1)));
  return (right ?? 0) - (left ?? 0) || (a.id < b.id ? 1 : -1);
}

/** Undefined where it cannot be opened or is of a kind that only a newer version knows. */
function auditRecord({ id, at, level: text, payload }: ChainRecord): AuditRecord | undefined {
  const level = parseLevel(text);
  if (level === undefined || typeof payload !== 'object' || payload === null || Array.isArray(payload))
    return undefined;
  const said = (name: string): string | undefined => {
    const value = payload[name];
    return typeof value === 'string' ? value : undefined;
  };
  const kind = AUDIT_KINDS.find((each) => each === said('kind'));
  if (kind === undefined) return undefined;
  return {
    ...{ id, at, kind, level },
    actor: said('actor') === 'person' ? 'person' : 'agent',
    session: said('session') ?? '',
    source: said('source') ?? '',
    tool: said('tool'),
    rule: said('rule'),
    before: parseLevel(said('before') ?? ''),
    after: parseLevel(said('after') ?? ''),
    subject: said('subject'),
    reason: said('reason'),
  };
}
