import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuditPage, AuditVerdict } from '../../../src/policy/audit.ts';
import { bytesUnder } from '../support/files.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

const PERSON_CALL = { actor: 'person', door: 'panel', source: 'panel', level: 'RESTRICTED' } as const;
const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod' };

type Tools = ReturnType<typeof openTestTools>;

async function shown(tools: Tools, input: object = {}): Promise<AuditPage> {
  // A denial is recorded while nobody waits for it.
  await new Promise(setImmediate);
  const { text, data, isError } = await tools.call('audit_show', input, PERSON_CALL);
  expect(isError, text).toBe(false);
  return data as AuditPage;
}

async function verified(tools: Tools): Promise<AuditVerdict> {
  return (await tools.call('audit_verify', {}, PERSON_CALL)).data as AuditVerdict;
}

describe('the audit log', () => {
  it('is for the person alone', async () => {
    const { call } = openTestTools();
    for (const tool of ['audit_show', 'audit_verify'])
      expect(await call(tool)).toMatchObject({ isError: true, text: `There is no tool "${tool}".` });
  });

  it('is empty, and leaves no trace, before anything was decided', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', zod);
    await tools.call('memory_recall', { query: 'zod' });
    expect((await shown(tools)).records).toEqual([]);
    expect(await verified(tools)).toEqual({ ok: true, files: 0, records: 0, problems: [], torn: [] });
    expect(readdirSync(join(tools.folder, 'store'))).not.toContain('audit');
  });

  it('has rises with both levels, the reason and the source', async () => {
    const tools = openTestTools();
    const rise = { reason: 'read secrets/plan.md', source: 'copilot', rule: 'file:secrets/**' };
    await tools.taint.raise({ key: 's-1', start: 'PUBLIC' }, 'CONFIDENTIAL', rise);
    expect((await shown(tools)).records).toMatchObject([
      {
        ...{ kind: 'level-raised', level: 'CONFIDENTIAL', session: 's-1', actor: 'agent' },
        ...{ before: 'PUBLIC', after: 'CONFIDENTIAL', at: tools.clock.time },
        ...rise,
      },
    ]);
  });

  it.each([
    ['refused', { approve: async () => 'approved' as const }, { action: 'hard' }],
    ['approval:declined', { approve: async () => 'declined' as const }, {}],
  ])('has the rule of a denial: %s', async (rule, as, input) => {
    const tools = openTestTools();
    await tools.call('memory_remember', zod);
    const { isError } = await tools.call('memory_forget', { key: 'use-zod', ...input }, as);
    expect(isError).toBe(true);
    expect((await shown(tools)).records).toMatchObject([
      { kind: 'denied', rule, tool: 'memory_forget', session: 's-1', source: 'copilot' },
    ]);
    expect(bytesUnder(join(tools.folder, 'store', 'audit'))).not.toContain('use-zod');
  });

  it('has what is for the person only, and what is switched off', async () => {
    const tools = openTestTools();
    await tools.call('memory_erase');
    await tools.call('checkpoint', { goal: 'g' });
    expect((await shown(tools)).records.map(({ rule }) => rule)).toEqual([
      'setting:checkpoint.enabled',
      'person-only',
    ]);
  });

  it('writes nothing into a folder that is not trusted', async () => {
    const tools = openTestTools();
    tools.trust.trusted = false;
    expect((await tools.call('memory_remember', zod)).isError).toBe(true);
    expect((await shown(tools)).records).toEqual([]);
  });

  it('is not pushed full by an agent that tries the same again and again', async () => {
    const tools = openTestTools();
    for (let each = 0; each < 20; each++) await tools.call('memory_erase');
    expect((await shown(tools)).records).toHaveLength(1);
    tools.clock.time += 61_000;
    await tools.call('memory_erase');
    expect((await shown(tools)).records).toHaveLength(2);
  });

  it('has what was deleted for good, by a digest', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', zod);
    const own = { ...PERSON_CALL, level: 'PUBLIC', approve: async () => 'approved' as const } as const;
    await tools.call('memory_forget', { key: 'use-zod', action: 'hard', reason: 'not ours' }, own);
    await tools.call('memory_remember', zod);
    await tools.call('memory_erase', {}, own);
    const { records } = await shown(tools);
    expect(records).toMatchObject([
      { kind: 'erased', tool: 'memory_erase', rule: 'everything', actor: 'person', reason: '1 entries' },
      { kind: 'erased', tool: 'memory_forget', actor: 'person', reason: 'not ours' },
    ]);
    expect(records[1]?.subject).toMatch(/^[0-9a-z]{13}$/);
    expect(bytesUnder(join(tools.folder, 'store'))).not.toContain('use-zod');
  });

  it('is told page by page, newest first, whichever process wrote it', async () => {
    const folder = temporaryFolder();
    const clock = { time: 1_000_000 };
    const processes = [openTestTools(folder, clock), openTestTools(folder, clock)] as const;
    for (let each = 0; each < 7; each++) {
      clock.time += 1000;
      const { taint } = processes[each % 2 === 0 ? 0 : 1];
      await taint.raise({ key: `s-${each}`, start: 'PUBLIC' }, 'INTERNAL', { reason: 'r', source: 'x' });
    }
    const sessions: string[] = [];
    let before: string | undefined;
    do {
      const page: AuditPage = await shown(processes[0], { limit: 3, ...(before && { before }) });
      sessions.push(...page.records.map(({ session }) => session));
      before = page.next;
    } while (before !== undefined);
    expect(sessions).toEqual(['s-6', 's-5', 's-4', 's-3', 's-2', 's-1', 's-0']);
    expect(await processes[0].call('audit_show', { before: 'none' }, PERSON_CALL)).toMatchObject({
      isError: true,
      text: expect.stringContaining('Leave before out'),
    });
  });

  it('shows a reader nothing from above, neither records nor how many there are', async () => {
    const tools = openTestTools();
    await tools.taint.raise({ key: 's', start: 'PUBLIC' }, 'RESTRICTED', { reason: 'r', source: 'x' });
    const { data } = await tools.call('audit_show', {}, { ...PERSON_CALL, level: 'INTERNAL' });
    expect(data).toEqual({ records: [], next: undefined, unreadable: 0 });
  });

  it('says which record does not verify', async () => {
    const tools = openTestTools();
    for (let each = 0; each < 4; each++) {
      tools.clock.time += 120_000;
      await tools.call('memory_erase');
    }
    expect(await verified(tools)).toMatchObject({ ok: true, records: 4, files: 1 });
    const dir = join(tools.folder, 'store', 'audit');
    const [name = ''] = readdirSync(dir);
    const text = readFileSync(join(dir, name), 'utf8');
    writeFileSync(join(dir, name), text.replace('person-only', 'person-0nly'));
    const { data, text: said } = await tools.call('audit_verify', {}, PERSON_CALL);
    expect(data).toMatchObject({ ok: false, problems: [{ file: name, record: 1, reason: 'changed' }] });
    expect(said).toContain(`${name}, record 1`);
  });
});
