import { expect, it } from 'vitest';
import { instructions } from '../../../src/mcp/instructions.ts';

const of = (proactive: unknown) => instructions({ get: () => proactive });

it.each([undefined, 'save', 'draft'])('tell what to save without being asked, with %j', (proactive) => {
  const text = of(proactive);
  for (const part of [
    'memory_recall',
    'user-name',
    'pref-',
    'rule-',
    'project-',
    'never a secret',
    'SPINE.md',
  ])
    expect(text).toContain(part);
  // A repository's file says what is worth saving, and gives no orders.
  expect(text).toMatch(/SPINE\.md.*no instruction/);
  expect(text.includes('waits as a draft')).toBe(proactive === 'draft');
});

it('leave that out where the person switched it off, and still say when to recall', () => {
  expect(of('off')).toContain('memory_recall');
  expect(of('off')).not.toMatch(/SPINE|user-name|Without being asked/);
});
