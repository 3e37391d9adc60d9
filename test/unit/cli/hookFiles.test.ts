import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesIn } from '../../../src/cli/hookFiles.ts';
import { isOwnTool } from '../../../src/cli/hookOwnTools.ts';
import { toolsOf } from '../../../src/tools/registry.ts';
import { temporaryFolder } from '../support/folder.ts';

function root(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'src'));
  for (const name of ['a.ts', 'b.ts']) writeFileSync(join(folder, 'src', name), '');
  return folder;
}

it('finds the files of editors’ and agents’ tools', () => {
  const folder = root();
  const a = join(folder, 'src', 'a.ts');
  const b = join(folder, 'src', 'b.ts');
  const found = (input: unknown) => filesIn(input, folder, folder);
  for (const name of ['filePath', 'file_path', 'path', 'notebook_path'])
    expect(found({ [name]: a })).toEqual(['src/a.ts']);
  expect(found({ replacements: [{ filePath: a }, { filePath: b }] })).toEqual(['src/a.ts', 'src/b.ts']);
  expect(found({ filePaths: [a, 'src/b.ts', a] })).toEqual(['src/a.ts', 'src/b.ts']);
  const patch = `*** Begin Patch\n*** Update File: ${a}\n@@\n-x\n*** Add File: src/new.ts\n+x\n*** End Patch`;
  for (const name of ['input', 'patch', 'command'])
    expect(found({ [name]: patch })).toEqual(['src/a.ts', 'src/new.ts']);
});

it.each([
  null,
  3,
  'text',
  [],
  { path: 3, files: 'x', edits: [null, 3, []] },
  { command: 'cat src/a.ts' },
  { path: '/etc/passwd', filePath: '../x', files: ['C:\\x'] },
])('finds none in %j', (input) => {
  const folder = root();
  expect(filesIn(input, folder, folder)).toEqual([]);
});

it('looks at a bounded number of them', () => {
  const folder = root();
  const files = Array.from({ length: 5000 }, (_, n) => `src/${n}.ts`);
  expect(filesIn({ files, edits: [{ files }, { files }] }, folder, folder)).toHaveLength(100);
});

it('knows every tool of ours, by its own name and as an MCP server’s', () => {
  for (const { name } of toolsOf('full')) {
    for (const each of [name, `mcp_lodeline_${name}`, `mcp__lodeline__${name}`, `mcp_lodeline_shop_${name}`])
      expect(isOwnTool(each)).toBe(true);
  }
  for (const name of ['read_file', 'mcp_other_memory_recall', 'Task', ''])
    expect(isOwnTool(name)).toBe(false);
});
