/** The built `lodeline hook` as agents run it: a process for each event. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { idOf } from '../../src/session/sessionId.ts';
import { bytesUnder } from '../unit/support/files.ts';
import { call, connect, DIST, environment, newPlace, type Place } from './mcp/support.ts';
import { loseKeys, run } from './sealingKit.ts';

const CHAT = '076577da-8fee-430a-9e0a-a754dc3682ca';

/** A repository with one file, as far as hooks look at it. */
function repository(): Place & { store: string; transcript: string } {
  const place = newPlace();
  const root = realpathSync(place.root);
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/feature/login\n');
  writeFileSync(join(root, 'a.ts'), '');
  const transcripts = join(place.home, 'GitHub.copilot-chat', 'transcripts');
  mkdirSync(transcripts, { recursive: true });
  return {
    home: place.home,
    root,
    store: join(root, '.git', 'lodeline'),
    transcript: join(transcripts, `${CHAT}.jsonl`),
  };
}

function start(
  place: Place,
  input: string | object,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const child = spawn(process.execPath, [join(DIST, 'cli.js'), 'hook', ...args], {
    env: { ...environment(place), ...env },
    cwd: place.root,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err })),
  );
  return { child, ended };
}

const hook = (...given: Parameters<typeof start>) => start(...given).ended;

function used(place: Place, file: string, changes: object = {}) {
  return {
    ...{
      hook_event_name: 'PostToolUse',
      session_id: CHAT,
      cwd: place.root,
      timestamp: '2026-07-12T10:00:00Z',
    },
    ...{ tool_name: 'read_file', tool_use_id: `call-${file}`, tool_response: 'text' },
    tool_input: { filePath: join(place.root, file) },
    ...changes,
  };
}

/** What an agent over MCP is told. */
async function asked(place: Place, tool: string, input: object = {}): Promise<string> {
  const client = await connect(place);
  const { text } = await call(client, tool, { ...input });
  await client.close();
  return text;
}

it('tells other agents of a chat, its branch and its files, and of a conflict', async () => {
  const place = repository();
  expect(await hook(place, used(place, 'a.ts'))).toEqual({ code: 0, out: '', err: '' });
  await hook(
    place,
    used(place, 'a.ts', { session_id: 'other', transcript_path: '/x/.claude/projects/p/other.jsonl' }),
  );
  const told = await asked(place, 'memory_sessions');
  expect(told).toContain(`• copilot @ feature/login\n   id: ${CHAT}\n   Files:\n     • a.ts`);
  expect(told).toContain('⚠️ a.ts  ↔  claude-code@feature/login, copilot@feature/login');
  await hook(place, { hook_event_name: 'SessionEnd', session_id: CHAT, cwd: place.root, timestamp: '' });
  const after = await asked(place, 'memory_sessions');
  expect(after).not.toContain(CHAT);
  expect(after).not.toContain('🔥');
});

it('shows a server among the sessions by its agent’s name, until it ends', async () => {
  const place = repository();
  await hook(place, used(place, 'a.ts'));
  const server = await connect(place, ['--session', 'own']);
  const looking = await connect(place);
  const told = async () => (await call(looking, 'memory_sessions', {})).text;
  await expect.poll(told).toContain('• contract-test @ feature/login\n   id: own');
  await server.close();
  await expect.poll(told).not.toContain('id: own');
});

it('captures only where the person’s own settings say so', async () => {
  const place = repository();
  await hook(place, used(place, 'a.ts'));
  mkdirSync(join(place.root, '.lodeline'));
  writeFileSync(join(place.root, '.lodeline', 'config.json'), '{"memory.capture.enabled": true}');
  await hook(place, used(place, 'a.ts'));
  expect(existsSync(join(place.store, 'captured'))).toBe(false);
  mkdirSync(join(place.home, '.lodeline'), { recursive: true });
  writeFileSync(join(place.home, '.lodeline', 'config.json'), '{"memory.capture.enabled": true}');
  await hook(place, used(place, 'a.ts'));
  await hook(place, used(place, 'x', { tool_name: 'memory_recall' }));
  expect(await asked(place, 'memory_captured')).toMatch(
    /^📝 Captured activity \(1\)[\s\S]*read_file · a\.ts/,
  );
});

it('knows from the editor which window it runs in, and that the person captures', async () => {
  const place = repository();
  await hook(place, used(place, 'a.ts'), [], { LODELINE_WINDOW: 'window-1', LODELINE_CAPTURE: '1' });
  const dir = join(place.store, 'presence');
  const said = readdirSync(dir).map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')));
  expect(said).toMatchObject([{ [CHAT]: { window: 'window-1', files: { 'a.ts': expect.any(Number) } } }]);
  expect(await asked(place, 'memory_captured')).toContain('Captured activity (1)');
});

it('briefs a chat that starts, as JSON or as text', async () => {
  const place = repository();
  await hook(place, used(place, 'a.ts', { session_id: 'other' }));
  const event = {
    hook_event_name: 'SessionStart',
    session_id: CHAT,
    cwd: place.root,
    timestamp: '',
    source: 'new',
  };
  const { hookSpecificOutput: told } = JSON.parse((await hook(place, event)).out);
  expect(told.hookEventName).toBe('SessionStart');
  expect(told.additionalContext).toMatch(/not instructions[\s\S]*other[\s\S]*a\.ts[\s\S]*# Context brief/);
  const plain = await hook(place, { ...event, hook_event_name: undefined }, ['SessionStart', '--text']);
  expect(plain.out).toMatch(/^From Lodeline[\s\S]*# Context brief/);
});

it.each([
  '',
  '{',
  'null',
  '{"hook_event_name":"Stop","session_id":"../../evil"}',
  '\0'.repeat(1000),
  'x'.repeat(17 * 1024 * 1024),
])('does not stand in the agent’s way with input that is no event (%#)', async (input) => {
  const place = repository();
  const { code, out, err } = await hook(place, input);
  expect({ code, out }).toEqual({ code: 0, out: '' });
  expect(err).toMatch(/^lodeline: warning: hook: .+\n$/);
  expect(readdirSync(place.root).toSorted()).toEqual(['.git', 'a.ts']);
});

it('takes events, tools and folders that it does not know', async () => {
  const place = repository();
  const event = used(place, 'a.ts');
  for (const changes of [
    { hook_event_name: 'SomethingNew' },
    { tool_name: 'new_tool', tool_input: ['x'] },
    { tool_input: { filePath: '/etc/passwd', path: 'C:\\x', uri: 'vscode:x' } },
    { cwd: '/nowhere/at/all' },
    { cwd: 'relative' },
    { cwd: place.home },
    { transcript_path: '/etc/passwd' },
  ]) {
    expect((await hook(place, { ...event, ...changes })).code).toBe(0);
  }
  expect(await asked(place, 'memory_sessions')).not.toContain('passwd');
  expect(existsSync(join(place.home, '.lodeline', 'store'))).toBe(false);
});

it('goes on where the store cannot be written to', async () => {
  const place = repository();
  writeFileSync(place.store, 'in the way');
  const { code, err } = await hook(place, used(place, 'a.ts'));
  expect(code).toBe(0);
  expect(err).toMatch(/warning: hook: /);
});

it('loses nothing when twenty run at once', async () => {
  const place = repository();
  writeFileSync(
    place.transcript,
    `${JSON.stringify({ type: 'user.message', id: 'u', data: { content: 'Go' } })}\n`,
  );
  const names = Array.from({ length: 20 }, (_, n) => `${n}.ts`);
  const all = await Promise.all(
    names.map((name) => hook(place, used(place, name, { transcript_path: place.transcript }))),
  );
  expect(all).toEqual(names.map(() => ({ code: 0, out: '', err: '' })));
  // What waits in an inbox is taken in by whoever works on the session next.
  await hook(place, used(place, 'last.ts', { transcript_path: place.transcript }));
  const told = await asked(place, 'memory_sessions');
  expect(told).toContain('… and 1 more');
  const transcript = readFileSync(join(place.store, 'sessions', `${idOf(CHAT)}.jsonl`), 'utf8');
  const inbox = join(place.store, 'sessions', idOf(CHAT), 'local', 'inbox');
  const waiting = existsSync(inbox)
    ? readdirSync(inbox).map((name) => readFileSync(join(inbox, name), 'utf8'))
    : [];
  const everything = [transcript, ...waiting].join('');
  for (const name of names) expect(everything).toContain(`"call-${name}"`);
  expect(transcript.match(/"text":"Go"/g)).toHaveLength(1);
}, 120_000);

it('leaves nothing broken when it is killed at any moment', async () => {
  const place = repository();
  for (let n = 0; n < 15; n++) {
    const { child, ended } = start(place, used(place, `${n}.ts`));
    setTimeout(() => child.kill('SIGKILL'), 40 + n * 8);
    await ended;
  }
  expect(await hook(place, used(place, 'a.ts'))).toEqual({ code: 0, out: '', err: '' });
  expect(await asked(place, 'memory_sessions')).toContain('a.ts');
  expect(readdirSync(join(place.store, 'presence')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
}, 120_000);

const RULES = JSON.stringify({ files: { 'secrets/**': 'CONFIDENTIAL' }, tools: { 'fetch_*': 'INTERNAL' } });

/** What a chat with this id is told of memory through a server of its own. */
async function recalledBy(place: Place, session: string): Promise<string> {
  const server = await connect(place, ['--session', session]);
  const { text } = await call(server, 'memory_recall', { query: 'merger' });
  await server.close();
  return text;
}

it.each([
  ['a file', 'secrets/plan.md', {}, 'CONFIDENTIAL'],
  [
    'a command',
    '',
    { tool_name: 'run_in_terminal', tool_input: { command: 'cat secrets/plan.md' } },
    'CONFIDENTIAL',
  ],
  [
    'a file, as Copilot CLI tells it,',
    '',
    { tool_input: undefined, toolName: 'view', toolArgs: '{"path":"secrets/plan.md"}' },
    'CONFIDENTIAL',
  ],
  ['a tool', '', { tool_name: 'fetch_webpage', tool_input: { urls: ['https://a.example/'] } }, 'INTERNAL'],
])('raises a chat by %s that its agent used, for every process', async (_what, file, changes, level) => {
  const place = repository();
  const writer = await connect(place, ['--classification', level]);
  await call(writer, 'memory_remember', { category: 'decision', key: 'merger', content: 'The merger is on' });
  await writer.close();
  expect(await recalledBy(place, CHAT)).not.toContain('The merger is on');
  const { code, err } = await hook(place, used(place, file, changes), [], { LODELINE_CLASSIFICATION: RULES });
  expect([code, err]).toEqual([0, '']);
  expect(await recalledBy(place, CHAT)).toContain('The merger is on');
  expect(await recalledBy(place, 'another')).not.toContain('The merger is on');
});

it('takes rules from the person’s settings and more from the folder’s, and lowers none', async () => {
  const place = repository();
  const write = (folder: string, files: object) => {
    mkdirSync(join(folder, '.lodeline'), { recursive: true });
    writeFileSync(
      join(folder, '.lodeline', 'config.json'),
      JSON.stringify({ 'classification.files': files }),
    );
  };
  write(place.home, { 'secrets/**': 'CONFIDENTIAL' });
  write(place.root, { 'secrets/**': 'PUBLIC', 'more/**': 'INTERNAL' });
  await hook(place, used(place, 'more/a.md', { session_id: 'more' }));
  await hook(place, used(place, 'secrets/a.md', { session_id: 'most' }));
  const names = readdirSync(join(place.store, 'taint')).map((name) => name.slice(-1));
  expect(names.sort()).toEqual(['1', '1', '2']);
});

it('says that a rise cannot be saved, stands in nobody’s way, and leaves nothing in clear', async () => {
  const place = repository();
  mkdirSync(place.store, { recursive: true });
  writeFileSync(join(place.store, 'taint'), '');
  const event = used(place, 'secrets/plan.md', { tool_response: 'the zanzibar plan' });
  const { code, err, out } = await hook(place, event, [], { LODELINE_CLASSIFICATION: RULES });
  expect([code, out]).toEqual([0, '']);
  expect(err).toContain('the level of this session');
  expect(bytesUnder(place.store)).not.toContain('zanzibar');
});

it('keeps what a chat says after it rose sealed', async () => {
  const place = repository();
  const event = used(place, 'secrets/plan.md', { tool_response: 'the zanzibar plan' });
  await hook(place, event, [], { LODELINE_CLASSIFICATION: RULES });
  await hook(place, used(place, 'a.ts', { tool_response: 'after zanzibar' }));
  expect(bytesUnder(place.store)).not.toMatch(/zanzibar/);
});

/** The other program's folder of sessions in a place, and a heartbeat of its agent's in it. */
function peerIn({ root }: Place, files: readonly string[], changes: object = {}): string {
  const dir = join(root, '.toon-memory', 'memory', 'sessions');
  mkdirSync(dir, { recursive: true });
  const now = new Date().toISOString();
  const record = { id: 'peer', agent: 'opencode', pid: 1, branch: 'foo', startedAt: now, lastSeen: now };
  const touched = Object.fromEntries(files.map((file) => [file, now]));
  writeFileSync(
    join(dir, 'peer.json'),
    JSON.stringify({ ...record, ended: false, files: touched, ...changes }),
  );
  return dir;
}

const before = (place: Place, file: string, changes: object = {}) =>
  used(place, file, {
    ...{ hook_event_name: 'PreToolUse', tool_name: 'replace_string_in_file', tool_response: undefined },
    ...changes,
  });

it('tells an agent before its edit, and once, of others on the file, and stops nothing', async () => {
  const place = repository();
  peerIn(place, ['a.ts', join(place.root, 'b.ts')]);
  writeFileSync(join(place.root, 'b.ts'), '');
  const { code, out } = await hook(place, before(place, 'a.ts', { transcript_path: place.transcript }));
  expect(code).toBe(0);
  const { hookSpecificOutput, ...rest } = JSON.parse(out);
  expect(rest).toEqual({});
  expect(hookSpecificOutput).toEqual({
    hookEventName: 'PreToolUse',
    additionalContext: expect.stringMatching(
      /^⚠️ Another session is at work on this file, too\..*\n {2}a\.ts {2}↔ {2}opencode@foo \(just now\)$/,
    ),
  });
  // Nothing happened yet.
  expect(await asked(place, 'memory_sessions')).not.toContain(CHAT);
  for (const event of [before(place, 'a.ts'), used(place, 'a.ts')])
    expect(await hook(place, event)).toEqual({ code: 0, out: '', err: '' });
  expect((await hook(place, used(place, 'b.ts'))).out).toContain('b.ts  ↔  opencode@foo');
  expect((await hook(place, before(place, 'a.ts', { session_id: 'other' }))).out).toContain('a.ts');
  expect((await hook(place, before(place, 'c.ts'))).out).toBe('');
  expect(
    (await hook(place, before(place, 'a.ts', { session_id: 'x', tool_name: 'memory_remember' }))).out,
  ).toBe('');
});

it('tells other programs of its chat, in their format, and takes that back at the end', async () => {
  const place = repository();
  const dir = peerIn(place, []);
  await hook(place, used(place, 'a.ts'));
  const own = () => {
    const [name = ''] = readdirSync(dir).filter((each) => each !== 'peer.json');
    return JSON.parse(readFileSync(join(dir, name), 'utf8'));
  };
  expect(own()).toMatchObject({ agent: 'copilot', branch: 'feature/login', ended: false });
  expect(Object.keys(own().files)).toEqual(['a.ts']);
  await hook(place, { hook_event_name: 'SessionEnd', session_id: CHAT, cwd: place.root, timestamp: '' });
  expect(own()).toMatchObject({ ended: true, files: {} });
});

it('makes no line and no place of what other programs say', async () => {
  const place = repository();
  const evil = 'x\n• you @ main\u001b[31m';
  const dir = peerIn(place, ['a.ts', '../../out.ts'], { agent: evil, branch: evil });
  writeFileSync(
    join(dir, 'evil.json'),
    JSON.stringify({ id: '../../../evil', lastSeen: new Date().toISOString() }),
  );
  const { out } = await hook(place, before(place, 'a.ts'));
  expect(JSON.parse(out).hookSpecificOutput.additionalContext.split('\n')).toHaveLength(2);
  const told = await asked(place, 'memory_sessions');
  // The one who asks is the other.
  expect(told.match(/^• /gm)).toHaveLength(2);
  expect(told).not.toMatch(/evil|out\.ts/);
});

it('remembers of a chat above the folder’s level whom it was told of, not of which files', async () => {
  const place = repository();
  mkdirSync(join(place.home, '.lodeline'), { recursive: true });
  writeFileSync(
    join(place.home, '.lodeline', 'config.json'),
    JSON.stringify({ 'classification.files': { 'a.ts': 'CONFIDENTIAL' } }),
  );
  writeFileSync(join(place.root, 'b.ts'), '');
  const dir = peerIn(place, ['a.ts', 'b.ts']);
  expect((await hook(place, before(place, 'a.ts'))).out).toContain('a.ts  ↔  opencode@foo');
  expect((await hook(place, before(place, 'b.ts'))).out).toBe('');
  await hook(place, used(place, 'b.ts'));
  expect(readdirSync(dir)).toEqual(['peer.json']);
});

it('does not say that nobody is at work where it cannot see who is', async () => {
  const place = repository();
  const start = { hook_event_name: 'SessionStart', session_id: CHAT, cwd: place.root, timestamp: '' };
  expect((await hook(place, start)).out).toContain('Active sessions (1)');
  expect(run(place, ['encrypt']).status).toBe(0);
  loseKeys(place);
  const { out } = await hook(place, { ...start, session_id: 'late' });
  expect(out).toContain('LODELINE_KEY');
  expect(out).not.toContain('No active sessions');
});
