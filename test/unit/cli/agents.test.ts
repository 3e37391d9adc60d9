import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENTS, type AgentName, type AgentPlace } from '../../../src/cli/agents.ts';
import { initialize } from '../../../src/cli/init.ts';
import { parseToml } from '../../../src/cli/initToml.ts';
import { uninstall } from '../../../src/cli/uninstall.ts';
import { hookFileText, writeHookFile } from '../../../src/vscode/hooksFile.ts';
import { temporaryFolder } from '../support/folder.ts';

type Files = Readonly<Record<string, string>>;

function newPlace(
  files: Files = {},
  platform: NodeJS.Platform = 'linux',
): AgentPlace & { readonly all: string } {
  const all = realpathSync(temporaryFolder());
  const place = { all, root: join(all, 'root'), home: join(all, 'home'), env: {}, platform };
  mkdirSync(place.root);
  mkdirSync(place.home);
  for (const [name, text] of Object.entries(files)) put(join(all, name), text);
  return place;
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Every file and folder with its bytes and permissions; what Lodeline keeps of itself is not among them. */
function snapshot({ all }: { readonly all: string }): Record<string, string> {
  return Object.fromEntries(
    readdirSync(all, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith(join('home', '.lodeline')))
      .sort()
      .map((name) => {
        const stat = statSync(join(all, name), { throwIfNoEntry: false });
        if (stat === undefined) return [name, readlinkSync(join(all, name))];
        const bytes = stat.isFile() ? readFileSync(join(all, name), 'latin1') : 'folder';
        return [name, `${(stat.mode & 0o777).toString(8)} ${bytes}`];
      }),
  );
}

const read = (place: { readonly all: string }, name: string): unknown =>
  JSON.parse(readFileSync(join(place.all, name), 'utf8'));

const variable = (name: string): string => `\${${name}}`;

const doneOf = (files: readonly { readonly done: string }[]): string[] => files.map(({ done }) => done);

/** The files of an agent, from the folder of both. */
const FILES: Readonly<Record<AgentName, readonly string[]>> = {
  vscode: ['root/.vscode/mcp.json', 'root/.github/hooks/lodeline.json'],
  claude: ['root/.mcp.json', 'root/.claude/settings.json'],
  codex: ['home/.codex/config.toml', 'root/.codex/hooks.json'],
  copilot: ['home/.copilot/mcp-config.json', 'root/.github/hooks/lodeline.json'],
};

/** Files as people have them. */
const FOUND: readonly (readonly [string, Files])[] = [
  ['nothing', {}],
  [
    'empty files',
    Object.fromEntries(
      Object.values(FILES)
        .flat()
        .map((name) => [name, '']),
    ),
  ],
  [
    'empty objects',
    Object.fromEntries(
      Object.values(FILES)
        .flat()
        .map((name) => [name, name.endsWith('.toml') ? '\n' : '{}']),
    ),
  ],
  [
    'others, with comments',
    {
      'root/.vscode/mcp.json':
        '{\n\t// team\n\t"inputs": [{ "type": "promptString", "id": "key", "password": true }],\n\t"servers": {\n\t\t"github": { "type": "http", "url": "https://api.githubcopilot.com/mcp" }, // ours\n\t},\n}\n',
      'root/.mcp.json':
        '{\n  "mcpServers": {\n    "db": {\n      "command": "npx",\n      "args": ["-y", "db"],\n      "env": { "KEY": "$KEY" }\n    }\n  }\n}',
      'root/.claude/settings.json':
        '{\n  "permissions": { "allow": ["Bash(npm test)"] },\n  "hooks": {\n    "PostToolUse": [\n      { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "npm run lint" }] }\n    ]\n  },\n  "model": "opus"\n}\n',
      'root/.claude/settings.local.json': '{}',
      'home/.codex/config.toml':
        'model = "gpt-5"\nnotify = ["say", "done"]\n\n[mcp_servers.docs] # mine\ncommand = "docs"\nenv = { "A" = "b" }\n\n[projects."/work"]\ntrust_level = "trusted"\n',
      'root/.codex/hooks.json': '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
      'home/.copilot/mcp-config.json':
        '{\n    "mcpServers": {\n        "play": { "type": "local", "command": "npx", "args": ["p"], "tools": ["*"] }\n    }\n}\n',
      'root/.github/hooks/lodeline.json':
        '{ "version": 1, "hooks": { "PreToolUse": [{ "type": "command", "command": "mine" }] } }\n',
      'root/.github/hooks/other.json': '{}',
    },
  ],
  [
    'CRLF and a byte order mark',
    {
      'root/.vscode/mcp.json': '\uFEFF{\r\n  "servers": {\r\n    "a": { "command": "a" }\r\n  }\r\n}\r\n',
      'root/.mcp.json': '{\r\n}\r\n',
      'home/.codex/config.toml': 'model = "m"\r\n',
      'home/.copilot/mcp-config.json': '\uFEFF{"mcpServers": {}}',
    },
  ],
];

describe.each(FOUND)('with %s', (_, files) => {
  it.each<[readonly AgentName[]]>([...AGENTS.map((agent): [AgentName[]] => [[agent]]), [AGENTS]])(
    'setting up %j twice and undoing it leaves every byte as before',
    async (agents) => {
      const place = newPlace(files);
      const before = snapshot(place);
      const first = await initialize(place, agents);
      expect(doneOf(first.files)).not.toContain('failed');
      for (const name of agents.flatMap((agent) => FILES[agent])) {
        const text = readFileSync(join(place.all, name), 'utf8');
        expect(text).toMatch(/[/\\]\.lodeline[/\\]bin[/\\]lodeline-/);
        if (text.includes('\r\n')) expect(text).not.toMatch(/[^\r]\n/);
      }
      const once = snapshot(place);
      expect(doneOf((await initialize(place, agents)).files).every((done) => done === 'unchanged')).toBe(
        true,
      );
      expect(snapshot(place)).toEqual(once);

      expect(doneOf(await uninstall(place, []))).not.toContain('failed');
      expect(snapshot(place)).toEqual(before);
      expect(existsSync(join(place.home, '.lodeline', 'init'))).toBe(false);
      expect(await uninstall(place, [])).toEqual([]);
    },
  );
});

it('says what each agent documents', async () => {
  const place = newPlace();
  await initialize(place, AGENTS);
  const bin = `${place.home}/.lodeline/bin`;
  const command = 'test ! -x "$HOME/.lodeline/bin/lodeline-hook" || "$HOME/.lodeline/bin/lodeline-hook"';
  const hook = (more = '') => ({ hooks: [{ type: 'command', command: command + more, timeout: 20 }] });
  expect(read(place, 'root/.vscode/mcp.json')).toEqual({
    servers: {
      lodeline: {
        type: 'stdio',
        command: `${variable('userHome')}/.lodeline/bin/lodeline-mcp`,
        args: ['--root', variable('workspaceFolder')],
      },
    },
  });
  expect(readFileSync(join(place.root, '.github/hooks/lodeline.json'), 'utf8')).toBe(hookFileText());
  expect(read(place, 'root/.mcp.json')).toEqual({
    mcpServers: {
      lodeline: { type: 'stdio', args: [], command: `${variable('HOME')}/.lodeline/bin/lodeline-mcp` },
    },
  });
  expect(read(place, 'root/.claude/settings.json')).toEqual({
    hooks: {
      SessionStart: [hook()],
      PreToolUse: [{ matcher: 'Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit', ...hook() }],
      PostToolUse: [{ matcher: '*', ...hook() }],
      SessionEnd: [hook()],
    },
  });
  const toml = readFileSync(join(place.home, '.codex/config.toml'), 'utf8');
  expect(JSON.parse(JSON.stringify(parseToml(toml)))).toEqual({
    mcp_servers: { lodeline: { command: `${bin}/lodeline-mcp`, args: [] } },
  });
  expect(read(place, 'root/.codex/hooks.json')).toEqual({
    hooks: {
      SessionStart: [hook(' --agent codex')],
      PreToolUse: [{ matcher: 'apply_patch|Edit|Write', ...hook(' --agent codex') }],
      PostToolUse: [hook(' --agent codex')],
      Stop: [hook(' --agent codex')],
    },
  });
  expect(read(place, 'home/.copilot/mcp-config.json')).toEqual({
    mcpServers: { lodeline: { type: 'local', command: `${bin}/lodeline-mcp`, args: [], tools: ['*'] } },
  });
  for (const name of ['.codex/config.toml', '.copilot/mcp-config.json'])
    expect(statSync(join(place.home, name)).mode & 0o777).toBe(0o600);
});

it('names the launcher of Windows there', async () => {
  const place = newPlace({}, 'win32');
  await initialize(place, AGENTS);
  const commands = ['root/.vscode/mcp.json', 'root/.mcp.json', 'home/.copilot/mcp-config.json'].map(
    (name) => /"command": ("[^\n]+")/.exec(readFileSync(join(place.all, name), 'utf8'))?.[1] ?? '""',
  );
  const launcher = '\\.lodeline\\bin\\lodeline-mcp.cmd';
  expect(commands.map((text) => JSON.parse(text))).toEqual([
    `\${userHome}${launcher}`,
    `\${USERPROFILE}${launcher}`,
    place.home + launcher,
  ]);
});

it('goes to where CODEX_HOME and COPILOT_HOME say, which may lie anywhere', async () => {
  const place = newPlace();
  const env = { CODEX_HOME: join(place.all, 'c'), COPILOT_HOME: join(place.all, 'p') };
  mkdirSync(env.CODEX_HOME);
  mkdirSync(env.COPILOT_HOME);
  const before = snapshot(place);
  await initialize({ ...place, env }, ['codex', 'copilot']);
  expect(existsSync(join(env.CODEX_HOME, 'config.toml'))).toBe(true);
  expect(existsSync(join(env.COPILOT_HOME, 'mcp-config.json'))).toBe(true);
  // The record knows where, also without them in the environment.
  await uninstall(place, []);
  expect(snapshot(place)).toEqual(before);
});

const BROKEN: readonly (readonly [AgentName, string, string | Buffer, RegExp])[] = [
  ['vscode', 'root/.vscode/mcp.json', '{ "servers": { }', /not valid JSON: line 1/],
  ['claude', 'root/.mcp.json', '{}\n{}', /not valid JSON: line 2/],
  ['claude', 'root/.claude/settings.json', '{ "hooks": { "SessionStart": "x" } }', /no list/],
  ['codex', 'home/.codex/config.toml', 'model = \n', /not valid TOML: line 1/],
  ['codex', 'home/.codex/config.toml', '{"mcp_servers": {}}', /not valid TOML/],
  ['codex', 'root/.codex/hooks.json', '[]', /no object/],
  ['copilot', 'home/.copilot/mcp-config.json', '{ "mcpServers": 3 }', /no object/],
  ['vscode', 'root/.vscode/mcp.json', Buffer.from('\uFEFF{}', 'utf16le'), /no UTF-8/],
  ['vscode', 'root/.vscode/mcp.json', Buffer.from([0x7b, 0xff, 0x7d]), /no UTF-8/],
];

it.each(BROKEN)(
  'leaves a broken file of %s alone, says so, and does the rest: %s %j',
  async (agent, name, bytes, problem) => {
    const place = newPlace();
    mkdirSync(dirname(join(place.all, name)), { recursive: true });
    writeFileSync(join(place.all, name), bytes);
    const before = snapshot(place);
    const { files } = await initialize(place, [agent]);
    expect(files.find(({ file }) => file === join(place.all, name))).toMatchObject({
      done: 'failed',
      note: expect.stringMatching(problem),
    });
    expect(doneOf(files).filter((done) => done === 'created')).toHaveLength(1);
    expect(readFileSync(join(place.all, name)).equals(Buffer.from(bytes))).toBe(true);
    await uninstall(place, []);
    expect(snapshot(place)).toEqual(before);
  },
);

it('leaves a file that was broken since alone, and puts it right once it is whole again', async () => {
  const place = newPlace({ 'root/.mcp.json': '{ "a": 1 }' });
  await initialize(place, ['claude']);
  const file = join(place.root, '.mcp.json');
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, whole.slice(0, -3));
  expect(doneOf((await initialize(place, ['claude'])).files)).toContain('failed');
  expect(doneOf(await uninstall(place, []))).toContain('failed');
  expect(readFileSync(file, 'utf8')).toBe(whole.slice(0, -3));
  writeFileSync(file, whole);
  expect(doneOf(await uninstall(place, []))).toEqual(['restored']);
  expect(readFileSync(file, 'utf8')).toBe('{ "a": 1 }');
});

it('takes out only its own when others have written since', async () => {
  const place = newPlace({ 'home/.codex/config.toml': 'model = "m"\n' });
  await initialize(place, ['claude', 'codex']);
  const mcp = join(place.root, '.mcp.json');
  const value = JSON.parse(readFileSync(mcp, 'utf8'));
  value.mcpServers.later = { command: 'l' };
  writeFileSync(mcp, JSON.stringify(value));
  const toml = join(place.home, '.codex', 'config.toml');
  writeFileSync(toml, `${readFileSync(toml, 'utf8')}\n[projects."/p"]\ntrust_level = "trusted"\n`);
  expect(doneOf((await initialize(place, ['claude', 'codex'])).files)).not.toContain('failed');
  await uninstall(place, []);
  expect(JSON.parse(readFileSync(mcp, 'utf8'))).toEqual({ mcpServers: { later: { command: 'l' } } });
  expect(readFileSync(toml, 'utf8')).toBe('model = "m"\n\n[projects."/p"]\ntrust_level = "trusted"\n');
});

it('leaves an entry of the person’s own, before and after', async () => {
  const own = '{"mcpServers": {"lodeline": {"command": "mine"}}}';
  const place = newPlace({ 'root/.mcp.json': own });
  const { files } = await initialize(place, ['claude']);
  expect(files[0]).toMatchObject({ done: 'unchanged', note: expect.stringContaining('another already') });
  await uninstall(place, []);
  expect(readFileSync(join(place.root, '.mcp.json'), 'utf8')).toBe(own);
});

it('leaves an entry that the person has changed since, and says so', async () => {
  const place = newPlace();
  await initialize(place, ['claude']);
  const file = join(place.root, '.mcp.json');
  const theirs = readFileSync(file, 'utf8').replace('"args": []', '"args": ["--profile", "core"]');
  writeFileSync(file, theirs);
  const outcome = (await uninstall(place, ['claude'])).find((each) => each.file === file);
  expect(outcome).toMatchObject({ done: 'unchanged', note: expect.stringContaining('by hand') });
  expect(readFileSync(file, 'utf8')).toBe(theirs);
});

it('undoes one agent alone, and keeps what another or another folder still needs', async () => {
  const place = newPlace();
  const other = { ...place, root: join(place.all, 'other') };
  mkdirSync(other.root);
  const before = snapshot(place);
  await initialize(place, ['vscode', 'copilot']);
  await initialize(other, ['copilot']);
  const copilot = await uninstall(place, ['copilot']);
  expect(doneOf(copilot).sort()).toEqual(['kept', 'kept']);
  expect(existsSync(join(place.root, '.github/hooks/lodeline.json'))).toBe(true);
  expect(doneOf(await uninstall(place, [])).sort()).toEqual(['removed', 'removed']);
  expect(existsSync(join(place.home, '.copilot/mcp-config.json'))).toBe(true);
  await uninstall(other, []);
  expect(snapshot(place)).toEqual(before);
});

it('does not keep anything for a folder that is gone', async () => {
  const place = newPlace();
  const other = { ...place, root: join(place.all, 'other') };
  mkdirSync(other.root);
  await initialize(place, ['codex']);
  await initialize(other, ['codex']);
  rmSync(other.root, { recursive: true });
  await uninstall(place, []);
  expect(readdirSync(place.home)).toEqual(['.lodeline']);
});

it('is undone, and done again, after a crash between its record and the file', async () => {
  const place = newPlace({ 'root/.mcp.json': '{"mcpServers": {}}', 'home/.codex/config.toml': 'a = 1' });
  const before = snapshot(place);
  const agents: readonly AgentName[] = ['claude', 'codex', 'vscode'];
  const crash = async () => {
    await initialize(place, agents);
    for (const name of readdirSync(place.root)) rmSync(join(place.root, name), { recursive: true });
    put(join(place.root, '.mcp.json'), '{"mcpServers": {}}');
    writeFileSync(join(place.home, '.codex/config.toml'), 'a = 1');
  };
  await crash();
  expect(doneOf(await uninstall(place, []))).not.toContain('failed');
  expect(snapshot(place)).toEqual(before);
  await crash();
  expect(doneOf((await initialize(place, agents)).files)).not.toContain('unchanged');
  await uninstall(place, []);
  expect(snapshot(place)).toEqual(before);
});

it('leaves the hooks that the extension wrote to the extension', async () => {
  const place = newPlace();
  writeHookFile(place.root);
  const before = snapshot(place);
  await initialize(place, ['vscode']);
  await uninstall(place, []);
  expect(snapshot(place)).toEqual(before);
});

it('removes the folders that it made, unless others use them', async () => {
  const place = newPlace();
  await initialize(place, ['vscode', 'codex']);
  put(join(place.root, '.vscode', 'settings.json'), '{}');
  await uninstall(place, []);
  expect(readdirSync(place.root)).toEqual(['.vscode']);
  expect(readdirSync(place.home)).toEqual(['.lodeline']);
});

describe('links', () => {
  it('writes through one that stays in its folder, and keeps it', async () => {
    const place = newPlace({ 'home/dotfiles/codex/config.toml': 'a = 1\n', 'root/config/mcp.json': '{}' });
    symlinkSync('dotfiles/codex', join(place.home, '.codex'));
    symlinkSync('config/mcp.json', join(place.root, '.mcp.json'));
    const before = snapshot(place);
    expect(doneOf((await initialize(place, ['codex', 'claude'])).files)).not.toContain('failed');
    expect(readFileSync(join(place.home, 'dotfiles/codex/config.toml'), 'utf8')).toContain('lodeline');
    expect(readlinkSync(join(place.root, '.mcp.json'))).toBe('config/mcp.json');
    await uninstall(place, []);
    expect(snapshot(place)).toEqual(before);
  });

  it.each([
    ['a file', '.mcp.json', 'elsewhere.json'],
    ['a folder', '.claude', 'outside'],
    ['a folder above it', '.github', 'outside'],
    ['the settings’ folder', '.lodeline', 'outside'],
  ])('refuses %s that leaves it', async (_, name, target) => {
    const place = newPlace({
      'elsewhere.json': '{}',
      'outside/settings.json': '{}',
      'root/package.json': '{"name":"shop"}',
    });
    symlinkSync(join(place.all, target), join(place.root, name));
    const before = snapshot(place);
    const { files, vocabulary } = await initialize(place, ['vscode', 'claude']);
    expect([...files, vocabulary].filter(({ done }) => done === 'failed')).toMatchObject([
      { note: expect.stringMatching(/link that leaves/) },
    ]);
    await uninstall(place, []);
    expect(snapshot(place)).toEqual(before);
  });

  it('refuses one that leads nowhere', async () => {
    const place = newPlace();
    symlinkSync('gone.json', join(place.root, '.mcp.json'));
    const { files } = await initialize(place, ['claude']);
    expect(files[0]).toMatchObject({ done: 'failed', note: expect.stringMatching(/leads nowhere/) });
  });
});

it('does not replace a file that is read-only, or something that is no file', async () => {
  const place = newPlace({ 'root/.mcp.json': '{}' });
  chmodSync(join(place.root, '.mcp.json'), 0o444);
  mkdirSync(join(place.root, '.claude', 'settings.json'), { recursive: true });
  put(join(place.root, '.vscode'), 'a file');
  const before = snapshot(place);
  const { files } = await initialize(place, ['claude', 'vscode']);
  expect(files.slice(0, 3)).toMatchObject([
    { done: 'failed', note: expect.stringMatching(/read-only/) },
    { done: 'failed', note: expect.stringMatching(/no file/) },
    { done: 'failed', note: expect.stringMatching(/no folder/) },
  ]);
  await uninstall(place, []);
  expect(snapshot(place)).toEqual(before);
});

it('keeps the permissions of a file', async () => {
  const place = newPlace({ 'home/.codex/config.toml': '' });
  chmodSync(join(place.home, '.codex/config.toml'), 0o640);
  await initialize(place, ['codex']);
  expect(statSync(join(place.home, '.codex/config.toml')).mode & 0o777).toBe(0o640);
});

it('keeps nothing of what others wrote in its records', async () => {
  const place = newPlace({
    'home/.codex/config.toml': 'key = "sk-secret"\n',
    'root/.mcp.json': '{"a": "sk-secret"}',
  });
  await initialize(place, AGENTS);
  const dir = join(place.home, '.lodeline', 'init');
  const records = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
  expect(records).not.toEqual([]);
  expect(records.join('\n')).not.toContain('sk-secret');
});
