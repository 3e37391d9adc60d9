/** What a person does in a panel while another process works on the session. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Inbox } from '../../../src/session/inbox.ts';
import type { SessionService } from '../../../src/worker/sessions.ts';
import { options } from '../session/kit.ts';
import { openTestSessions, START, temporaryFolder } from '../support/folder.ts';
import { CHAT, CHAT_ID, DELAY, inboxOf, init, PERSON, recordsOf } from './kit.ts';

function pair() {
  const folder = temporaryFolder();
  const clock = { time: START };
  return { folder, clock, agent: openTestSessions(folder, clock), panel: openTestSessions(folder, clock) };
}

async function listOf(sessions: SessionService): Promise<string[]> {
  const { phases } = await sessions.todoShow(CHAT_ID, PERSON, DELAY);
  return phases.flatMap(({ tasks }) => tasks.map(({ content, status }) => `${content} ${status}`));
}

describe('an edit from a panel of another process', () => {
  it('leaves what the agent wrote meanwhile', async () => {
    const { agent, panel } = pair();
    await agent.todoWrite(CHAT, init('a', 'b'), DELAY);
    expect(await panel.todoEdit(CHAT_ID, [{ op: 'rm', task: 'b' }], PERSON, DELAY)).toMatchObject({
      errors: [],
    });
    const steps = [{ op: 'append', phase: 'P', items: ['mine'] }] as const;
    await panel.todoEdit(CHAT_ID, steps, PERSON, DELAY);
    expect(await listOf(panel)).toEqual(['a in_progress', 'mine pending']);
    // The agent's process has not looked into the inbox yet when this is written to the transcript.
    const { notice } = await agent.todoWrite(CHAT, [{ op: 'append', phase: 'P', items: ['theirs'] }], DELAY);
    expect(notice).toMatch(/mine/);
    for (const each of [agent, panel]) {
      expect(await listOf(each)).toEqual(['a in_progress', 'mine pending', 'theirs pending']);
    }
  });

  it('is shown on top of what is recorded after it was given', async () => {
    const { agent, panel, folder } = pair();
    await agent.todoWrite(CHAT, init('a'), DELAY);
    const steps = [{ op: 'append', phase: 'P', items: ['mine'] }] as const;
    await panel.todoEdit(CHAT_ID, steps, PERSON, DELAY);
    // The inbox is out of the agent's reach while it writes.
    const inbox = join(folder, 'store', 'sessions', CHAT_ID, 'local', 'inbox');
    const given = readdirSync(inbox).map((name) => [name, readFileSync(join(inbox, name))] as const);
    rmSync(inbox, { recursive: true });
    await agent.todoWrite(CHAT, init('new'), DELAY);
    mkdirSync(inbox);
    for (const [name, bytes] of given) writeFileSync(join(inbox, name), bytes);
    panel.poll();
    expect(await listOf(panel)).toEqual(['new in_progress', 'mine pending']);
    expect(await listOf(agent)).toEqual(['new in_progress', 'mine pending']);
    expect(await listOf(panel)).toEqual(['new in_progress', 'mine pending']);
  });

  it('loses only the steps that no longer fit, and no step that is none stops it', async () => {
    const { agent, folder } = pair();
    await agent.todoWrite(CHAT, init('a', 'b'), DELAY);
    const at = options(folder, {
      dir: join(folder, 'store', 'sessions'),
      id: CHAT_ID,
      defaultLevel: 'PUBLIC',
    });
    const given = [
      { op: 'done', task: 'gone' },
      null,
      { op: 'rename', task: 3 },
      'x',
      { op: 'drop', task: 'b' },
    ];
    new Inbox(at).give({ type: 'todo_steps', todo_steps: { by: 'person', steps: given } });
    expect(await listOf(agent)).toEqual(['a in_progress', 'b abandoned']);
    new Inbox(at).give({
      type: 'todo_steps',
      todo_steps: { by: 'person', steps: [{ op: 'done', task: 'gone' }] },
    });
    const before = recordsOf(folder, CHAT_ID).length;
    agent.poll();
    expect(recordsOf(folder, CHAT_ID)).toHaveLength(before);
    expect(inboxOf(folder, CHAT_ID)).toEqual([]);
  });

  it('does not bring back what time had cleared', async () => {
    const { agent, panel, clock } = pair();
    await agent.todoWrite(CHAT, init('a', 'b'), DELAY);
    await agent.todoWrite(CHAT, [{ op: 'done', task: 'a' }], DELAY);
    expect(await listOf(panel)).toHaveLength(2);
    clock.time += 61_000;
    expect(await listOf(agent)).toEqual(['b in_progress']);
    await panel.todoEdit(CHAT_ID, [{ op: 'append', phase: 'P', items: ['c'] }], PERSON, DELAY);
    expect(await listOf(agent)).toEqual(['b in_progress', 'c pending']);
  });

  it('is taken in at once where nobody works on the session', async () => {
    const { agent, panel, folder } = pair();
    await agent.todoWrite(CHAT, init('a'), DELAY);
    agent.close();
    await panel.todoEdit(CHAT_ID, [{ op: 'rename', task: 'a', to: 'b' }], PERSON, DELAY);
    expect(inboxOf(folder, CHAT_ID)).toEqual([]);
    expect(recordsOf(folder, CHAT_ID).at(-1)).toMatchObject({ type: 'todo_edit' });
  });
});

describe('a checkpoint that a panel of another process ends', () => {
  it.each([undefined, 'found'])('ends when its holder looks: %j', async (report) => {
    const { agent, panel, folder } = pair();
    await agent.checkpoint(CHAT, 'g');
    expect(await panel.checkpointSettle(CHAT_ID, report, PERSON)).toMatchObject({ ok: true, report });
    expect(agent.poll()).toBe(true);
    const ended = { active: null, history: [{ goal: 'g', report: report ?? null }] };
    for (const each of [agent, panel])
      expect(await each.checkpointShow(CHAT_ID, PERSON)).toMatchObject(ended);
    expect(inboxOf(folder, CHAT_ID)).toEqual([]);
  });

  it('ends at once where nobody works on the session', async () => {
    const { agent, panel } = pair();
    await agent.checkpoint(CHAT, 'g');
    agent.close();
    await panel.checkpointSettle(CHAT_ID, 'found', PERSON);
    expect(await panel.checkpointShow(CHAT_ID, PERSON)).toMatchObject({
      active: null,
      history: [{ report: 'found' }],
    });
  });

  it('is the one that the person saw, and no later one', async () => {
    const { agent, panel, clock } = pair();
    await agent.checkpoint(CHAT, 'first');
    const seen = (await panel.checkpointShow(CHAT_ID, PERSON)).active?.startedAt;
    await agent.rewind(CHAT, 'r');
    clock.time += 1_000;
    await agent.checkpoint(CHAT, 'second');
    for (const each of [agent, panel]) {
      await expect(each.checkpointSettle(CHAT_ID, undefined, PERSON, seen)).rejects.toThrow(
        /changed meanwhile/,
      );
    }
    expect(await panel.checkpointSettle(CHAT_ID, undefined, PERSON, clock.time)).toMatchObject({ ok: true });
  });
});

it('what a reader may not see is not there for them to change either', async () => {
  const { agent } = pair();
  await agent.todoWrite({ ...CHAT, level: 'CONFIDENTIAL' }, init('a'), DELAY);
  await agent.checkpoint({ ...CHAT, level: 'CONFIDENTIAL' }, 'g');
  const below = { level: 'INTERNAL' } as const;
  const same = async (act: (id: string) => Promise<unknown>) => {
    const texts = await Promise.all(
      ['nobody', CHAT_ID].map((id) => act(id).catch((error: Error) => error.message)),
    );
    expect(texts).toEqual(Array(2).fill('This session is not there any more.'));
  };
  await same((id) => agent.todoEdit(id, [{ op: 'rm', task: 'a' }], below, DELAY));
  await same((id) => agent.checkpointSettle(id, undefined, below));
  expect(await listOf(agent)).toEqual(['a in_progress']);
});

it('a new session is noticed', async () => {
  const { agent, panel } = pair();
  panel.poll();
  expect(panel.poll()).toBe(false);
  await agent.todoWrite(CHAT, init('a'), DELAY);
  expect(panel.poll()).toBe(true);
  expect(panel.poll()).toBe(false);
});

it('what another process wrote is news also where a call had taken it in before anybody looked', async () => {
  const { agent, panel } = pair();
  await agent.todoWrite(CHAT, init('a'), DELAY);
  await panel.todoShow(CHAT_ID, PERSON, DELAY);
  panel.poll();
  expect(panel.poll()).toBe(false);
  await agent.todoWrite(CHAT, init('b'), DELAY);
  await panel.todoShow(CHAT_ID, PERSON, DELAY);
  expect(panel.poll()).toBe(true);
  expect(panel.poll()).toBe(false);
});
