/** What could not be read. */

import type { KeyRing } from './keys.ts';
import { quarantine } from './quarantine.ts';
import type { OpaqueReason } from './record.ts';

export type DamageReason =
  /** No record verifies these bytes. */
  | 'unverified'
  /** The file ends in the middle of a record: never acknowledged, or the file was cut. */
  | 'torn'
  /** A base does not hold as many records as it says, or does not say. */
  | 'incomplete'
  | 'missing'
  | 'unreadable'
  | OpaqueReason;

export interface DamageReport {
  /** Name inside the journal's folder. */
  file: string;
  /** Bytes from the start of the file. */
  offset: number;
  length: number;
  reason: DamageReason;
  /** Unopened records of one file and level share a report for each reason; this says how many they are. */
  count: number;
  /** Of sealed records, which say it though they cannot be opened. */
  level?: string | undefined;
}

export class DamageLog {
  readonly #dir: string;
  readonly #keys: KeyRing;
  readonly #reports = new Map<string, DamageReport>();

  constructor(dir: string, keys: KeyRing) {
    this.#dir = dir;
    this.#keys = keys;
  }

  reports(): DamageReport[] {
    return [...this.#reports.values()];
  }

  clear(): void {
    this.#reports.clear();
  }

  /** Notes something that is wrong with a file as such. */
  file(file: string, offset: number, reason: DamageReason): void {
    this.#once({ file, offset, length: 0, reason, count: 1 });
  }

  /** Notes bytes that make no record, and puts a copy of them aside. */
  bytes(file: string, offset: number, reason: DamageReason, bytes: Buffer): void {
    if (!this.#once({ file, offset, length: bytes.length, reason, count: 1 }) || bytes.length === 0) return;
    try {
      quarantine(this.#dir, file, offset, bytes, this.#keys);
    } catch {
      // Best effort: the bytes themselves are still where they were.
    }
  }

  /** Notes a whole record that cannot be opened. It stays where it is. */
  unopened(file: string, offset: number, length: number, reason: OpaqueReason, level?: string): void {
    const key = `${file} ${reason} ${level}`;
    const known = this.#reports.get(key);
    if (!known) this.#reports.set(key, { file, offset, length, reason, count: 1, ...(level && { level }) });
    else {
      known.count++;
      known.length += length;
    }
  }

  #once(report: DamageReport): boolean {
    const key = `${report.file} ${report.offset} ${report.reason}`;
    if (this.#reports.has(key)) return false;
    this.#reports.set(key, report);
    return true;
  }
}
