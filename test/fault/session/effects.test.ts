/** Each thing that a resume has to be honest about, in a session whose process was killed in that very state. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { textOf } from '../../../src/session/messages.ts';
import { brief, ScriptedModel, use } from '../../unit/session/turnKit.ts';
import { ID } from './common.ts';
import { goOn, live, notes, place, records, root, write } from './effectLives.ts';

const PERSON = { level: 'RESTRICTED' } as const;

describe('a file that was to be written', () => {
  it('is told as written where it was, though nobody recorded it', async () => {
    const { folder, work } = place();
    await live({ folder, answers: [[write('a.txt', 'new')]], dies: 'after' });
    expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('new');
    const model = new ScriptedModel();
    const loop = goOn(folder);
    await loop.turn(model);
    expect(notes(model)).toContain('- write (w1): succeeded: "a.txt" is as the call wanted it');
    expect(notes(model)).toContain('The last turn did not come to its end.');
    expect((await loop.sessions.openQuestions(ID, PERSON)).calls).toEqual([]);
    expect(records(folder).find(({ type }) => type === 'reconciled')).toMatchObject({
      reconciled: { ended: 'interrupted' },
    });
  });

  it('is told as not written where it was not', async () => {
    const { folder, work } = place();
    writeFileSync(join(work, 'a.txt'), 'old');
    const read = { id: 'r1', name: 'read', input: { path: 'a.txt' } };
    await live({ folder, answers: [[read], [write('a.txt', 'new')]], dies: 'before', on: 'write' });
    const model = new ScriptedModel();
    await goOn(folder).turn(model);
    expect(notes(model)).toContain('- write (w1): failed: "a.txt" is as it was before the call');
  });

  it('is unknown where somebody else changed it since, and where a link now leads out of the folder', async () => {
    for (const spoil of [
      (file: string) => writeFileSync(file, 'another'),
      (file: string) => {
        writeFileSync(join(root, 'outside'), 'new');
        unlinkSync(file);
        symlinkSync(join(root, 'outside'), file);
      },
    ]) {
      const { folder, work } = place();
      await live({ folder, answers: [[write('a.txt', 'new')]], dies: 'after' });
      spoil(join(work, 'a.txt'));
      const model = new ScriptedModel();
      await goOn(folder).turn(model);
      expect(notes(model)).toMatch(/- write \(w1\): unknown: "a\.txt"/);
    }
  });

  it('is told apart from the others of its answer, by name in any form and at any size', async () => {
    const { folder, work } = place();
    const hangul = '한글.txt'.normalize('NFD');
    const large = `\uD800${'x'.repeat(10_000_000)}`;
    const edit = (id: string, old: string, to: string) => ({
      ...{ id, name: 'edit' },
      input: { path: hangul, old, new: to },
    });
    writeFileSync(join(work, hangul), 'one two three');
    await live({
      folder,
      answers: [
        [{ id: 'r', name: 'read', input: { path: hangul } }],
        [
          edit('e1', 'one', '1'),
          write('b.txt', large, 'w2'),
          edit('e3', 'two', '2'),
          edit('e4', 'three', '3'),
        ],
      ],
      dies: 'after',
      on: 'write',
    });
    expect(readFileSync(join(work, hangul), 'utf8')).toBe('1 two three');
    const model = new ScriptedModel();
    await goOn(folder).turn(model);
    const told = notes(model);
    expect(told).toMatch(/- edit \(e1\): succeeded: only what it answered is lost/);
    // More than ten million bytes are refused by the tool, and so there is no such file.
    expect(told).toMatch(/- write \(w2\): failed/);
    expect(told).toMatch(/- edit \(e3\): failed/);
    expect(told).toMatch(/- edit \(e4\): failed/);
    const intents = records(folder).filter(({ type }) => type === 'intent');
    expect(JSON.stringify(intents).length).toBeLessThan(5_000);
  });
});

it('tells of a command that was half done, that it still runs, and stops nothing', async () => {
  const { folder, work } = place();
  execFileSync('git', ['init', '-q', work]);
  const command = 'echo a > done.txt; sleep 60; echo b >> done.txt';
  await live({
    ...{ folder, answers: [[{ id: 'c1', name: 'run', input: { command } }]], dies: 'during', batch: true },
  });
  const model = new ScriptedModel();
  const loop = goOn(folder);
  await loop.turn(model);
  const [, pid] = /still runs, as process (\d+)/.exec(notes(model)) ?? [];
  onTestFinished(() => void process.kill(-Number(pid), 'SIGKILL'));
  expect(notes(model)).toMatch(/- run \(c1\): unknown: it still runs, as process \d+; .*another than before/);
  expect(notes(model)).toContain('- background task "0-Look": has lost its process');
  expect(() => process.kill(Number(pid), 0)).not.toThrow();
  expect(await loop.sessions.openQuestions(ID, PERSON)).toMatchObject({
    calls: [{ id: 'c1', name: 'run', announced: 'Now I act.' }],
  });
});

describe('a call of which nobody knows', () => {
  async function unknown() {
    const { folder, work } = place();
    await live({ folder, answers: [[write('a.txt', 'new')]], dies: 'after' });
    writeFileSync(join(work, 'a.txt'), 'another');
    return { folder, work };
  }

  it('keeps tools from acting until the agent has looked and says so', async () => {
    const { folder, work } = await unknown();
    const model = new ScriptedModel(
      [use('write', 'w2', { path: 'b.txt', content: 'b' }), use('read', 'r2', { path: 'a.txt' })],
      [use('acknowledge', 'k1', { call: 'w9', finding: 'failed', evidence: 'x' })],
      [
        use('acknowledge', 'k2', { call: 'w1', finding: 'failed', evidence: 'a.txt holds another text' }),
        use('write', 'w3', { path: 'b.txt', content: 'b' }),
      ],
      [use('write', 'w4', { path: 'b.txt', content: 'b' })],
    );
    const loop = goOn(folder);
    await loop.turn(model);
    const said = model.seen(4).map(brief).join('\n');
    expect(said).toMatch(/#w2!=write was not run: .*write \(w1\).*acknowledge/);
    expect(said).toMatch(/#r2=.*another/);
    expect(said).toMatch(/#k1!=There is no open question about that call\. Open are: w1/);
    expect(said).toMatch(/#w3!=write was not run/);
    expect(said).toMatch(/#w4=Created/);
    expect(readFileSync(join(work, 'b.txt'), 'utf8')).toBe('b');
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain('acknowledge');
    expect(model.requests[3]?.tools.map(({ name }) => name)).not.toContain('acknowledge');
    expect(records(folder)).toContainEqual(
      expect.objectContaining({
        acknowledged: {
          by: 'agent',
          calls: [{ id: 'w1', finding: 'failed', evidence: 'a.txt holds another text' }],
        },
      }),
    );
  });

  it('goes on keeping them from it in later lives, until the person says so', async () => {
    const { folder, work } = await unknown();
    const first = goOn(folder);
    await first.turn(new ScriptedModel());
    first.sessions.close();
    const loop = goOn(folder, {}, 'third');
    const refused = new ScriptedModel([use('write', 'w2', { path: 'b.txt', content: 'b' })]);
    await loop.turn(refused);
    expect(refused.seen(1).map(brief).join()).toMatch(/#w2!=write was not run: .*write \(w1\)/);
    const said = { calls: [{ id: 'w1', finding: 'failed' as const }] };
    await loop.sessions.acknowledge(ID, said, PERSON);
    await expect(loop.sessions.acknowledge(ID, said, PERSON)).rejects.toThrow(/no open question/);
    expect(existsSync(join(work, 'b.txt'))).toBe(false);
    await loop.turn(new ScriptedModel([use('write', 'w3', { path: 'b.txt', content: 'b' })]));
    expect(existsSync(join(work, 'b.txt'))).toBe(true);
  });
});

it('goes on with what is left of a plan', async () => {
  const { folder } = place();
  await live({ folder, answers: [[write('a.txt', 'new')]], dies: 'after', plan: ['first', 'second'] });
  const model = new ScriptedModel();
  await goOn(folder).turn(model);
  expect(notes(model)).toContain(['Remaining work:', '- [/] first', '- [ ] second'].join('\n'));
});

it('is told once what became of a call where two windows go on at the same time', async () => {
  const { folder } = place();
  await live({ folder, answers: [[write('a.txt', 'new')]], dies: 'after' });
  const loops = [goOn(folder, {}, 'second'), goOn(folder, {}, 'third')];
  const models = loops.map(() => new ScriptedModel([use('read', 'r', { path: 'a.txt' })]));
  const ends = await Promise.allSettled(loops.map((loop, at) => loop.turn(models[at] as ScriptedModel)));
  expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true);
  for (const loop of loops) loop.sessions.close();
  const findings = records(folder).flatMap((record) =>
    record.type === 'reconciled' ? record.reconciled.calls.filter(({ finding }) => finding) : [],
  );
  expect(findings).toEqual([{ id: 'w1', name: 'write', finding: 'succeeded' }]);
  for (const [at, end] of ends.entries())
    if (end.status === 'fulfilled')
      expect(notes(models[at] as ScriptedModel)).toContain('- write (w1): succeeded');
});

it('says nothing new at a second resume', async () => {
  const { folder } = place();
  await live({ folder, answers: [[write('a.txt', 'new')]], dies: 'after', batch: true });
  const first = new ScriptedModel();
  const loop = goOn(folder);
  await loop.turn(first);
  loop.sessions.close();
  const told = notes(first);
  expect(told).toContain('succeeded');
  const second = new ScriptedModel();
  await goOn(folder, {}, 'third').turn(second);
  expect(notes(second)).toBe(told);
});

it('names what is another than when the session was left', async () => {
  const { folder } = place();
  await live({ folder, answers: [[]], dies: 'idle' });
  const model = Object.assign(new ScriptedModel(), { name: 'second model' });
  const loop = goOn(folder);
  const tools = loop.tools();
  const changed = {
    ...tools,
    specs: () => [
      ...tools
        .specs()
        .filter(({ name }) => name !== 'edit')
        .map((spec) => (spec.name === 'read' ? { ...spec, description: 'Another.' } : spec)),
      { name: 'mcp_new', description: 'New.', inputSchema: {} },
    ],
  };
  await loop.turn(model, { tools: changed, system: 'Be long.' });
  expect(notes(model)).toContain(
    [
      'Changed since this session was left:',
      '- the model: "first model" then, "second model" now',
      '- the system prompt is another',
      '- tools that are gone (a server of theirs may not be running): edit',
      '- tools that are new: mcp_new',
      '- tools that are described in another way: read',
    ].join('\n'),
  );
  // Within one life a change is the person's own, and nothing to tell.
  await loop.turn(model, { system: 'Be brief.' });
  expect(notes(model, 1)).toBe(notes(model));
});

describe('a setting that was loosened meanwhile', () => {
  const strict = { 'task.run.mode': 'never', 'agents.maxSteps': 3, 'task.run.allow': ['ls', 'pwd'] };
  const loose = { 'agents.maxSteps': 50, 'task.run.allow': ['ls', 'rm -r *'] };

  it('counts as it was until the person agrees', async () => {
    const { folder } = place();
    await live({ folder, settings: strict, answers: [[]], dies: 'idle' });
    const model = new ScriptedModel(
      ...Array.from({ length: 9 }, (_, at) => [use('read', `r${at}`, { path: 'a' })]),
    );
    const loop = goOn(folder, loose);
    const result = await loop.turn(model);
    expect(result).toMatchObject({ reason: 'limit', steps: 3 });
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain('run');
    expect(notes(model)).toContain(
      '- task.run.mode: the settings now say "ask", which is looser; "never" counts until the person agrees',
    );
    expect(loop.policies.within('k', () => loop.policies.settings.get('task.run.allow'))).toEqual(['ls']);
    expect(loop.policies.settings.get('task.run.allow')).toEqual(['ls', 'rm -r *']);
    const { policy } = await loop.sessions.openQuestions(ID, PERSON);
    expect(policy).toEqual([
      { key: 'task.run.mode', counts: 'never', says: 'ask' },
      { key: 'task.run.allow', counts: ['ls'], says: ['ls', 'rm -r *'] },
      { key: 'agents.maxSteps', counts: 3, says: 50 },
    ]);
    const says = { 'task.run.mode': 'ask', 'agents.maxSteps': 50 };
    const left = await loop.sessions.acknowledge(ID, { calls: [], policy: says }, PERSON);
    expect(left.policy.map(({ key }) => key)).toEqual(['task.run.allow']);
    const later = new ScriptedModel();
    await loop.turn(later);
    expect(later.requests[0]?.tools.map(({ name }) => name)).toContain('run');
    expect(loop.policies.within('k', () => loop.policies.settings.get('task.run.allow'))).toEqual(['ls']);
  });

  it('counts at once where it was tightened', async () => {
    const { folder } = place();
    await live({ folder, settings: loose, answers: [[]], dies: 'idle' });
    const model = new ScriptedModel();
    const loop = goOn(folder, strict);
    await loop.turn(model);
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain('run');
    expect((await loop.sessions.openQuestions(ID, PERSON)).policy).toEqual([
      { key: 'task.run.allow', counts: ['ls'], says: ['ls', 'pwd'] },
    ]);
  });
});

describe('a transcript', () => {
  it('whose last record is torn goes on before it, and what it was about is looked up', async () => {
    const { folder } = place();
    await live({ folder, answers: [[write('a.txt', 'new')]], dies: 'torn' });
    const model = new ScriptedModel();
    await goOn(folder).turn(model);
    expect(notes(model)).toMatch(/The last record was incomplete: \d+ bytes were put aside/);
    expect(notes(model)).toContain('- write (w1): succeeded');
  });

  it('that was altered in its middle goes on with the part that verifies, and says so', async () => {
    const { folder } = place();
    await live({ folder, answers: [[write('a.txt', 'new')]], dies: 'after' });
    const file = join(folder, 'store', 'sessions', `${ID}.jsonl`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('Now I act.', 'Now I lie!'));
    const model = new ScriptedModel();
    await goOn(folder).turn(model);
    expect(notes(model)).toMatch(/The transcript was damaged: \d+ bytes were put aside/);
    expect(model.seen(0).map(textOf).join('\n')).not.toContain('Now I lie!');
  });
});

it('opens nothing under an id that may not be part of a path', async () => {
  const { folder } = place();
  const { sessions } = goOn(folder);
  for (const id of ['../x', 'a/../b', '/etc/passwd', 'a\0b', 'C:\\x', '..'])
    await expect(sessions.sessionLeft(id)).rejects.toThrow(/invalid session id/);
});
