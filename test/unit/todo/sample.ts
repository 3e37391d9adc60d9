import fc from 'fast-check';
import type { Phase, Status } from '../../../src/todo/list.ts';

/** Two phases, three tasks, the first one active. */
export const LIST: readonly Phase[] = [
  {
    name: 'A',
    tasks: [
      { content: 'a1', status: 'in_progress' },
      { content: 'a2', status: 'pending' },
    ],
  },
  { name: 'B', tasks: [{ content: 'b1', status: 'pending' }] },
];

export function statuses(phases: readonly Phase[]): Status[] {
  return phases.flatMap((phase) => phase.tasks.map((task) => task.status));
}

export function contents(phases: readonly Phase[]): string[] {
  return phases.flatMap((phase) => phase.tasks.map((task) => task.content));
}

/** Pieces that break careless formats: Markdown, whitespace, references, halves of characters, scripts. */
const PIECES = [
  ...['# ', '#', '- [x] ', '* ', '> ', '>', '  ', '\t', '\n', '\n\n', '\r\n', '\r', '\u2028', '\u0085', '\0'],
  ...[
    '&#x;',
    '&#xa;',
    '&',
    '#x',
    ';',
    '&#x110000;',
    '&amp;',
    '\\',
    '\\n',
    '`',
    '**b**',
    '[l](u)',
    '[ ]',
    '"',
  ],
  ...[
    '\ud83d',
    '\ude00',
    '😀',
    '👩‍👩‍👧',
    'e\u0301',
    'é',
    '한글',
    '\u1112\u1161\u11ab',
    '\ufeff',
    '\u00a0',
    'fix it',
    'a',
    '---',
  ],
];

export const hostileText = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 8 })
  .map((parts) => parts.join(''));
