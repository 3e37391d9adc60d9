import type { Reader } from '../memory/entry.ts';
import type { AuditEvent, AuditPage, AuditVerdict } from '../policy/audit.ts';

/** What the store's thread answers about the audit log. Errors the caller can act on are `StoreError`s. */
export interface AuditApi {
  /** Appends a record; on disk when this resolves, but for denials, which are in the file then. */
  auditRecord(event: AuditEvent): Promise<void>;
  /** Records up to the reader's level, newest first; `before`: the `next` of the page before. */
  auditPage(
    query: { readonly limit: number; readonly before?: string | undefined },
    reader: Reader,
  ): Promise<AuditPage>;
  /** Checks that no record was changed or taken out. */
  auditVerify(): Promise<AuditVerdict>;
}
