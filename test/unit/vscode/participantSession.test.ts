import { describe, expect, test } from 'vitest';
import { metadataOf, PARTICIPANT, placeOf } from '../../../src/vscode/participantSession.ts';

const ID = '0f9a1c2e-7b44-4f0e-9a57-2d1f6b7c8e90';
const CHAT = {
  toolInvocationToken: { sessionResource: { path: `/local/${Buffer.from(ID).toString('base64')}` } },
};
const UNKNOWN = { toolInvocationToken: undefined };

const asked = (prompt: string) => ({ prompt, participant: PARTICIPANT });
const answered = (metadata?: object, participant = PARTICIPANT) => ({
  participant,
  response: [],
  result: metadata === undefined ? {} : { metadata },
});

describe('the session of a chat', () => {
  test('is the chat itself when nothing of ours was said in it yet', () => {
    expect(placeOf(CHAT, [])).toEqual({ key: ID, turn: null });
  });

  test('is a new one each time where the editor does not tell which chat it is', () => {
    const [first, second] = [placeOf(UNKNOWN, []), placeOf(UNKNOWN, [])];
    expect(first.key).not.toBe(second.key);
  });

  test('is the one that our last answer names, also over the chat itself', () => {
    const history = [asked('a'), answered({ session: 'other', turn: 't1' })];
    expect(placeOf(CHAT, history)).toEqual({ key: 'other', turn: 't1' });
    expect(placeOf(UNKNOWN, history)).toEqual({ key: 'other', turn: 't1' });
  });

  test('is not told by the answers of other participants', () => {
    const history = [asked('a'), answered({ session: 'theirs', turn: 't9' }, 'somebody.else')];
    expect(placeOf(CHAT, history)).toEqual({ key: ID, turn: null });
  });
});

describe('where the person stands', () => {
  const history = [
    answered({ session: ID, turn: 't1' }),
    answered({ session: ID, turn: 't2' }),
    answered({ session: ID, turn: 't3' }),
  ];

  test.each([
    [3, 't3'],
    [2, 't2'],
    [1, 't1'],
    [0, null],
  ])('after %i answers', (left, turn) => {
    expect(placeOf(CHAT, history.slice(0, left)).turn).toBe(turn);
  });

  test('is not known after an answer that lost its metadata: nothing is taken back then', () => {
    expect(placeOf(CHAT, [...history, answered()])).toEqual({ key: ID, turn: undefined });
  });

  test('is where the session stood that was resumed last', () => {
    expect(placeOf(CHAT, [...history, answered({ session: 'resumed', turn: 'r7' })])).toEqual({
      key: 'resumed',
      turn: 'r7',
    });
  });

  test('is before the first turn after a command that took none', () => {
    expect(placeOf(CHAT, [answered({ session: ID, turn: null })]).turn).toBeNull();
  });
});

test.each([undefined, {}, { metadata: {} }, { metadata: { session: 7 } }, { metadata: { session: '' } }])(
  'no metadata of ours in %j',
  (result) => {
    expect(metadataOf(result)).toBeUndefined();
  },
);

test('what is not of ours in the metadata is left out', () => {
  expect(metadataOf({ metadata: { session: 's', turn: 4, next: 'explode', more: true } })).toEqual({
    session: 's',
  });
});
