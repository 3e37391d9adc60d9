import { appendFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { textOf } from '../../../src/session/messages.ts';
import { transcriptFile } from '../../../src/session/place.ts';
import { resumeSession } from '../../../src/session/resume.ts';
import { answer, draft, folder, openFree, options, resume, say, start, use } from './kit.ts';

it('has nothing to say about a session that ended in order', () => {
  const at = options(folder());
  const session = start(at);
  session.append([draft(say('user', 'q')), draft(say('assistant', 'a'))]);
  expect(session.endTurn({ reason: 'completed' })).toMatchObject({ reason: 'completed' });
  expect(session.isTurnOpen).toBe(false);
  session.close();
  expect(resume(at)).toMatchObject({ report: undefined, unknown: [], damage: undefined, error: undefined });
});

it('tells the model before the next prompt what is unknown and what remains', () => {
  const at = options(folder());
  const session = start(at);
  session.append([
    {
      type: 'todo',
      todo: {
        phases: [
          {
            name: 'p',
            tasks: [
              { content: 'read', status: 'completed' },
              { content: 'fix', status: 'in_progress' },
              { content: 'test', status: 'pending' },
            ],
          },
        ],
      },
    },
    draft(say('user', 'q')),
    draft(say('assistant', 'both', use('a', 'read'), use('b', 'write'))),
    draft(say('user', answer('a'))),
  ]);
  session.close();
  appendFileSync(transcriptFile(at), '{"torn');
  const resumed = resume(at);
  expect(resumed.report).toBe(
    [
      'This session was resumed.',
      'The last turn did not come to its end.',
      'The last record was incomplete: 6 bytes were put aside and are not part of this conversation.',
      'Calls without a result. Check whether they took effect before you repeat them:',
      '- write (b): unknown, announced with: both',
      'Remaining work:',
      '- [/] fix',
      '- [ ] test',
    ].join('\n'),
  );
  expect(resumed.unknown).toMatchObject([{ id: 'b', name: 'write' }]);
  expect(resumed.session.view.messages()).toEqual([
    say('user', 'q'),
    say('assistant', 'both', use('a', 'read')),
    say('user', answer('a')),
  ]);
  resumed.session.append([draft(say('user', 'go on'))]);
  expect(resumed.session.view.messages().slice(3).map(textOf)).toEqual([resumed.report, 'go on']);
});

it('says that somebody else has the session', () => {
  const at = options(folder());
  start(at);
  expect(resumeSession(at)).toMatchObject({ session: undefined, holder: { pid: process.pid } });
});

it('ends a turn with the reason that it could not be saved', () => {
  const at = options(folder());
  let fails = false;
  const step = (name: string) => {
    if (fails && name === 'sync') throw new Error('EIO: i/o error, fdatasync');
  };
  const session = start({ ...at, seam: { step } });
  session.append([draft(say('user', 'q'))]);
  fails = true;
  expect(session.endTurn({ reason: 'completed' })).toEqual({
    reason: 'writer-failed',
    detail: 'EIO: i/o error, fdatasync',
  });
  expect(session.append([draft(say('user', 'more'))]).ok).toBe(false);
  expect(session.close()).toMatchObject({ reason: 'write-failed' });
});

it('carries a requested rewind out even when the resume before it got only half its records down', () => {
  const at = options(folder());
  const session = start(at);
  session.append([
    draft(say('user', 'q')),
    { type: 'checkpoint', uuid: 'cp', checkpoint: { event: 'created', goal: 'g' } },
    draft(say('assistant', 'dead end')),
    { type: 'checkpoint', checkpoint: { event: 'requested', checkpoint: 'cp', report: 'found' } },
    { type: 'reconciled', reconciled: { calls: [], report: 'lost' } },
  ]);
  session.close();
  const resumed = resume(at);
  expect(resumed.session.checkpoint.state).toBe('none');
  expect(resumed.session.view.messages().map(textOf)).toEqual(['q', expect.stringMatching(/found$/)]);
  resumed.session.close();
  expect(
    openFree(at)
      .records.map(({ type }) => type)
      .slice(-2),
  ).toEqual(['branch_summary', 'rewind_report']);
});
