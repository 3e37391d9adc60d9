/** Puts what the gate refused into the audit log. */
import type { AuditEvent } from '../policy/audit.ts';
import type { Ports } from '../ports.ts';
import type { AuditApi } from '../worker/auditApi.ts';

/** An agent that tries the same again and again must not push everything else out of the log. */
const QUIET_MS = 60_000;
const MOST_KNOWN = 1000;

type DenialEvent = Pick<
  AuditEvent,
  'actor' | 'level' | 'session' | 'source' | 'tool' | 'rule' | 'subject' | 'reason'
>;

/** Records each denial once a minute for one session, tool and rule. */
export class Denials {
  readonly #audit: Pick<AuditApi, 'auditRecord'>;
  readonly #ports: Pick<Ports, 'now' | 'log' | 'trusted'>;
  readonly #last = new Map<string, number>();

  constructor(audit: Pick<AuditApi, 'auditRecord'>, ports: Pick<Ports, 'now' | 'log' | 'trusted'>) {
    this.#audit = audit;
    this.#ports = ports;
  }

  /** Never throws, and nobody waits for it. A folder that is not trusted is not written to. */
  record(event: DenialEvent): void {
    const { tool = '', rule = '', session, subject = '' } = event;
    const now = this.#ports.now();
    const name = JSON.stringify([session, tool, rule, subject]);
    const last = this.#last.get(name);
    if (!this.#ports.trusted() || (last !== undefined && Math.abs(now - last) < QUIET_MS)) return;
    if (this.#last.size >= MOST_KNOWN) this.#last.clear();
    this.#last.set(name, now);
    this.#audit.auditRecord({ ...event, kind: 'denied' }).catch((error: unknown) => {
      this.#ports.log.warn(`${tool} was denied (${rule}): ${error instanceof Error ? error.message : error}`);
    });
  }
}
