/** A process that raises sessions and records it until it is killed. Run by auditKilled.test.ts. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { KeyRing } from '../../../src/journal/keys.ts';
import { AuditLog } from '../../../src/policy/auditLog.ts';
import { Taint } from '../../../src/policy/taint.ts';

const folder = process.argv[2] ?? '';
const keys = new KeyRing({ dir: join(folder, 'keys') });
const log = new AuditLog({
  ...{ dir: join(folder, 'audit'), keys, defaultLevel: 'PUBLIC', now: Date.now },
  maxFileBytes: 4_000,
  maxFiles: 1_000,
});
const taint = new Taint({
  dir: join(folder, 'taint'),
  keys: () => keys,
  audit: { record: (event) => log.append(event) },
});

for (let each = 0; ; each++) {
  const key = `s-${process.pid}-${each}`;
  await taint.raise({ key, start: 'PUBLIC' }, 'CONFIDENTIAL', {
    reason: 'x'.repeat(each % 200),
    source: 'test',
  });
  // Told at once: whatever the test has read was acknowledged.
  writeSync(1, `${key}\n`);
}
