/** What checkpoints, lists and a person's edits do to a turn. */
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/session/messages.ts';
import { use } from '../session/kit.ts';
import { openTestSessions, temporaryFolder } from '../support/folder.ts';
import { answered, Copy, DELAY, ID, init, inLoop, OWNER, PERSON, said, user } from './kit.ts';

function open(folder = temporaryFolder()) {
  return { folder, sessions: openTestSessions(folder) };
}

describe('a checkpoint in a turn', () => {
  it('is rewound once every call of the step has its result', async () => {
    const { sessions } = open();
    const copy = new Copy().take(await sessions.turnBegin(OWNER, [user('q')]));
    copy.take(await sessions.turnStep(ID, [said(use('c', 'checkpoint'))]));
    expect(await sessions.checkpoint(inLoop('c'), 'find it')).toMatchObject({ ok: true });
    copy.take(await sessions.turnStep(ID, [answered('c')]));
    copy.take(await sessions.turnStep(ID, [said('dig', use('w', 'rewind'), use('x'))]));
    expect(await sessions.rewind(inLoop('w'), ' it is there ')).toMatchObject({
      ok: true,
      report: 'it is there',
    });
    copy.take(await sessions.turnStep(ID, [answered('w')]));
    expect(copy.lines).toContain('=w');
    copy.take(await sessions.turnStep(ID, [answered('x')]));
    expect(copy.lines).toEqual(['q', 'checkpoint(c)', '=c', expect.stringMatching(/it is there$/)]);
    expect((await sessions.checkpointShow(ID, PERSON)).history).toMatchObject([{ report: 'it is there' }]);
  });

  it('is warned of three times when the agent wants to stop, and kept when it does not listen', async () => {
    const { sessions } = open();
    for (let turn = 0; turn < 2; turn++) {
      const copy = new Copy().take(await sessions.turnBegin(OWNER, [user('q')]));
      if (turn === 0) await sessions.checkpoint(inLoop('c'), 'g');
      for (let warning = 0; warning < 3; warning++) {
        copy.take(await sessions.turnStop(ID, [said('bye')], { reminders: 3 }));
        expect(copy.lines.at(-1)).toMatch(/^<system-warning>[\s\S]*rewind[\s\S]*<\/system-warning>$/);
      }
      expect(await sessions.turnStop(ID, [said('bye')], { reminders: 3 })).toMatchObject({
        reason: 'completed',
      });
      expect((await sessions.checkpointShow(ID, PERSON)).active).toMatchObject({ goal: 'g' });
    }
  });

  it('is given up by an abort, also when a rewind was requested', async () => {
    const { sessions } = open();
    await sessions.turnBegin(OWNER, [user('q')]);
    await sessions.checkpoint(inLoop('c'), 'g');
    await sessions.rewind(inLoop('w'), 'r');
    await sessions.turnEnd(ID, [said('dug')], { reason: 'aborted' });
    expect(await sessions.checkpointShow(ID, PERSON)).toMatchObject({
      active: null,
      history: [{ report: null }],
    });
    const view = await sessions.turnBegin(OWNER, [user('on')]);
    expect(new Copy().take(view).lines).toEqual(['q', 'dug', 'on']);
  });

  it('is rewound by a turn that ends in another way', async () => {
    const { sessions } = open();
    await sessions.turnBegin(OWNER, [user('q')]);
    await sessions.checkpoint(inLoop('c'), 'g');
    await sessions.rewind(inLoop('w'), 'r');
    await sessions.turnEnd(ID, [said('dug')], { reason: 'limit' });
    const view = await sessions.turnBegin(OWNER, [user('on')]);
    expect(new Copy().take(view).lines).toEqual(['q', expect.stringMatching(/r$/), 'on']);
  });

  it('is rewound by the person at the next step', async () => {
    const { sessions, folder } = open();
    const copy = new Copy().take(await sessions.turnBegin(OWNER, [user('q')]));
    await sessions.checkpoint(inLoop('c'), 'g');
    copy.take(await sessions.turnStep(ID, [said('dig', use('a'))]));
    const panel = openTestSessions(folder);
    expect(await panel.checkpointSettle(ID, 'enough', PERSON)).toMatchObject({ ok: true, report: 'enough' });
    expect((await panel.checkpointShow(ID, PERSON)).active).toMatchObject({ pending: true });
    sessions.poll();
    expect((await sessions.checkpointShow(ID, PERSON)).active).toMatchObject({ pending: true });
    copy.take(await sessions.turnStep(ID, [answered('a')]));
    expect(copy.lines).toEqual(['q', expect.stringMatching(/enough$/)]);
    expect(await panel.checkpointShow(ID, PERSON)).toMatchObject({
      active: null,
      history: [{ report: 'enough' }],
    });
  });
});

describe('the list in a turn', () => {
  it('is reminded of as often as the setting says, in each turn', async () => {
    const { sessions } = open();
    for (let turn = 0; turn < 2; turn++) {
      const copy = new Copy().take(await sessions.turnBegin(OWNER, [user('q')]));
      await sessions.todoWrite(inLoop('t'), init('x'), DELAY);
      for (const count of [1, 2]) {
        copy.take(await sessions.turnStop(ID, [said('bye')], { reminders: 2 }));
        expect(copy.lines.at(-1)).toContain(`reminder ${count} of 2`);
      }
      expect(await sessions.turnStop(ID, [said('bye')], { reminders: 2 })).toMatchObject({
        reason: 'completed',
      });
    }
  });

  it('is told of when a person edited it, once, and never between a call and its result', async () => {
    const { sessions } = open();
    const copy = new Copy().take(await sessions.turnBegin(OWNER, [user('q')]));
    await sessions.todoWrite(inLoop('t'), init('x', 'y'), DELAY);
    await sessions.todoEdit(ID, [{ op: 'rm', task: 'y' }], PERSON, DELAY);
    copy.take(await sessions.turnStep(ID, [said('look', use('a'))]));
    expect(copy.lines).toEqual(['q', 'look']);
    copy.take(await sessions.turnStep(ID, [answered('a')]));
    expect(copy.lines).toEqual([
      'q',
      'look read(a)',
      '=a',
      expect.stringMatching(/edited by hand[\s\S]*: y\n/),
    ]);
    copy.take(await sessions.turnStep(ID, [said('ok', use('b'))]));
    copy.take(await sessions.turnStep(ID, [answered('b')]));
    expect(copy.lines).toHaveLength(6);
    expect(
      (await sessions.todoWrite(inLoop('t'), [{ op: 'done', task: 'x' }], DELAY)).notice,
    ).toBeUndefined();
  });

  it('is told of at the beginning of a turn, and not again after a restart', async () => {
    const { sessions, folder } = open();
    await sessions.turnBegin(OWNER, [user('q')]);
    await sessions.todoWrite(inLoop('t'), init('x', 'y'), DELAY);
    await sessions.turnEnd(ID, [], { reason: 'completed' });
    await sessions.todoEdit(ID, [{ op: 'rm', task: 'y' }], PERSON, DELAY);
    const { messages } = await sessions.turnBegin(OWNER, [user('on')]);
    expect(messages.map(textOf)).toEqual(['q', 'on', expect.stringMatching(/edited by hand/)]);
    await sessions.turnEnd(ID, [], { reason: 'completed' });
    sessions.close();
    const again = await openTestSessions(folder).turnBegin(OWNER, [user('go')]);
    expect(again.messages.map(textOf).filter((text) => text.includes('edited by hand'))).toHaveLength(1);
  });

  it('is told of again when a rewind took the telling away', async () => {
    const { sessions } = open();
    const copy = new Copy().take(await sessions.turnBegin(OWNER, [user('q')]));
    await sessions.todoWrite(inLoop('t'), init('x', 'y'), DELAY);
    await sessions.checkpoint(inLoop('c'), 'g');
    await sessions.todoEdit(ID, [{ op: 'rm', task: 'y' }], PERSON, DELAY);
    copy.take(await sessions.turnStep(ID, [said('dig')]));
    await sessions.rewind(inLoop('w'), 'found');
    copy.take(await sessions.turnStep(ID, [said('out')]));
    expect(copy.lines).toEqual([
      'q',
      expect.stringMatching(/found$/),
      expect.stringMatching(/edited by hand/),
    ]);
  });
});
