import { existsSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SUMMARY, textsOf } from '../session/folding/kit.ts';
import { use } from '../session/turnKit.ts';
import { bytesUnder } from '../support/files.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';
import { FOLD, folded, last, reads, type Stage, stage } from './foldKit.ts';
import { ID, inLoop, PERSON } from './kit.ts';

const foldsIn = ({ folder }: Stage) => join(folder, 'store', 'sessions', ID, 'folds');

/** Every file of the folds, by its name. */
function bytesOf(at: Stage): Record<string, string> {
  const names = readdirSync(foldsIn(at), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\./.test(name),
  );
  return Object.fromEntries(
    names.sort().map((name) => [name, readFileSync(join(foldsIn(at), name), 'utf8')]),
  );
}

describe('folds in the store', () => {
  it('are on disk with their original, and shown from then on', async () => {
    const at = await folded();
    const folds = join(at.folder, 'store', 'sessions', ID, 'folds');
    expect(readdirSync(folds).sort()).toEqual(['manifest.json', 'state.json', 'tier1']);
    const [name = ''] = readdirSync(join(folds, 'tier1'));
    expect(name).toBe('b1_m00002-m00010.md');
    expect(readFileSync(join(folds, 'tier1', name), 'utf8')).toContain('secret of c0');
    await at.turn('Three.');
    expect(last(at)).toContain(`[Compressed conversation section] — parts\n${SUMMARY}`);
    expect(last(at)).not.toContain('secret of c0');
    const next = at.reopen();
    await next.turn('Four.');
    expect(last(next)).toContain(SUMMARY);
  });

  it('are read back by their agent, in parts', async () => {
    const at = await folded();
    await at.turn(
      'Look.',
      [use('FoldRead', 'r1', { block: 'b1' })],
      [use('FoldRead', 'r2', { block: 'b1', offset: 10_000 })],
    );
    expect(last(at)).toContain('secret of c0');
    expect(last(at)).toMatch(/It goes on: call FoldRead with offset \d+/);
    await at.turn('Look.', [use('FoldRead', 'r3', { block: 'b9' })]);
    expect(last(at)).toMatch(/no such folded part.*There are: b1/s);
  });

  it('are sealed above the level of the folder, and read all the same', async () => {
    const at = await folded(stage('CONFIDENTIAL'));
    expect(bytesUnder(join(at.folder, 'store'))).not.toMatch(/secret of c0|The parser is in/);
    expect(await at.sessions.foldShow(ID, 'b1', PERSON)).toContain('secret of c0');
    await expect(at.sessions.folds(ID, { level: 'PUBLIC' })).rejects.toThrow(/not there any more/);
    await expect(at.sessions.foldShow(ID, 'b1', { level: 'PUBLIC' })).rejects.toThrow(/not there any more/);
    const next = at.reopen();
    expect((await next.sessions.sessionResume(ID, PERSON)).report).not.toMatch(/folded/);
    expect(await next.sessions.foldShow(ID, 'b1', PERSON)).toContain('secret of c0');
  });

  it('change nothing when their original, or anything else, cannot be written', async () => {
    for (let failing = 1; failing <= 3; failing++) {
      let count = 0;
      let isOn = false;
      const at = stage('PUBLIC', temporaryFolder(), {
        write(fd, bytes, offset, length) {
          const start = Buffer.from(bytes.subarray(0, 40)).toString();
          if (isOn && /^---|^\{"version"/.test(start) && ++count === failing)
            throw new Error('ENOSPC: disk full');
          return writeSync(fd, bytes, offset, length);
        },
      });
      await at.turn('One.', ...reads(0));
      isOn = true;
      await at.turn('Two.', ...reads(10), [use('Compress', 'f1', FOLD)]);
      isOn = false;
      expect(last(at)).toMatch(/Nothing was folded:/);
      expect(await at.sessions.folds(ID, PERSON)).toEqual([]);
      const folds = join(at.folder, 'store', 'sessions', ID, 'folds');
      const files = existsSync(folds) ? readdirSync(folds, { recursive: true, encoding: 'utf8' }) : [];
      expect(files.filter((name) => /\.(md|json|tmp)$/.test(name))).toEqual([]);
      await at.turn('Three.', [use('Compress', 'f2', FOLD)]);
      expect(await at.sessions.folds(ID, PERSON)).toMatchObject([{ block: 'b1', active: true }]);
    }
  });

  it('of one call are all there or none, beside those there were before (N-NO-06)', async () => {
    const range = { summary: SUMMARY, topic: 'more' };
    const batch = {
      content: [
        { ...range, startId: 'm14', endId: 'm21' },
        { ...range, startId: 'm22', endId: 'm29' },
      ],
    };
    // Two originals, the state and the manifest.
    for (let failing = 1; failing <= 4; failing++) {
      let left = Number.POSITIVE_INFINITY;
      const at = stage('PUBLIC', temporaryFolder(), {
        write(fd, bytes, offset, length) {
          const start = Buffer.from(bytes.subarray(0, 40)).toString();
          if (/^---|^\{"version"/.test(start) && --left === 0) throw new Error('ENOSPC: disk full');
          return writeSync(fd, bytes, offset, length);
        },
      });
      await folded(at);
      const [files, shown] = [bytesOf(at), await at.sessions.folds(ID, PERSON)];
      left = failing;
      await at.turn('Three.', ...reads(20, 8), [use('Compress', 'f2', batch)]);
      expect(left).toBeLessThanOrEqual(0);
      left = Number.POSITIVE_INFINITY;
      expect(last(at)).toMatch(/Nothing was folded: ENOSPC/);
      expect(bytesOf(at)).toEqual(files);
      expect(await at.sessions.folds(ID, PERSON)).toEqual(shown);
      await at.turn('Four.', [use('Compress', 'f3', batch)]);
      expect(await at.sessions.folds(ID, PERSON)).toHaveLength(3);
    }
  });

  it.each([
    ['before the next turn', false],
    ['by a resume', true],
  ])('show the same, to the byte, when the state is gone and made again %s (N-NO-07)', async (_, resumes) => {
    const at = await folded();
    await at.turn('Three.');
    const shown = at.requests.at(-1)?.messages.map((message) => JSON.stringify(message)) ?? [];
    const files = bytesOf(at);
    rmSync(join(foldsIn(at), 'state.json'));
    const next = at.reopen();
    if (resumes) await next.sessions.sessionResume(ID, PERSON);
    await next.turn('Four.');
    const again = next.requests.at(-1)?.messages.map((message) => JSON.stringify(message)) ?? [];
    expect(last(next)).toContain(SUMMARY);
    expect(again.slice(0, shown.length)).toEqual(shown);
    expect(bytesOf(next)).toEqual(files);
  });

  it('are taken back by a rewind across them', async () => {
    const at = stage();
    const { sessions } = at;
    await at.turn('One.', ...reads(0));
    await at.turn(
      'Two.',
      [use('read', 'k0'), async () => {}],
      [async () => sessions.checkpoint(inLoop('k1'), 'look'), use('read', 'k1')],
      ...reads(10),
      [use('Compress', 'f1', FOLD)],
      [async () => sessions.rewind(inLoop('k2'), 'Nothing there.'), use('read', 'k2')],
    );
    expect(last(at)).toContain('Nothing there.');
    expect(last(at)).not.toContain(SUMMARY);
    expect(last(at)).toContain('secret of c0');
    expect(await sessions.folds(ID, PERSON)).toEqual([]);
    await at.turn('Three.', [use('Compress', 'f2', FOLD)]);
    expect(last(at)).toContain(SUMMARY);
    const next = at.reopen();
    expect((await next.sessions.sessionResume(ID, PERSON)).report).not.toMatch(/folded/);
    await next.turn('Four.');
    expect(last(next)).toContain(SUMMARY);
  });

  it('are taken back, and come back, when the person goes back and forth between turns', async () => {
    const at = stage();
    const first = await at.turn('One.', ...reads(0));
    const second = await at.turn('Two.', ...reads(10), [use('Compress', 'f1', FOLD)]);
    at.back = first;
    await at.turn('Other.', ...reads(20), [
      use('Compress', 'f2', { content: [{ ...FOLD.content[0], summary: `Other. ${SUMMARY}` } as never] }),
    ]);
    await at.turn('More.');
    expect(last(at)).toContain(`Other. ${SUMMARY}`);
    at.back = second;
    await at.turn('Back.');
    expect(last(at)).not.toContain('Other.');
    expect(last(at)).toContain(SUMMARY);
    expect(await at.sessions.foldShow(ID, 'b1', PERSON)).toContain('call: "f1"');
    const next = at.reopen();
    expect((await next.sessions.sessionResume(ID, PERSON)).report).not.toMatch(/folded/);
    expect(await next.sessions.foldShow(ID, 'b1', PERSON)).toContain('secret of c0');
  });

  it('of a subagent are under its own root', async () => {
    const agent = { id: '0-Look', parent: ID, depth: 1 };
    const at = stage('PUBLIC', temporaryFolder(), undefined, agent);
    await at.turn('One.', ...reads(0), ...reads(10), [use('Compress', 'f1', FOLD)]);
    expect(last(at)).toMatch(/b1\(T1\)=/);
    expect(
      existsSync(join(at.folder, 'store', 'sessions', ID, 'subagents', 'agent-0-Look.folds', 'tier1')),
    ).toBe(true);
    expect(existsSync(join(at.folder, 'store', 'sessions', ID, 'folds'))).toBe(false);
  });

  it('go with their session when everything is deleted, and are part of what is exported', async () => {
    const at = await folded();
    expect((await at.sessions.exportSessions(PERSON))[0]?.folds).toMatchObject([
      { block: 'b1', topic: 'parts' },
    ]);
    await at.sessions.eraseSessions();
    expect(bytesUnder(join(at.folder, 'store'))).not.toContain('secret of c0');
  });
});

describe('a person', () => {
  it('looks at what is folded and opens it again, which a resume keeps', async () => {
    const at = await folded();
    at.sessions.close();
    const tools = openTestTools(at.folder);
    const as = { actor: 'person', level: 'RESTRICTED', source: 'panel' } as const;
    const call = (name: string, input: object) => tools.call(name, { session: ID, ...input }, as);
    expect((await call('fold_show', {})).data).toMatchObject({
      folds: [{ block: 'b1', tier: 1, topic: 'parts', summary: SUMMARY, messages: 9, active: true }],
    });
    expect((await call('fold_show', { block: 'b1' })).text).toContain('secret of c0');
    expect((await call('fold_show', { block: '../b1' })).isError).toBe(true);
    expect((await call('fold_reopen', { block: 'b7' })).text).toMatch(/no such folded part/);
    expect((await call('fold_reopen', { block: 'b1' })).isError).toBe(false);
    expect((await call('fold_show', {})).data).toMatchObject({ folds: [{ block: 'b1', active: false }] });
    expect((await call('fold_reopen', { block: 'b1' })).text).toMatch(/not folded any more/);
    tools.sessions.close();
    const next = stage('PUBLIC', at.folder);
    await next.turn('Four.');
    expect(last(next)).toContain('secret of c0');
    expect(last(next)).not.toContain('<noa-archive');
  });

  it('opens what another process works on, and its agent sees it with the next request', async () => {
    const at = stage();
    await at.turn('One.', ...reads(0));
    const other = stage('PUBLIC', at.folder);
    await at.turn(
      'Two.',
      ...reads(10),
      [use('Compress', 'f1', FOLD)],
      [() => other.sessions.foldReopen(ID, 'b1', PERSON), use('read', 'z')],
    );
    expect(textsOf(at.requests.at(-2)?.messages ?? [])).not.toContain('secret of c0');
    expect(last(at)).toContain('secret of c0');
  });

  it('is refused by agents', async () => {
    const at = await folded();
    at.sessions.close();
    const { call } = openTestTools(at.folder);
    expect((await call('fold_show', { session: ID })).isError).toBe(true);
    expect((await call('fold_reopen', { session: ID, block: 'b1' })).isError).toBe(true);
  });
});
