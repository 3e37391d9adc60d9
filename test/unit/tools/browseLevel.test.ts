import { describe, expect, it } from 'vitest';
import type { BrowsePage } from '../../../src/protocol.ts';
import { openTestTools } from '../support/folder.ts';

const PERSON = { actor: 'person', door: 'panel', source: 'panel', level: 'RESTRICTED' } as const;

describe('the memory browser by level', () => {
  it.each([{}, { query: 'cache' }])(
    'finds the one entry of a level behind any number of others: %j',
    async (input) => {
      const { call } = openTestTools();
      const save = (key: string, level: 'PUBLIC' | 'CONFIDENTIAL') =>
        call(
          'memory_remember',
          { key, category: 'knowledge', content: `cache ${key}` },
          { level, session: key },
        );
      await save('above', 'CONFIDENTIAL');
      for (let at = 0; at < 12; at++) await save(`below-${at}`, 'PUBLIC');
      const browse = async (more: object, who: object = PERSON) =>
        (await call('memory_browse', { ...input, ...more, limit: 1 }, who)).data as BrowsePage;
      const found = await browse({ level: 'CONFIDENTIAL' });
      expect(found).toMatchObject({ total: 1, rows: [{ key: 'above', level: 'CONFIDENTIAL' }] });
      expect((await browse({ level: 'PUBLIC' })).total).toBe(12);
      expect((await browse({ level: 'CONFIDENTIAL' }, { ...PERSON, level: 'PUBLIC' })).total).toBe(0);
    },
  );
});
