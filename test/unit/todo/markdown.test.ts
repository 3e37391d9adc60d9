import { describe, expect, it } from 'vitest';
import type { Phase } from '../../../src/todo/list.ts';
import { fromMarkdown, toMarkdown } from '../../../src/todo/markdown.ts';

describe('the Markdown of a list', () => {
  it('has a marker for each status, and notes as quotes', () => {
    const phases: Phase[] = [
      {
        name: 'P',
        tasks: [
          { content: 't', status: 'in_progress', notes: ['l1\nl2', 'second'] },
          { content: 'u', status: 'abandoned' },
          { content: 'v', status: 'completed' },
          { content: 'w', status: 'pending' },
        ],
      },
    ];
    const markdown = '# P\n- [/] t\n  > l1\n  > l2\n  >\n  > second\n- [-] u\n- [x] v\n- [ ] w\n';
    expect(toMarkdown(phases)).toBe(markdown);
    expect(fromMarkdown(markdown)).toEqual({ phases, errors: [] });
  });

  it('parts phases by an empty line, and is empty for an empty list', () => {
    expect(
      toMarkdown([
        { name: 'A', tasks: [] },
        { name: 'B', tasks: [] },
      ]),
    ).toBe('# A\n\n# B\n');
    expect(toMarkdown([])).toBe('');
    expect(fromMarkdown('')).toEqual({ phases: [], errors: [] });
  });

  it('writes what a line cannot carry as character references', () => {
    const phases: Phase[] = [
      {
        name: '# sharp',
        tasks: [
          { content: 'two\nlines ', status: 'pending', notes: ['a\n\n  b', ''] },
          { content: '', status: 'completed' },
          { content: 'literal &#xa; and &amp; and C:\\new \ud83d', status: 'abandoned' },
        ],
      },
    ];
    const markdown = [
      '# # sharp',
      '- [ ] two&#xa;lines&#x20;',
      '  > a',
      '  > &#x;',
      '  >   b',
      '  >',
      '  > &#x;',
      '- [x]',
      '- [-] literal &#x26;#xa; and &amp; and C:\\new &#xd83d;',
      '',
    ].join('\n');
    expect(toMarkdown(phases)).toBe(markdown);
    expect(fromMarkdown(markdown)).toEqual({ phases, errors: [] });
  });

  it('reads what people write', () => {
    expect(fromMarkdown('- [ ] a\n* [>] b\n+ [~] c\n')).toEqual({
      phases: [
        {
          name: 'Todos',
          tasks: [
            { content: 'a', status: 'pending' },
            { content: 'b', status: 'in_progress' },
            { content: 'c', status: 'abandoned' },
          ],
        },
      ],
      errors: [],
    });
    const text = '\ufeff###### Deep  \r\n\r\n- [X] done\r\n    >note\r\n  >\r\n  >\r\n  * [] nested\r\n';
    expect(fromMarkdown(text)).toEqual({
      phases: [
        {
          name: 'Deep',
          tasks: [
            { content: 'done', status: 'completed', notes: ['note'] },
            { content: 'nested', status: 'pending' },
          ],
        },
      ],
      errors: [],
    });
  });

  it('names the lines that it cannot read', () => {
    expect(fromMarkdown('# X\n- [?] q\nhello\n').errors).toEqual([
      'Line 2: unknown status marker "[?]" (use [ ], [x], [/], [-])',
      'Line 3: unrecognized syntax "hello"',
    ]);
    expect(fromMarkdown('# X\n  > no task\n- [link](url)\n#tag\n').errors).toEqual([
      'Line 2: unrecognized syntax "> no task"',
      'Line 3: unrecognized syntax "- [link](url)"',
      'Line 4: unrecognized syntax "#tag"',
    ]);
  });

  it('handles ten thousand tasks and long runs of blanks', () => {
    const tasks = Array.from({ length: 10_000 }, (_, index) => ({
      content: `task ${index} 😀`,
      status: 'pending' as const,
    }));
    tasks.push({ content: `${' '.repeat(200_000)}x${'\n'.repeat(200_000)}y`, status: 'pending' });
    const phases = [{ name: 'P', tasks }];
    expect(fromMarkdown(toMarkdown(phases))).toEqual({ phases, errors: [] });
  });
});
