import { appendFileSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leaseDir, transcriptFile } from '../../../src/session/place.ts';
import { SessionRegistry } from '../../../src/session/registry.ts';
import { startSession } from '../../../src/session/resume.ts';
import { draft, folder, INFO, openFree, options, START, say, start } from './kit.ts';

it('lists sessions from their transcripts, for readers of their level', () => {
  const dir = folder();
  let time = START;
  const at = (id: string, agentId?: string) => options(dir, { id, agentId, now: () => time });
  const registry = new SessionRegistry(at('s'));
  expect(registry.list('RESTRICTED')).toEqual([]);

  const one = start(at('one'));
  one.append([draft(say('assistant', 'hello')), draft(say('user', '  find the bug\nplease'))]);
  time += 1000;
  const two = startSession(at('two'), {
    ...INFO,
    key: 'agent:main:two',
    kind: 'copilot',
    title: 'Two',
  }).session;
  two?.append([{ ...draft(say('user', 'x'.repeat(100_000))), level: 'CONFIDENTIAL' }]);
  two?.close();
  time += 1000;
  startSession(at('one', 'helper'), { ...INFO, key: 'agent:main:subagent:1', kind: 'subagent', depth: 1 });
  one.close();

  expect(registry.list('RESTRICTED')).toMatchObject([
    { id: 'one', agentId: 'helper', kind: 'subagent', depth: 1, live: true },
    { id: 'two', key: 'agent:main:two', kind: 'copilot', title: 'Two', level: 'CONFIDENTIAL', live: false },
    { id: 'one', title: 'find the bug', source: 'test', started: START, lastActive: START, level: 'PUBLIC' },
  ]);
  expect(registry.list('PUBLIC').map(({ id, agentId }) => agentId ?? id)).toEqual(['helper', 'one']);
  expect(registry.find('agent:main:two', 'PUBLIC')).toBeUndefined();
  expect(registry.find('agent:main:two', 'RESTRICTED')?.id).toBe('two');

  // A session changes, and is read again.
  time += 1000;
  const { writer } = openFree(at('one'));
  writer.append([{ ...draft(say('user', 'secret')), level: 'RESTRICTED' }]);
  expect(registry.list('RESTRICTED')[0]).toMatchObject({
    id: 'one',
    level: 'RESTRICTED',
    lastActive: time,
    live: true,
  });
  expect(registry.list('PUBLIC').map(({ id, agentId }) => agentId ?? id)).toEqual(['helper']);
});

it('sees each time that a session is taken up and left, also one that nobody had for long', () => {
  const dir = folder();
  const at = options(dir);
  const registry = new SessionRegistry(at);
  const isLive = () => registry.list('PUBLIC')[0]?.live;
  start(at).close();
  for (let round = 0; round < 3; round++) {
    const long = new Date(Date.now() - 60_000 + round);
    utimesSync(leaseDir(at), long, long);
    // Looked at twice: what was seen the first time is not looked up again.
    expect([isLive(), isLive()]).toEqual([false, false]);
    const { writer } = openFree(at);
    expect(statSync(leaseDir(at)).mtimeMs).not.toBe(long.getTime());
    expect([isLive(), isLive()]).toEqual([true, true]);
    writer.close();
    expect([isLive(), isLive()]).toEqual([false, false]);
  }
});

it('names a session by one short line, however long the prompt that it was named after', () => {
  const dir = folder();
  const registry = new SessionRegistry(options(dir));
  const title = `${'x'.repeat(78)}\u{1F600} and more\nsecond line`;
  startSession(options(dir, { id: 'named' }), { ...INFO, title }).session?.close();
  const said = start(options(dir, { id: 'said' }));
  said.append([draft(say('user', title))]);
  said.close();
  for (const session of registry.list('PUBLIC')) {
    expect(session.title?.length).toBeLessThanOrEqual(80);
    expect(session.title?.isWellFormed()).toBe(true);
    expect(session.title).toMatch(/^x{78}[^\n]*…$/u);
  }
});

it('passes over what is no session, and reads over a torn tail', () => {
  const dir = folder();
  const at = options(dir);
  start(at).close();
  appendFileSync(transcriptFile(at), '{"uuid":"torn');
  writeFileSync(join(at.dir, 'empty.jsonl'), '');
  writeFileSync(join(at.dir, 'other.jsonl'), 'no JSON\n');
  writeFileSync(join(at.dir, 'a..b.jsonl'), 'x');
  mkdirSync(join(at.dir, 'dir.jsonl'));
  expect(new SessionRegistry(at).list('PUBLIC')).toMatchObject([{ id: 's' }]);
});
