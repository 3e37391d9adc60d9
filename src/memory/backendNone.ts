/** No backend: switched off, or a server that cannot be one. */
import type { BackendView, Phrase } from '../backendProtocol.ts';
import type { Level } from '../policy/level.ts';
import type { MemoryBackend } from './backend.ts';
import { BackendError, phrase } from './hindsight/texts.ts';

/** Why an address cannot be a server's. */
export const NO_ADDRESS = phrase(
  'Hindsight backend is not initialised for this session. The address of the server must begin with http:// or https:// and hold no password: see the setting "hindsight.apiUrl".',
);

/**
 * A backend that refuses everything.
 * @param reason why there is no server; undefined where the person switched it off
 */
export function noBackend(
  kind: 'hindsight' | 'off',
  reason: Phrase | undefined,
  waiting: (reader?: Level) => Promise<BackendView['queue']>,
): MemoryBackend {
  const error =
    reason ??
    phrase(
      'Hindsight backend is not initialised for this session. The person switched it off with the setting "memory.backend".',
    );
  const refuse = async (): Promise<never> => {
    throw new BackendError(error);
  };
  return {
    recall: refuse,
    retain: refuse,
    reflect: refuse,
    status: async (reader) => ({
      kind,
      server: reason === undefined ? null : { url: '', state: 'unknown', error },
      queue: await waiting(reader),
      banks: [],
      mentalModels: [],
    }),
    retryNow: async () => {},
    onChange: () => () => {},
    onWarning: () => () => {},
    flush: async () => {},
    dispose: async () => {},
  };
}
