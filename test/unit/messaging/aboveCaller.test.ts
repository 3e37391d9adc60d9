/** What goes on above a session's level is in no answer about what it sent and spawned. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { ModelError } from '../../../src/session/chatModel.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { openTalk } from './sendKit.ts';

const RISE = { reason: 'read a file', source: 'panel' } as const;
const ASKS_FOR_NOTES = 'Your task has ended.';
const USAGE = { input_tokens: 4_711, output_tokens: 5, cache_read_tokens: 0, cache_write_tokens: 0 };
const usage = { type: 'usage', usage: USAGE } as const;

const PROTECTED = { 'classification.files': { 'secrets/**': 'CONFIDENTIAL' } };
const READ = { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'secrets/plan.md' } } as const;

function protect(folder: string): void {
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(join(folder, 'secrets', 'plan.md'), 'zanzibar');
}

/** Two connections whose keys mean the same to agents, one of them above the other. */
const LOW: Partial<ToolCall> = { session: 'twin', door: 'mcp', level: 'PUBLIC', source: 'codex' };
const HIGH: Partial<ToolCall> = { ...LOW, session: 'agent:main:direct:twin', level: 'CONFIDENTIAL' };

/** The chat `high` stands as high as the higher connection. */
async function openTwins(answer: Parameters<typeof openTalk>[0]) {
  const talk = await openTalk(answer);
  const owner = { key: 'high', kind: 'participant', source: 'lodeline', level: 'CONFIDENTIAL' } as const;
  const { id } = await talk.sessions.turnBegin(owner, []);
  await talk.sessions.turnEnd(id, [], { reason: 'completed' });
  for (const twin of [LOW, HIGH]) await talk.call('session_status', {}, twin);
  return talk;
}

describe('a message', () => {
  it('that is not answered tells nothing of why where its session has risen above the one that asked', async () => {
    const { send, messaging, events, call, folder } = await openTalk(
      (asked) => {
        if (asked.includes('2+2')) return [READ];
        throw new ModelError(`"${asked}" is more than the model takes.`);
      },
      { ...PROTECTED },
    );
    protect(folder);
    const answer = await send({});
    await messaging.idle();
    expect(answer).toMatchObject({ status: 'error', error: expect.stringContaining('come to CONFIDENTIAL') });
    const { text } = await call('job', { action: 'list' }, { session: 'a', door: 'editor' });
    expect(`${JSON.stringify([answer, events])}${text}`).not.toContain('zanzibar');
  });

  it('has an id of its own sender’s, whatever another of the same name sent above it', async () => {
    const answers = await Promise.all(
      [false, true].map(async (isBefore) => {
        const { send, messaging } = await openTwins(() => 'REPLY_SKIP');
        const input = { sessionKey: 'b', message: 'low', id: 'one' };
        const more = { loop: undefined };
        if (isBefore) {
          const high = await send({ ...input, sessionKey: 'high', message: 'high' }, { ...HIGH, ...more });
          expect(high).toMatchObject({ status: 'ok' });
        }
        const { runId: _, ...answer } = await send(input, { ...LOW, ...more });
        await messaging.idle();
        return answer;
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
  });
});

describe('a spawned session', () => {
  it('does not count among the children of another of its caller’s name below it', async () => {
    let open = (_text: string): void => {};
    const gate = new Promise<string>((resolve) => {
      open = resolve;
    });
    const { call, messaging } = await openTwins(() => gate);
    const spawn = async (as: Partial<ToolCall>) => (await call('sessions_spawn', { task: 'Look.' }, as)).data;
    for (let at = 0; at < 5; at++) expect(await spawn(HIGH)).toMatchObject({ status: 'accepted' });
    expect(await spawn(LOW)).toMatchObject({ status: 'accepted' });
    expect(await spawn(HIGH)).toMatchObject({ status: 'forbidden' });
    open('Done.');
    await messaging.idle();
  });

  it('that rose above the one that asked does not tell how much it read', async () => {
    const { call, messaging, said, folder } = await openTalk(
      (asked) => {
        if (asked.includes(ASKS_FOR_NOTES)) return 'None.';
        return asked.includes('zanzibar') ? [{ type: 'text', text: asked }, usage] : [READ];
      },
      { ...PROTECTED },
    );
    protect(folder);
    await call('sessions_spawn', { task: 'Look.' }, { session: 'a', door: 'editor' });
    await messaging.idle();
    const announced = said('a').join('\n');
    expect(announced).toContain('It is at CONFIDENTIAL');
    expect(announced).not.toMatch(/zanzibar|4711/);
  });

  it('that rises after its work announces the work, without the notes on it', async () => {
    const { call, messaging, taint, said, sessions } = await openTalk(async (asked) => {
      if (!asked.includes(ASKS_FOR_NOTES)) return 'The work is done.';
      const [entry] = await sessions.runs({ level: 'RESTRICTED' });
      await taint.raise({ key: entry?.run.target ?? '', start: 'PUBLIC' }, 'CONFIDENTIAL', RISE);
      return 'zanzibar';
    });
    await call('sessions_spawn', { task: 'Look.' }, { session: 'a', door: 'editor' });
    await messaging.idle();
    const announced = said('a').join('\n');
    expect(announced).toContain('The work is done.');
    expect(announced).not.toContain('zanzibar');
  });
});

test('a spawned session waits for none that works above it', async () => {
  let open = (): void => {};
  const kept = new Promise<string>((resolve) => {
    open = () => resolve('done');
  });
  const { call, messaging } = await openTalk(
    (asked) => (asked.includes(ASKS_FOR_NOTES) ? 'ok' : asked.includes('slowly') ? kept : 'done'),
    { 'agents.defaults.subagents.maxConcurrent': 1 },
  );
  const spawn = async (task: string, as: Partial<ToolCall>) =>
    (await call('sessions_spawn', { task }, as)).data as { readonly runId: string };
  await spawn('Look around slowly.', HIGH);
  const { runId } = await spawn('Look around.', LOW);
  const { text } = await call('job', { action: 'wait', ids: [runId], timeout: 5 }, LOW);
  expect(text).toContain('done');
  open();
  await messaging.idle();
});
