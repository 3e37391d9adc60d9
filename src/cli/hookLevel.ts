/** Raises the session of a chat by what its agent used, as the hook is told of it. */
import { join } from 'node:path';
import { messageOf } from '../journal/errors.ts';
import { AuditLog } from '../policy/auditLog.ts';
import type { Level } from '../policy/level.ts';
import { Taint } from '../policy/taint.ts';
import type { Log } from '../ports.ts';
import { Exposure } from '../tools/exposure.ts';
import type { HookEvent } from './hookInput.ts';
import type { HookPlace } from './hookPlace.ts';

/**
 * The level of the chat's session after an event. A rise that cannot be saved is told on standard error, and stops
 * nobody: the processes that answer the chat's calls refuse where its level cannot be told. What this hook writes
 * of the event is then at the highest level.
 */
export async function levelAfter(
  { session, agent, tool, input }: HookEvent,
  { root, cwd, storeDir, level: start, settings, keys }: HookPlace,
  log: Log,
): Promise<Level> {
  const warn = (error: unknown): void => log.warn(`hook: ${messageOf(error)}`);
  const audit = new AuditLog({ dir: join(storeDir, 'audit'), keys, defaultLevel: start, now: Date.now });
  const taint = new Taint({
    dir: join(storeDir, 'taint'),
    keys: () => keys,
    audit: {
      record: (event) => {
        try {
          audit.append(event);
        } catch (error) {
          warn(error);
        }
      },
    },
  });
  const exposure = new Exposure({ root: cwd, workTree: root, settings, taint, log });
  const exposed = { key: session, start, source: agent };
  try {
    return tool === '' ? exposure.levelOf(exposed) : await exposure.use(exposed, { tool, input });
  } catch (error) {
    warn(error);
    return 'RESTRICTED';
  } finally {
    audit.close();
  }
}
