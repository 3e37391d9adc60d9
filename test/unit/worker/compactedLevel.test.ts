/** A compaction in a session whose level has risen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compacted } from '../../../src/session/compaction/compacted.ts';
import { textOf } from '../../../src/session/messages.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { draft, say } from '../session/kit.ts';
import { openTestTools } from '../support/folder.ts';
import { recordsOf } from './kit.ts';

const KEY = 'chat-key';
const ID = idOf(KEY);
const OWNER = { key: KEY, kind: 'participant', source: 'lodeline', level: 'PUBLIC' } as const;

it('has the level of what it tells of: sealed on disk, and not for readers below it', async () => {
  const { sessions, folder } = openTestTools();
  await sessions.turnBegin(OWNER, [draft(say('user', 'q'))]);
  const raised = { ...draft(say('assistant', 'SECRET-1')), level: 'CONFIDENTIAL' } as const;
  await sessions.turnStep(ID, [raised]);
  const view = [say('user', 'q'), say('assistant', 'SECRET-1')];
  const { drafts } = compacted({
    ...{ messages: view, cut: 1, summary: 'Summary:\nSECRET-1', trigger: 'auto', used: 1, window: 9_000 },
  });
  await sessions.turnStep(ID, drafts);
  await sessions.turnEnd(ID, [], { reason: 'completed' });
  sessions.close();
  const file = readFileSync(join(folder, 'store', 'sessions', `${ID}.jsonl`), 'utf8');
  expect(file).not.toContain('SECRET-1');
  const records = recordsOf(folder, ID);
  const summary = records.find((record) => record.type === 'message' && record.summary_of !== undefined);
  expect(summary).toMatchObject({ level: 'CONFIDENTIAL' });
  expect(summary?.type === 'message' && textOf(summary.message)).toContain('SECRET-1');
  await expect(sessions.openQuestions(ID, { level: 'PUBLIC' })).rejects.toThrow();
});
