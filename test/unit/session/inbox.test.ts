import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Inbox } from '../../../src/session/inbox.ts';
import type { Draft } from '../../../src/session/record.ts';
import { followTranscript } from '../../../src/session/transcript.ts';
import { folder, openFree, options, resume, start } from './kit.ts';

function edit(name: string): Draft {
  return { type: 'todo_edit', todo_edit: { by: 'person', phases: [{ name, tasks: [] }] } };
}

it('takes in what others gave, in the order of giving, once', () => {
  const at = options(folder());
  const session = start(at);
  const [one, other] = [new Inbox(at), new Inbox(at)];
  for (const [inbox, name] of [
    [one, '1'],
    [other, '2'],
    [one, '3'],
  ] as const)
    inbox.give(edit(name));
  // What is shown meanwhile to somebody who only reads: the transcript, and what waits.
  const reader = followTranscript(at);
  reader.read();
  expect(one.pending((uuid) => reader.has(uuid))).toMatchObject([
    { todo_edit: { phases: [{ name: '1' }] } },
    { todo_edit: { phases: [{ name: '2' }] } },
    { todo_edit: { phases: [{ name: '3' }] } },
  ]);
  expect(session.takeInbox()).toMatchObject({ ok: true, records: [{}, {}, {}] });
  expect(session.todo.phases).toMatchObject([{ name: '3' }]);
  expect(session.takeInbox()).toEqual({ ok: true, records: [] });
  expect(one.pending(() => false)).toEqual([]);
});

it('goes into the transcript when a process opens it the next time', () => {
  const at = options(folder());
  start(at).close();
  new Inbox(at).give(edit('x'));
  expect(resume(at).session.todo.phases).toMatchObject([{ name: 'x' }]);
});

it('seals what is above the default level', () => {
  const at = options(folder());
  const session = start(at);
  new Inbox(at).give({ ...edit('secret-word'), level: 'RESTRICTED' });
  const dir = join(at.dir, 's', 'local', 'inbox');
  const text = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
  expect(text.join()).not.toContain('secret-word');
  expect(session.takeInbox()).toMatchObject({ records: [{ level: 'RESTRICTED' }] });
});

it('is applied once when the one who takes in stops at any step', () => {
  let steps = 0;
  for (let stop = 0; ; stop++) {
    const at = options(folder());
    start(at).close();
    const inbox = new Inbox(at);
    const uuids = [inbox.give(edit('1')), inbox.give(edit('2'))];
    let step = 0;
    const dying = openFree({ ...at, seam: { alive: () => true } });
    const cut = new Inbox({
      ...at,
      seam: {
        step: () => {
          if (step++ === stop) throw new Error('killed');
        },
      },
    });
    try {
      cut.takeIn(dying.writer);
      steps = step;
    } catch {
      // As if it had died here.
    }
    const { records } = openFree({ ...at, seam: { alive: () => false } });
    const next = openFree({ ...at, seam: { alive: () => false } });
    inbox.takeIn(next.writer);
    next.writer.close();
    const all = followTranscript(at).read().records;
    expect(all.map(({ uuid }) => uuid).filter((uuid) => uuids.includes(uuid))).toEqual(uuids);
    expect(records.length).toBeLessThanOrEqual(all.length);
    expect(inbox.pending(() => false)).toEqual([]);
    if (stop >= steps && steps > 0) break;
  }
  expect(steps).toBe(2);
});
