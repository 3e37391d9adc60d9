/** The built command line as people and agents run it: a process for each command. */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { call, connect, DIST, environment, newPlace, type Place } from './mcp/support.ts';

const CLI = join(DIST, 'cli.js');
const AGENTS = ['vscode', 'claude', 'codex', 'copilot'];
const ALL_AGENTS = AGENTS.flatMap((agent) => ['--agent', agent]);

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(place: Place, args: readonly string[], input = ''): Ended {
  const options = { env: environment(place), cwd: place.root, input, encoding: 'utf8' as const };
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], options);
  return { status, stdout, stderr };
}

/** The same without waiting for it. */
function start(place: Place, args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, ...args], { env: environment(place), cwd: place.root });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout, stderr })));
}

/** Every file and folder under both, with bytes; what Lodeline keeps of itself in the home is not among them. */
function snapshot({ root, home }: Place): readonly string[] {
  return [root, home].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('.lodeline'))
      .sort()
      .map((name) => join(folder, name))
      .map((file) => (statSync(file).isFile() ? `${file}: ${readFileSync(file, 'latin1')}` : file)),
  );
}

function withConfigurations(): Place {
  const place = newPlace();
  const files = {
    [join(place.home, '.codex', 'config.toml')]: 'model = "m" # mine\n',
    [join(place.home, '.copilot', 'mcp-config.json')]: '{\r\n\t"mcpServers": {}\r\n}',
    [join(place.root, '.mcp.json')]: '{"mcpServers":{"db":{"command":"db"}}}',
    [join(place.root, '.vscode', 'mcp.json')]: '{\n  // none yet\n}\n',
    [join(place.root, 'package.json')]: '{"name": "shop", "dependencies": {"zod": "4"}}',
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
  return place;
}

it('lists every command, and each has help of its own', () => {
  const place = newPlace();
  const { status, stdout } = run(place, ['help']);
  expect(status).toBe(0);
  const commands = ['init', 'uninstall', 'status', 'stats', 'mcp', 'hook', 'bench'];
  for (const command of commands) {
    expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    const help = run(place, [command, '--help']);
    expect(help).toMatchObject({ status: 0, stderr: '' });
    expect(help.stdout).toContain(`Usage: lodeline ${command}`);
  }
  expect(run(place, ['--help']).stdout).toBe(stdout);
});

it.each([
  [['nothing'], /no command "nothing"/],
  [['init', '--agent', 'emacs'], /"emacs" is none of vscode, claude, codex, copilot/],
  [['init', '--agent'], /--agent/],
  [['init', '--wrong'], /--wrong/],
  [['init', 'more'], /more/],
  [['init', '--root', 'gone'], /no folder/],
  [['uninstall', '--agent', ''], /is none of/],
  [['status', '--wrong'], /--wrong/],
  [['status', '--classification', 'HIGH'], /is none of/],
  [['stats', '--out', 'x'], /--out/],
])('refuses %j with exit code 2, and does nothing', (args, problem) => {
  const place = newPlace();
  const ended = run(place, args);
  expect(ended).toMatchObject({ status: 2, stdout: '' });
  expect(ended.stderr).toMatch(problem);
  expect(snapshot(place)).toEqual([]);
});

it('sets up every agent, twice, and undoes it to the byte', () => {
  const place = withConfigurations();
  const before = snapshot(place);
  const first = run(place, ['init', ...ALL_AGENTS]);
  expect(first).toMatchObject({ status: 0, stderr: '' });
  for (const file of ['.vscode/mcp.json', '.mcp.json', '.claude/settings.json', '~/.codex/config.toml'])
    expect(first.stdout).toContain(file);
  expect(first.stdout).toContain('2 tags from package.json');
  const once = snapshot(place);
  expect(run(place, ['init', '--agent', AGENTS.join(','), '--json'])).toMatchObject({ status: 0 });
  expect(snapshot(place)).toEqual(once);
  const status = JSON.parse(run(place, ['status', '--json']).stdout);
  expect(new Set(status.setUp.map(({ agent }: { agent: string }) => agent))).toEqual(
    new Set([...AGENTS, 'vocabulary']),
  );
  expect(run(place, ['uninstall'])).toMatchObject({ status: 0, stderr: '' });
  expect(snapshot(place)).toEqual(before);
  expect(run(place, ['uninstall']).stdout).toContain('Nothing of it');
});

it('says which file is broken, leaves it, does the rest, and fails', () => {
  const place = withConfigurations();
  const broken = join(place.root, '.mcp.json');
  writeFileSync(broken, '{"mcpServers": ');
  const ended = run(place, ['init', '--agent', 'claude']);
  expect(ended.status).toBe(1);
  expect(ended.stdout).toMatch(/^failed +\.mcp\.json \(claude\): it is not valid JSON: line 1/m);
  expect(ended.stdout).toMatch(/^created +\.claude\/settings\.json/m);
  expect(ended.stderr).toContain('1 of 3 files was left alone');
  expect(readFileSync(broken, 'utf8')).toBe('{"mcpServers": ');
});

it('works beside others that do the same, and after one that was killed', async () => {
  const place = withConfigurations();
  const before = snapshot(place);
  const lock = join(place.home, '.lodeline', 'init', 'lock');
  mkdirSync(join(lock, '..'), { recursive: true });
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  writeFileSync(lock, String(dead));
  const inits = [...AGENTS, ...AGENTS].map((agent) => start(place, ['init', '--agent', agent]));
  for (const ended of await Promise.all(inits)) expect(ended).toMatchObject({ status: 0, stderr: '' });
  const together = snapshot(place);
  expect(run(place, ['init', ...ALL_AGENTS])).toMatchObject({ status: 0 });
  expect(snapshot(place)).toEqual(together);
  const ends = AGENTS.map((agent) => start(place, ['uninstall', '--agent', agent]));
  for (const ended of await Promise.all(ends)) expect(ended).toMatchObject({ status: 0, stderr: '' });
  expect(run(place, ['uninstall'])).toMatchObject({ status: 0 });
  expect(snapshot(place)).toEqual(before);
});

it.skipIf(process.platform === 'win32')('writes commands that run', () => {
  const place = withConfigurations();
  mkdirSync(join(place.root, '.git'));
  writeFileSync(join(place.root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  expect(run(place, ['init', ...ALL_AGENTS]).status).toBe(0);
  const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const { lodeline } = json(join(place.home, '.copilot', 'mcp-config.json')).mcpServers;
  const hello = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  };
  const options = { cwd: place.root, env: environment(place), encoding: 'utf8' as const };
  const server = spawnSync(lodeline.command, lodeline.args, {
    ...options,
    input: `${JSON.stringify(hello)}\n`,
  });
  expect(server).toMatchObject({ status: 0, stdout: expect.stringContaining('"lodeline"') });

  const event = { hook_event_name: 'SessionStart', session_id: 'chat-1', cwd: place.root };
  for (const [file, command] of [
    ['.codex/hooks.json', (hooks: { hooks: { command: string }[] }[]) => hooks[0]?.hooks[0]?.command],
    ['.claude/settings.json', (hooks: { hooks: { command: string }[] }[]) => hooks[0]?.hooks[0]?.command],
    ['.github/hooks/lodeline.json', (hooks: { command: string }[]) => hooks[0]?.command],
  ] as const) {
    const line = command(json(join(place.root, file)).hooks.SessionStart) ?? '';
    const hook = spawnSync('/bin/sh', ['-c', line], { ...options, input: JSON.stringify(event) });
    expect(hook).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(hook.stdout).hookSpecificOutput).toMatchObject({ hookEventName: 'SessionStart' });
  }
});

it('tells Copilot CLI at the start what it takes for context, and other agents what they take', () => {
  const place = newPlace();
  mkdirSync(join(place.root, '.git'));
  writeFileSync(join(place.root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const event = { hook_event_name: 'SessionStart', session_id: 'chat-1', cwd: realpathSync(place.root) };
  const answer = (more: object, ...args: readonly string[]) =>
    Object.keys(JSON.parse(run(place, ['hook', ...args], JSON.stringify({ ...event, ...more })).stdout));
  expect(answer({ timestamp: '2026-01-01T00:00:00Z', source: 'new' })).toEqual([
    'additionalContext',
    'hookSpecificOutput',
  ]);
  expect(answer({ transcript_path: '/home/x/.claude/projects/p/chat-1.jsonl' })).toEqual([
    'hookSpecificOutput',
  ]);
  // Codex refuses what it does not know.
  expect(answer({ transcript_path: null, source: 'startup' }, '--agent', 'codex')).toEqual([
    'hookSpecificOutput',
  ]);
});

it('shows where memory lies, what is in it, who holds what, and the settings in force', async () => {
  const place = newPlace();
  expect(run(place, ['status']).stdout).toContain('nothing remembered yet');
  expect(snapshot(place)).toEqual([]);

  const client = await connect(place);
  await call(client, 'memory_remember', { category: 'decision', key: 'zod', content: 'We use Zod.' });
  writeFileSync(
    join(place.root, '.lodeline', 'config.json'),
    '{"task.simple": "brief", "hindsight.apiToken": "s3cret", "classification.defaultLevel": "PUBLIC"}',
  );
  const event = {
    ...{ hook_event_name: 'PostToolUse', session_id: 'chat-1', cwd: place.root },
    ...{ tool_name: 'Edit', tool_input: { file_path: join(place.root, 'a.ts') } },
  };
  expect(run(place, ['hook', '--agent', 'codex'], JSON.stringify(event)).stderr).toBe('');
  const { status, stdout } = run(place, ['status']);
  expect(status).toBe(0);
  expect(stdout).toContain(`Store: ${join(realpathSync(place.root), '.lodeline', 'store')}\n`);
  expect(stdout).toContain('Entries: 1');
  expect(stdout).toMatch(/Agents at work: .*codex.*contract-test|Agents at work: .*contract-test.*codex/);
  expect(stdout).toContain('• a.ts');
  expect(stdout).toMatch(/task\.simple: "brief" \(.*config\.json\)/);
  expect(stdout).not.toContain('s3cret');
  const json = JSON.parse(run(place, ['status', '--json']).stdout);
  expect(json).toMatchObject({ entries: 1, settings: expect.any(Array) });
  expect(JSON.stringify(json)).not.toContain('s3cret');
  expect(json.presence.sessions.map(({ agent }: { agent: string }) => agent)).not.toContain('cli');

  expect(run(place, ['stats']).stdout).toContain('Total entries: 1');
  expect(JSON.parse(run(place, ['stats', '--json']).stdout)).toMatchObject({ total: 1 });
});

/** Ids that lead somewhere else, or would, where they became part of a path. */
const HOSTILE = [
  '../../evil',
  '..',
  '.',
  '/tmp/evil',
  '..\\..\\evil',
  'C:\\evil',
  'C:evil',
  '\\\\host\\share',
  'a/../../evil',
  'a\u0000b',
  'a\nb',
  '%2e%2e%2fevil',
  '~/evil',
  'x'.repeat(100_000),
  'NUL',
  'con.txt:stream',
  '\ud800',
];
const ID_FIELDS = [
  'session_id',
  'sessionId',
  'conversation_id',
  'tool_use_id',
  'tool_name',
  'toolName',
  'transcript_path',
  'cwd',
  'timestamp',
  'hook_event_name',
];

it.each(ID_FIELDS)('nothing that a hook is told as %s leads anywhere', (field) => {
  const place = newPlace();
  const root = realpathSync(place.root);
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  mkdirSync(join(place.home, '.lodeline'));
  writeFileSync(join(place.home, '.lodeline', 'config.json'), '{"memory.capture.enabled": true}');
  const base = {
    ...{ hook_event_name: 'PostToolUse', session_id: 'chat-1', cwd: root, tool_use_id: 'call-1' },
    ...{ tool_name: 'Edit', tool_input: { file_path: 'a.ts' }, tool_response: 'r', timestamp: '2026-01-01' },
  };
  const outside = () =>
    [join(root, '..'), '/tmp/evil', join(root, 'evil')]
      .filter((path) => existsSync(path))
      .flatMap((path) => [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' })])
      .filter((name) => !/(^|[\\/])\.(git[\\/]lodeline|lodeline)([\\/]|$)/.test(name))
      .sort();
  const before = outside();
  // What may become part of a path is tried with everything, the rest with some of it.
  const isId = /^(?:session|conv|transcript|cwd)/.test(field);
  for (const [index, value] of HOSTILE.entries()) {
    if (!isId && index % 4 !== 0) continue;
    const event = {
      ...base,
      ...(/^(session|conv)/.test(field) ? { session_id: undefined } : {}),
      [field]: value,
    };
    const { status, stdout } = run(place, ['hook'], JSON.stringify(event));
    expect({ index, status, stdout }).toEqual({ index, status: 0, stdout: '' });
  }
  expect(outside()).toEqual(before);
  // What it wrote has names of its own making.
  const store = join(root, '.git', 'lodeline');
  if (existsSync(store))
    for (const name of readdirSync(store, { recursive: true, encoding: 'utf8' }))
      expect(name).not.toMatch(/evil|host|NUL|con\.txt|xxxxx|\.\.|[^ -~]/);
});

it('does not write where it must not', () => {
  const place = withConfigurations();
  chmodSync(join(place.root, '.mcp.json'), 0o444);
  const ended = run(place, ['init', '--agent', 'claude']);
  expect(ended.status).toBe(1);
  expect(ended.stdout).toContain('read-only');
});
