/** Whether everything of a folder is sealed, for the person. */
import { z } from 'zod';
import type { SealView } from '../protocol.ts';
import { defineTool } from './tool.ts';

/** What `seal_show` answers. */
export interface SealShown extends SealView {
  /** What has to be done before the store can be read, in English; absent when nothing. */
  readonly missing?: string | undefined;
}

/** Whether everything that is kept of a folder stands sealed, or is being sealed. */
export function isSealed({ state }: Pick<SealView, 'state'>): boolean {
  return state === 'sealing' || state === 'sealed';
}

export const sealShow = defineTool({
  name: 'seal_show',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Show Encryption',
  description:
    'Whether everything that is kept of the folder is encrypted, and what is missing before it can be read.',
  input: z.object({}),
  async run(_input, _call, { sealing, keyPlaces }) {
    const { state, key, missing } = await sealing.sealStatus();
    const data: SealShown = { state, key, missing, locked: missing === undefined ? null : keyPlaces(key) };
    return { text: missing ?? state, data };
  },
});
