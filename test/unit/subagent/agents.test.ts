import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentNamed, findAgents } from '../../../src/subagent/agents.ts';
import { temporaryFolder } from '../support/folder.ts';

function file(fields: string, body = 'Do it.'): string {
  return `---\n${fields}\n---\n${body}`;
}

describe('the agents of a workspace', () => {
  function folders(files: Record<string, string>) {
    const folder = temporaryFolder();
    const places = { root: join(folder, 'root'), home: join(folder, 'home'), trusted: true };
    mkdirSync(places.root);
    mkdirSync(places.home);
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return { folder, places };
  }
  const agent = (name: string, description: string) => file(`name: ${name}\ndescription: ${description}`);

  test('are the seven bundled ones when there are no files', async () => {
    const { places } = folders({});
    const { agents, faults } = await findAgents(places);
    expect(agents.map(({ name }) => name)).toEqual([
      'explore',
      'plan',
      'designer',
      'reviewer',
      'task',
      'quick_task',
      'librarian',
    ]);
    expect(faults).toEqual([]);
  });

  test('are found in the order of the folders, and the first of a name wins', async () => {
    const { places } = folders({
      'root/agents/a.md': agent('one', 'agents'),
      'root/.lodeline/agents/a.md': agent('one', 'lodeline'),
      'root/.lodeline/agents/b.md': agent('two', 'lodeline'),
      'root/.github/agents/b.md': agent('two', 'github'),
      'root/.github/agents/c.md': agent('three', 'github'),
      'root/.claude/agents/c.md': agent('three', 'claude'),
      'root/.claude/agents/d.md': agent('four', 'claude'),
      'home/.lodeline/agents/d.md': agent('four', 'user'),
      'home/.lodeline/agents/e.md': agent('explore', 'user'),
      'root/agents/One.md': agent('One', 'another case is another name'),
    });
    const { agents } = await findAgents(places);
    const described = Object.fromEntries(agents.map(({ name, description }) => [name, description]));
    expect(described).toMatchObject({
      one: 'agents',
      One: 'another case is another name',
      two: 'lodeline',
      three: 'github',
      four: 'claude',
      explore: 'user',
    });
    expect(agents.filter(({ name }) => name === 'explore')).toHaveLength(1);
    expect(agentNamed(agents, 'explore')?.source).toBe('user');
  });

  test('are only those of the person and the bundled ones in a workspace without trust', async () => {
    const { places } = folders({
      'root/agents/a.md': agent('explore', 'hostile'),
      'root/agents/bad.md': 'x',
      'home/.lodeline/agents/b.md': agent('mine', 'user'),
    });
    const { agents, faults } = await findAgents({ ...places, trusted: false });
    expect(agentNamed(agents, 'explore')?.source).toBe('bundled');
    expect(agentNamed(agents, 'mine')?.source).toBe('user');
    expect(faults).toEqual([]);
  });

  test('are found beside faulty files, which are told', async () => {
    const { folder, places } = folders({
      'root/agents/a.md': '---\nname: a\n---\nbody',
      'root/agents/b.md': '---\nname: b\ndescription: d\n---\nbody',
      'root/agents/big.md': `${agent('big', 'd')}${'x'.repeat(256 * 1024)}`,
      'root/agents/note.txt': 'not looked at',
      'root/agents/folder.md/inside.txt': 'a folder',
    });
    writeFileSync(join(folder, 'root/agents/latin.md'), Buffer.from([0x2d, 0x2d, 0x2d, 0xff]));
    const { agents, faults } = await findAgents(places);
    expect(agents.filter(({ source }) => source === 'project').map(({ name }) => name)).toEqual(['b']);
    expect(faults.map(({ file: path, problem }) => [path.split(/[\\/]/).at(-1), problem])).toEqual([
      ['a.md', expect.stringContaining('description')],
      ['big.md', expect.stringContaining('at most')],
      ['latin.md', expect.stringContaining('UTF-8')],
    ]);
  });

  test('are not more than 500 files', async () => {
    const many = Array.from({ length: 502 }, (_, n) => `root/agents/${1000 + n}.md`);
    const { places } = folders({
      ...Object.fromEntries(many.map((path, n) => [path, agent(`a${n}`, 'd')])),
      'home/.lodeline/agents/late.md': agent('late', 'd'),
    });
    const { agents, faults } = await findAgents(places);
    expect(agents.filter(({ source }) => source === 'project')).toHaveLength(500);
    expect(faults.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('500'),
      expect.stringContaining('500'),
    ]);
  });

  test.skipIf(process.platform === 'win32')('are not read through links out of the project', async () => {
    const { folder, places } = folders({
      'secret.md': agent('secret', 'outside'),
      'root/inside.md': agent('inside', 'in the project'),
      'elsewhere/agents/x.md': agent('elsewhere', 'outside'),
      'home/.lodeline/agents/keep.md': agent('keep', 'd'),
    });
    mkdirSync(join(folder, 'root/agents'));
    symlinkSync(join(folder, 'secret.md'), join(folder, 'root/agents/secret.md'));
    symlinkSync('../inside.md', join(folder, 'root/agents/inside.md'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'root/agents/broken.md'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'root/.claude'));
    symlinkSync(join(folder, 'secret.md'), join(folder, 'home/.lodeline/agents/linked.md'));
    const { agents, faults } = await findAgents(places);
    const own = agents.filter(({ source }) => source !== 'bundled').map(({ name, source }) => [name, source]);
    expect(own).toEqual([
      ['inside', 'project'],
      ['keep', 'user'],
      ['secret', 'user'],
    ]);
    expect(faults.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('cannot be read'),
      expect.stringContaining('out of the project'),
      expect.stringContaining('out of the project'),
    ]);
  });

  test.skipIf(process.platform === 'win32')(
    'are not waited for in a pipe, nor read without end',
    async () => {
      const { folder, places } = folders({
        'root/agents/a.md': agent('a', 'd'),
        'home/.lodeline/agents/b.md': agent('b', 'd'),
      });
      execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'root/agents/pipe.md')]);
      symlinkSync('/dev/zero', join(folder, 'home/.lodeline/agents/endless.md'));
      const { agents, faults } = await findAgents(places);
      expect(agentNamed(agents, 'a')).toBeDefined();
      expect(agentNamed(agents, 'b')).toBeDefined();
      expect(faults.map(({ problem }) => problem)).toEqual([
        'is not a regular file',
        'is not a regular file',
      ]);
    },
  );
});
