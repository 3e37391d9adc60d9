/** A text in another normal form is the same text, whichever way it comes. */
import { describe, expect, it } from 'vitest';
import { openTestTools } from '../support/folder.ts';

const COMPOSED = 'Café 한글 정규화'.normalize('NFC');
const person = {
  actor: 'person',
  door: 'panel',
  level: 'PUBLIC',
  approve: async () => 'approved' as const,
} as const;

describe.each([
  ['composed, then decomposed', COMPOSED, COMPOSED.normalize('NFD')],
  ['decomposed, then composed', COMPOSED.normalize('NFD'), COMPOSED],
])('%s', (_order, first, second) => {
  const entry = { category: 'knowledge', key: 'note' } as const;

  async function saved() {
    const tools = openTestTools();
    await tools.call('memory_remember', { ...entry, content: first });
    const open = async () =>
      (await tools.call('memory_open', { id: 'note' }, person)).data as {
        content: string;
        revisions: unknown[];
        confirmed: boolean;
      };
    return { ...tools, open };
  }

  it('is not added beside itself when it is saved again', async () => {
    const { call, open } = await saved();
    const { data } = await call('memory_remember', { ...entry, content: second });
    expect(data).toMatchObject({ keptContent: false });
    await call('memory_remember', { ...entry, content: second, replace: true });
    expect((await open()).revisions).toEqual([]);
  });

  it('is no change of the text when a person edits the entry', async () => {
    const { call, open } = await saved();
    await call('memory_edit', { key: 'note', content: second }, person);
    expect((await open()).revisions).toEqual([]);
  });

  it.each([true, false])('is known when it is imported (replace: %s)', async (replace) => {
    const { store, open } = await saved();
    const author = { actor: 'agent', level: 'PUBLIC', source: 'x', session: 's', branch: '' } as const;
    const imported = [{ ...entry, content: second, links: ['[[other]]'], tags: ['Two'] }];
    expect(await store.care.importEntries(imported, replace, author)).toMatchObject({ updated: 1 });
    expect(await store.care.importEntries(imported, replace, author)).toMatchObject({ unchanged: 1 });
    expect((await open()).revisions).toEqual([]);
  });

  it('comes back from a backup without a history of itself', async () => {
    const { call, open } = await saved();
    const { name } = (await call('memory_backup')).data as { name: string };
    await call('memory_remember', { ...entry, content: 'Something else', replace: true });
    await call('memory_remember', { ...entry, content: second, replace: true });
    await call('memory_restore', { name }, person);
    expect((await open()).revisions).toHaveLength(1);
  });
});
