import { describe, expect, test, vi } from 'vitest';
import { ago, checklist, plain, verbatim } from '../../../src/vscode/chatText.ts';

vi.mock('vscode', () => ({ env: { language: 'ko' } }));

describe('a text from elsewhere', () => {
  test.each([
    ['[a](command:run)', '\\[a\\]\\(command\\:run\\)'],
    ['<img src=x>', '\\<img src\\=x\\>'],
    ['https://host', 'https\\:\\/\\/host'],
    ['**no** `code` ~~x~~ \\', '\\*\\*no\\*\\* \\`code\\` \\~\\~x\\~\\~ \\\\'],
    ['1. # - > |', '1\\. \\# \\- \\> \\|'],
    [' one\n\n- two\t', 'one \\- two'],
    ['할 일 & 계획', '할 일 \\& 계획'],
  ])('%j stays text', (text, shown) => {
    expect(plain(text)).toBe(shown);
  });

  test.each(['plain', '```\nout', '````` five', ''])('%j cannot end its own block', (text) => {
    const [open, ...rest] = verbatim(text).split('\n');
    const fence = open?.replace(/text$/, '') ?? '';
    expect(fence).toMatch(/^`{3,}$/);
    expect(rest.at(-1)).toBe(fence);
    expect(rest.slice(0, -1).join('\n')).toBe(text);
    expect(text).not.toContain(fence);
  });
});

test('a list is a checklist, whatever its texts hold', () => {
  const phases = [
    {
      name: '# Mend',
      tasks: [
        { content: 'read', status: 'completed' as const, notes: [] },
        { content: 'evict', status: 'in_progress' as const, notes: ['by [age]'] },
        { content: 'test', status: 'pending' as const, notes: [] },
        { content: 'x', status: 'abandoned' as const, notes: [] },
      ],
    },
    { name: 'Later', tasks: [] },
  ];
  expect(checklist(phases).split('\n')).toEqual([
    '**\\# Mend**',
    '',
    '- [x] read',
    '- [ ] **evict**',
    '  - by \\[age\\]',
    '- [ ] test',
    '- [ ] ~~x~~',
    '',
    '**Later**',
    '',
    '',
  ]);
});

test.each([
  [0, '지금'],
  [59_000, '지금'],
  [60_000, '1분 전'],
  [2 * 3_600_000 + 5, '2시간 전'],
  [3 * 86_400_000, '3일 전'],
  [-5_000, '지금'],
])('%i milliseconds are told in the language of the editor', (passed, told) => {
  expect(ago(1_000_000_000, 1_000_000_000 + passed)).toBe(told);
});
