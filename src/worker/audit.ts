import type { AuditEvent, AuditSink } from '../policy/audit.ts';
import { AuditLog, type AuditLogOptions } from '../policy/auditLog.ts';
import { phrase, StoreError } from './api.ts';
import type { AuditApi } from './auditApi.ts';

/** The audit log of one store. Lives in the store's thread. */
export class AuditService implements AuditApi, AuditSink {
  readonly #log: AuditLog;

  constructor(options: AuditLogOptions) {
    this.#log = new AuditLog(options);
  }

  /** For what happens in this thread; a deed is done whether or not it can be recorded. */
  record(event: AuditEvent): void {
    try {
      this.#log.append(event);
    } catch (error) {
      process.emitWarning(`The audit log could not be written: ${messageOf(error)}`);
    }
  }

  readonly auditRecord: AuditApi['auditRecord'] = async (event) => {
    try {
      this.#log.append(event);
    } catch (error) {
      throw new StoreError(phrase('The audit log could not be written: {0}', messageOf(error)));
    }
  };

  readonly auditPage: AuditApi['auditPage'] = async (query, reader) => {
    const page = this.#read(() => this.#log.page(query, reader.level));
    if (page !== undefined) return page;
    throw new StoreError(
      phrase(
        'The audit log has no record "{0}" any more. Leave before out to begin at the newest.',
        query.before ?? '',
      ),
    );
  };

  readonly auditVerify: AuditApi['auditVerify'] = async () => this.#read(() => this.#log.verify());

  /** See `AuditLog.refit`. */
  refit(): number {
    return this.#log.refit();
  }

  close(): void {
    this.#log.close();
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new StoreError(
        phrase(
          'The audit log cannot be read: {0}. Check the permissions of its folder, then try again.',
          error.message,
        ),
      );
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
