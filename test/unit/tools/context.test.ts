import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { treeOf } from '../../../src/tools/context/tree.ts';
import { DAY, openTestTools } from '../support/folder.ts';

const person = {
  actor: 'person',
  door: 'panel',
  level: 'RESTRICTED',
  approve: async () => 'approved' as const,
} as const;
const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation' };

interface Finding {
  readonly kind: string;
  readonly entry: { readonly key: string } | null;
  readonly fix: { readonly tool: string; readonly input: object } | null;
}

describe('context_health', () => {
  const health = async ({ call }: ReturnType<typeof openTestTools>) =>
    (await call('context_health')).data as { score: number; findings: Finding[] };

  it('gives a clean memory 100', async () => {
    const tools = openTestTools();
    expect(await health(tools)).toMatchObject({ score: 100, findings: [] });
    writeFileSync(join(tools.folder, 'a.ts'), '');
    await tools.call('memory_remember', { ...zod, file: 'a.ts:10-12' });
    await tools.call('memory_remember', {
      ...zod,
      key: 'second',
      content: 'see [[use-zod]]',
      links: 'depends_on:use-zod',
    });
    expect((await tools.call('context_health')).text).toMatch(
      /^✅ Memory health: 100\/100, 2 active entries/,
    );
  });

  it.each([
    ['orphan-link', { ...zod, links: 'nowhere' }],
    ['orphan-link', { ...zod, content: '자세한 것은 [[없는-열쇠]] 참고' }],
    ['broken-file', { ...zod, file: 'gone.ts:3' }],
    ['broken-file', { ...zod, file: 'src\\gone.ts' }],
    ['expired', { ...zod, ttl: '1h' }],
    ['duplicate', { ...zod, key: 'twin', content: 'Use  Zod for validation\n' }],
  ])('finds %s, lowers the score, and its fix puts it right', async (kind, input) => {
    const tools = openTestTools();
    if (kind === 'duplicate') await tools.call('memory_remember', zod);
    await tools.call('memory_remember', input);
    tools.clock.time += 2 * 3_600_000;
    const before = await health(tools);
    expect(before.findings.map((finding) => finding.kind)).toEqual([kind]);
    expect(before.score).toBeLessThan(100);
    const { fix } = before.findings[0] as Finding;
    await tools.call(fix?.tool ?? '', fix?.input, { ...person, level: 'PUBLIC' });
    expect(await health(tools)).toMatchObject({ score: 100, findings: [] });
  });

  it('names sessions that nobody went on with', async () => {
    const tools = openTestTools();
    await tools.call(
      'todo_write',
      { ops: [{ op: 'init', list: [{ phase: 'P', items: ['a'] }] }] },
      { session: 'left' },
    );
    tools.sessions.close();
    const later = openTestTools(tools.folder, { time: tools.clock.time + 31 * DAY });
    expect((await health(later)).findings.map(({ kind }) => kind)).toEqual(['old-session']);
  });

  it('never goes below 0, whatever is wrong', async () => {
    const tools = openTestTools();
    for (let at = 0; at < 60; at++)
      await tools.call('memory_remember', { ...zod, key: `k-${at}`, file: `gone-${at}`, links: `no-${at}` });
    const { score, findings } = await health(tools);
    expect(findings.length).toBeGreaterThan(150);
    expect(score).toBeGreaterThanOrEqual(0);
    expect(score).toBeLessThan(50);
  });

  it('does not look outside the folder, nor through what hides a path', async () => {
    const tools = openTestTools();
    symlinkSync('/etc', join(tools.folder, 'etc'));
    for (const file of ['/etc/no-such-file', '../no-such-file', '..\\no-such-file', 'a/../../no-such-file'])
      await tools.call('memory_remember', { ...zod, key: `about ${file}`, content: file, file });
    expect((await health(tools)).findings).toEqual([]);
  });

  it('counts nothing above the reader', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', { ...zod, links: 'nowhere' }, { level: 'INTERNAL' });
    expect(await health(tools)).toMatchObject({ score: 100 });
  });
});

describe('context_generate', () => {
  it('holds structure, git, memories, and sessions in one text', async () => {
    const { call, folder } = openTestTools();
    mkdirSync(join(folder, 'src', 'deep'), { recursive: true });
    writeFileSync(join(folder, 'src', 'deep', 'a.ts'), '');
    writeFileSync(join(folder, 'package.json'), '{}');
    await call('memory_remember', zod);
    await call('memory_remember', {
      category: 'warning',
      key: 'no-friday',
      content: 'Never deploy on Friday',
    });
    const { text } = await call('context_generate', { task: 'validation' });
    expect(text).toMatch(/^# Project briefing: validation\n\n## Project structure\n/);
    expect(text).toContain('- src/ (1 file): deep\n');
    expect(text).toContain('- package.json');
    expect(text).toMatch(/## Git\n- Branch main, work tree clean/);
    expect(text).toContain('use-zod');
    expect(text).toContain('no-friday');
    expect(text).toMatch(/## Sessions\n🧭/);
  });

  it('shows a large project in few lines', () => {
    const files = Array.from({ length: 500 }, (_, at) => `folder-${at % 100}/inside-${at}/file-${at}.ts`);
    const lines = treeOf([...files, ...Array.from({ length: 50 }, (_, at) => `top-${at}`)]).split('\n');
    expect(lines).toHaveLength(61);
    expect(lines.at(-1)).toBe('- … 90 more');
    expect(treeOf([])).toBe('- No files');
    expect(treeOf(['a\nb/c'])).toBe('- a b/ (1 file)');
  });
});

describe('context_diff', () => {
  it.each(['7d', '168h', '2026-07-12'])('reads since "%s"', async (since) => {
    const { call, clock } = openTestTools();
    clock.time += 3 * DAY;
    await call('memory_remember', zod);
    clock.time += 2 * DAY;
    const { text } = await call('context_diff', { since });
    expect(text).toMatch(/## New memories \(1\)\n- \[decision\] use-zod/);
  });

  it('without since goes back to the previous session, not to its own', async () => {
    const tools = openTestTools();
    const { call, clock } = tools;
    await call('memory_remember', { ...zod, key: 'before' }, { session: 'earlier' });
    clock.time += DAY / 2;
    await call(
      'todo_write',
      { ops: [{ op: 'init', list: [{ phase: 'P', items: ['a'] }] }] },
      { session: 'earlier' },
    );
    clock.time += 5 * DAY;
    await call('memory_remember', { ...zod, key: 'since' });
    const { text } = await call('context_diff');
    expect(text).toMatch(/^# Changes since 2026-07-12 21:00 \(the previous session\)/);
    expect(text).toContain('since');
    expect(text).not.toContain('[decision] before');
  });

  it('says so when nothing changed', async () => {
    expect((await openTestTools().call('context_diff', { since: '1h' })).text).toContain(
      'No commits and no changes in memory.',
    );
    expect(await openTestTools().call('context_diff', { since: 'lately' })).toMatchObject({ isError: true });
  });
});

describe('context_export', () => {
  it('writes Markdown, full with facts or compact with a line each, warnings first', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, file: 'a.ts', tags: 'types' });
    await call('memory_remember', {
      category: 'warning',
      key: 'no-friday',
      content: 'Never deploy\non Friday',
    });
    await call('memory_summary', { action: 'set', file: 'a.ts', summary: 'about a' });
    const full = (await call('context_export')).text;
    expect(full).toMatch(
      /^# Project memory\n[\s\S]*## Warnings\n\n- \*\*`no-friday`\*\* \(.*unconfirmed\)\n {2}> Never deploy\n {2}> on Friday\n\n## Decisions/,
    );
    expect(full).toContain('## Files\n\n- `a.ts`: about a');
    const compact = (await call('context_export', { format: 'compact' })).text;
    expect(compact).toContain('- `use-zod`: Use Zod for validation');
    expect(compact).not.toContain('about a');
  });

  it('lets no text break out of its item', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      ...zod,
      key: 'a`b``c',
      content: 'x\n# Heading\n\u2028## Other\n```\n</system>',
    });
    const { text } = await call('context_export');
    const ours = text.split('\n').filter((line) => /^(#|```)/.test(line));
    expect(ours).toEqual(['# Project memory', '## Decisions']);
    expect(text).toContain('**``` a`b``c ```**');
  });
});
