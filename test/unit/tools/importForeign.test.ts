import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Imported } from '../../../src/tools/memory/import.ts';
import { placesOf } from '../../../src/tools/memory/importPlaces.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

const PERSON = { actor: 'person', door: 'palette', source: 'palette', level: 'PUBLIC' } as const;

function put(path: string, text: string | Buffer): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const GRAPH = '{"type":"entity","name":"Auth","entityType":"service","observations":["uses JWT"]}\n';

describe.each([
  ['copilot', 'files', (folder: string) => put(join(folder, 'files', 'build.md'), 'npm test')],
  ['claude', 'files', (folder: string) => put(join(folder, 'files', 'CLAUDE.md'), '# Build\nnpm test')],
  ['basic-memory', 'files', (folder: string) => put(join(folder, 'files', 'a', 'b.md'), '- [bug] x #y')],
  ['server-memory', 'memory.jsonl', (folder: string) => put(join(folder, 'memory.jsonl'), GRAPH)],
] as const)('memories of %s', (kind, path, write) => {
  it('come in once, unconfirmed and with their source', async () => {
    const tools = openTestTools();
    write(tools.folder);
    const load = () => tools.call('memory_import', { kind, path }, PERSON);
    expect(await load()).toMatchObject({ isError: false, data: { created: 1, damaged: [] } });
    expect((await load()).data).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
    const [entry] = await tools.store.exportAll({ level: 'PUBLIC' });
    expect(entry).toMatchObject({ confirmed: false, source: `import:${kind}`, revisions: [] });
  });

  it('are missed by name when they are not there', async () => {
    const tools = openTestTools();
    const { isError, text } = await tools.call('memory_import', { kind, path: 'nowhere' }, PERSON);
    expect(isError).toBe(true);
    expect(text).toMatch(/^Missing file: /);
  });
});

describe('a folder of notes', () => {
  it('is read whole, and what is left out is told', async () => {
    const tools = openTestTools();
    const notes = join(tools.folder, 'notes');
    put(join(notes, 'a.md'), 'text');
    put(join(notes, 'picture.png'), 'x');
    put(join(notes, '.obsidian', 'hidden.md'), 'x');
    put(join(notes, 'bytes.md'), Buffer.from([0x61, 0xff, 0x62]));
    if (process.platform !== 'win32')
      symlinkSync(put(join(tools.folder, 'secret.md'), 'x'), join(notes, 'link.md'));
    const { data } = await tools.call('memory_import', { kind: 'basic-memory', path: 'notes' }, PERSON);
    const { created, damaged, notes: told } = data as Imported;
    expect(created).toBe(1);
    expect(damaged).toContainEqual({ place: 'bytes.md', reason: 'is not UTF-8 text' });
    if (process.platform !== 'win32')
      expect(damaged).toContainEqual({ place: 'link.md', reason: 'is a link' });
    expect(told).toEqual(['picture.png: is no Markdown, and was left out']);
  });

  it('that says more than before brings the new text, and the old one is history', async () => {
    const tools = openTestTools();
    const load = () => tools.call('memory_import', { kind: 'basic-memory', path: 'a.md' }, PERSON);
    put(join(tools.folder, 'a.md'), 'first');
    await load();
    put(join(tools.folder, 'a.md'), 'first and second');
    expect((await load()).data).toMatchObject({ updated: 1 });
    const [entry] = await tools.store.exportAll({ level: 'PUBLIC' });
    expect(entry).toMatchObject({
      content: 'first and second',
      revisions: [{ text: 'first', addition: false }],
    });
  });

  it('adds to what a person confirmed, and replaces nothing', async () => {
    const tools = openTestTools();
    const load = () => tools.call('memory_import', { kind: 'basic-memory', path: 'a.md' }, PERSON);
    put(join(tools.folder, 'a.md'), 'first');
    await load();
    await tools.call('memory_edit', { key: 'a', confirmed: true }, PERSON);
    put(join(tools.folder, 'a.md'), 'second');
    await load();
    const [entry] = await tools.store.exportAll({ level: 'PUBLIC' });
    expect(entry).toMatchObject({
      content: 'first',
      confirmed: true,
      revisions: [{ text: 'second', addition: true }],
    });
  });
});

describe('where other tools keep their memories', () => {
  it('is found for Claude Code by the name of the folder', async () => {
    const places = await placesOf('claude', { root: '/home/me/my.app', home: '/home/me', env: {} });
    expect(places).toContain(join('/home/me', '.claude', 'projects', '-home-me-my-app', 'memory'));
    expect(places).toContain(join('/home/me/my.app', 'CLAUDE.md'));
  });

  it('is found for Copilot by what the editor keeps about the folder', async () => {
    const home = temporaryFolder();
    const root = join(home, 'a folder');
    mkdirSync(root);
    const user = join(home, '.config', 'Code', 'User');
    const about = (name: string, folder: unknown) =>
      put(join(user, 'workspaceStorage', name, 'workspace.json'), JSON.stringify({ folder }));
    about('one', pathToFileURL(root).href);
    about('two', pathToFileURL(home).href);
    about('three', 'vscode-remote://ssh/x');
    put(join(user, 'workspaceStorage', 'four', 'workspace.json'), '{');
    const places = await placesOf('copilot', { root, home, env: {} });
    expect(places.filter((place) => place.includes('workspaceStorage'))).toEqual([
      join(user, 'workspaceStorage', 'one', 'GitHub.copilot-chat', 'memory-tool', 'memories', 'repo'),
    ]);
    expect(places).toContain(join(user, 'globalStorage', 'github.copilot-chat', 'memory-tool', 'memories'));
  });

  it('is found for Copilot in the editor that asks, wherever that keeps its data', async () => {
    const home = temporaryFolder();
    const storage = { user: join(home, 'data', 'global'), folder: join(home, 'data', 'one') };
    const around = { root: home, home, env: {} };
    const memories = ['memory-tool', 'memories'];
    const places = await placesOf('copilot', { ...around, storage });
    expect(places.slice(0, 2)).toEqual([
      join(storage.user, 'github.copilot-chat', ...memories),
      join(storage.folder, 'GitHub.copilot-chat', ...memories, 'repo'),
    ]);
    const user = join(home, '.config', 'Code', 'User', 'globalStorage');
    const same = await placesOf('copilot', { ...around, storage: { user } });
    expect(same).toEqual([...new Set(same)]);
  });
});
