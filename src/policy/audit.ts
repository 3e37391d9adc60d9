/** What the audit log keeps of decisions: who, when, which rule, which level before and after. Never any content. */
import type { Level } from './level.ts';

/**
 * `level-raised`: a session's level rose. `denied`: a call was refused. `erased`: an entry, or everything of a level,
 * was deleted for good. `sealed`, `opened`: the whole store was sealed, or opened again.
 */
export const AUDIT_KINDS = ['level-raised', 'denied', 'erased', 'sealed', 'opened'] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

export interface AuditEvent {
  readonly kind: AuditKind;
  /** Who may read the record; above the folder's default level it is sealed on disk. */
  readonly level: Level;
  readonly actor: 'person' | 'agent';
  /** Key of the session, as its door gives it. */
  readonly session: string;
  /** The agent or surface, such as `copilot` or `panel`. */
  readonly source: string;
  /** Name of the tool; absent where none was called. */
  readonly tool?: string | undefined;
  /** The rule that decided, such as `trust` or `file:secrets/**`. */
  readonly rule?: string | undefined;
  readonly before?: Level | undefined;
  readonly after?: Level | undefined;
  /** What it was about, by a digest: names may say as much as contents. */
  readonly subject?: string | undefined;
  readonly reason?: string | undefined;
}

export interface AuditRecord extends AuditEvent {
  /** Names the record; also the `before` of the page after it. */
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /** `before` for the next page; undefined when there is nothing older. */
  readonly next: string | undefined;
  /** Records whose key is not here. */
  readonly unreadable: number;
}

export interface AuditProblem {
  readonly file: string;
  /** Number of the record in its writer's chain, from 0. */
  readonly record: number;
  readonly reason: 'changed' | 'file-missing' | 'unreadable';
}

export interface AuditVerdict {
  readonly ok: boolean;
  readonly files: number;
  readonly records: number;
  /** What does not verify. */
  readonly problems: readonly AuditProblem[];
  /** Unfinished ends of writers that were ended: nobody was told that they were recorded. */
  readonly torn: readonly { readonly file: string; readonly bytes: number }[];
}

/** Where decisions are recorded. A call must not fail because its record cannot be written: this never throws. */
export interface AuditSink {
  record(event: AuditEvent): void | Promise<void>;
}
