/** What the loop of a session needs of its transcript, for a door that runs it: of that session, and of no other. */

import type { SessionApi } from '../worker/sessionApi.ts';
import type { FoldPlace } from '../worker/sessionFoldApi.ts';

export type LoopApi = Pick<
  SessionApi,
  | 'sessionStart'
  | 'memoriesShown'
  | 'turnBegin'
  | 'turnStep'
  | 'turnStop'
  | 'turnEnd'
  | 'foldOpen'
  | 'foldCommit'
  | 'foldRead'
>;

/** The same, bound to the session with this key. What names another one is a mistake of the door's, and throws. */
export function ownLoop(sessions: LoopApi, key: string): LoopApi {
  const begun = new Set<string>();
  const check = (isOwn: boolean): void => {
    if (!isOwn) throw new Error('This loop belongs to another session.');
  };
  const checkTurn = (id: string): void => check(begun.has(id));
  const checkPlace = (place: FoldPlace): void => check(place.key === key && place.agent === undefined);
  return {
    sessionStart: async (caller) => {
      check(caller.key === key);
      return await sessions.sessionStart(caller);
    },
    memoriesShown: async (owner) => {
      check(owner.key === key && owner.agent === undefined);
      return await sessions.memoriesShown(owner);
    },
    turnBegin: async (owner, drafts) => {
      check(owner.key === key && owner.agent === undefined);
      const view = await sessions.turnBegin(owner, drafts);
      begun.add(view.id);
      return view;
    },
    turnStep: async (id, drafts) => {
      checkTurn(id);
      return await sessions.turnStep(id, drafts);
    },
    turnStop: async (id, drafts, limits) => {
      checkTurn(id);
      return await sessions.turnStop(id, drafts, limits);
    },
    turnEnd: async (id, drafts, end) => {
      checkTurn(id);
      return await sessions.turnEnd(id, drafts, end);
    },
    foldOpen: async (place, density) => {
      checkPlace(place);
      return await sessions.foldOpen(place, density);
    },
    foldCommit: async (place, blocks) => {
      checkPlace(place);
      await sessions.foldCommit(place, blocks);
    },
    foldRead: async (place, block, offset, length) => {
      checkPlace(place);
      return await sessions.foldRead(place, block, offset, length);
    },
  };
}
