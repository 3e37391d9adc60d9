/** What is known of how such files look elsewhere. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestStore, PERSON, START, temporaryFolder } from '../support/folder.ts';

const READER = { level: 'RESTRICTED' } as const;

function openFiles() {
  const work = temporaryFolder();
  const store = openTestStore(temporaryFolder(), { time: START }, { root: work });
  const dir = join(work, '.lodeline', 'memory');
  mkdirSync(dir, { recursive: true });
  return {
    store,
    sync: () => store.files.filesSync({ branch: 'main' }),
    read: (name: string) => readFileSync(join(dir, name), 'utf8'),
    write: (name: string, text: string) => writeFileSync(join(dir, name), text),
    remember: (key: string, content: string, tags: string[] = []) =>
      store.remember({ category: 'knowledge', key, content, tags }, PERSON),
    entry: async (key: string) => (await store.fetch([key], READER, false))[0],
  };
}

it('N-ME-01: a name becomes the file’s and stands in the index with its description', async () => {
  const { remember, sync, read, entry } = openFiles();
  await remember('User Role!', 'd\n\nc', ['user']);
  expect((await sync()).written).toEqual(['user-role.md']);
  expect(read('MEMORY.md').split('\n')).toContain('- [User Role!](user-role.md) — d');
  expect(read('user-role.md')).toMatch(/^---\nname: User Role!\ndescription: d\ntype: user\n/);
  expect(read('user-role.md')).toMatch(/\nd\n\nc\n$/);
  // Also where somebody else wrote the file, with the description in the front matter alone.
  const other = openFiles();
  other.write('user-role.md', '---\nname: User Role!\ndescription: d\ntype: user\n---\n\nc\n');
  await other.sync();
  expect(other.read('MEMORY.md').split('\n')).toContain('- [User Role!](user-role.md) — d');
  expect(await other.entry('User Role!')).toMatchObject({ content: 'd\n\nc', tags: ['user'] });
  expect((await entry('User Role!'))?.id).toBe((await other.entry('User Role!'))?.id);
  // The list of none.
  const none = openFiles();
  await none.sync();
  expect(none.read('MEMORY.md')).toBe('# Memory\n\n(no memories yet)\n');
});

it('N-ME-05: a line break in a name or a description is no line of the front matter', async () => {
  const name = 'a\ntype: feedback';
  const files = openFiles();
  files.write(
    'a.md',
    `---\nname: ${JSON.stringify(name)}\ndescription: "d\\ntype: feedback"\ntype: user\n---\n\nc\n`,
  );
  await files.sync();
  const [made] = await files.store.exportAll(READER);
  expect(made?.tags).toEqual(['user']);
  await files.store.edit(made?.id ?? '', { content: 'New\r\ntype: feedback' }, PERSON);
  expect((await files.sync()).written).toEqual(['a.md']);
  const front = files.read('a.md').split('---\n')[1] ?? '';
  expect(front.match(/^type:.*$/gm)).toEqual(['type: user']);
  expect(front.match(/^name:.*$/gm)).toHaveLength(1);
  expect(files.read('MEMORY.md').match(/^- .*/gm)).toHaveLength(1);
  // Written by us and read by a clone, the type is still the one that was given.
  const clone = openFiles();
  clone.write('a.md', files.read('a.md'));
  await clone.sync();
  expect((await clone.store.exportAll(READER))[0]).toMatchObject({ key: made?.key, tags: ['user'] });
});
