/** Subagents of an agent over MCP, with a chat model behind an OpenAI-compatible endpoint. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { type Asked, delta, events, serve, stream } from '../endpointServer.ts';
import { call, connect, newPlace, type Place } from './support.ts';

/** What the model calls at each step, by the assignment of its task; after that it hands over. */
type Steps = Readonly<Record<string, readonly [tool: string, input: object][]>>;

/** A model that does its steps one by one and hands over its assignment. */
async function model(steps: Steps) {
  return await serve((response, { body }) => {
    const assignment = body.messages.find(({ role }) => role === 'user')?.content?.trim() ?? '';
    const step = body.messages.filter(({ role }) => role === 'assistant').length;
    const [name, input] = steps[assignment]?.[step] ?? ['yield', { result: { data: `${assignment} done` } }];
    const used = { index: 0, id: `call-${step}`, function: { name, arguments: JSON.stringify(input) } };
    stream(response, events(delta({ tool_calls: [used] }), delta({}, 'tool_calls')));
  });
}

function repository({ root }: Place): (...args: string[]) => string {
  const author = ['-c', 'user.name=T', '-c', 'user.email=t@localhost', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]) =>
    execFileSync('git', [...author, ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(root, 'a.txt'), 'one\ntwo\nthree\n');
  git('add', '.');
  git('commit', '-q', '-m', 'Start');
  return git;
}

const named = (...names: string[]) => names.map((id) => ({ id, description: '', assignment: id }));
const env = (url: string) => ({
  LODELINE_MODEL_URL: url,
  LODELINE_MODEL: 'test-1',
  LODELINE_MODEL_KEY: 'sk-secret',
});
const edit = (old: string, text: string): [string, object] => ['edit', { path: 'a.txt', old, new: text }];

test('three agents work apart, two of them conflict, and the one that cannot land is kept', async () => {
  const place = newPlace();
  const git = repository(place);
  const { url, asked } = await model({
    First: [edit('one', 'ONE')],
    Second: [edit('one', 'uno')],
    Third: [['write', { path: 'new.txt', content: 'new\n' }]],
  });
  const client = await connect(place, [], {}, env(url));
  const { text, isError } = await call(client, 'task', {
    agent: 'task',
    tasks: named('First', 'Second', 'Third'),
    isolated: true,
  });
  expect(isError).toBe(false);
  expect(text).toContain('0-First: applied, 1 file changed');
  expect(text).toMatch(/1-Second: did not land: [\s\S]*refs\/lodeline\/recovery\/1-Second/);
  expect(text).toContain('2-Third: applied');
  expect(readFileSync(join(place.root, 'a.txt'), 'utf8')).toBe('ONE\ntwo\nthree\n');
  const recovery = /refs\/lodeline\/recovery\/[\w.-]+/.exec(text)?.[0] ?? '';
  expect(git('show', `${recovery}:a.txt`)).toBe('uno\ntwo\nthree\n');
  expect(git('status', '--porcelain')).toBe(' M a.txt\n?? new.txt\n');
  expect((await call(client, 'job', { action: 'list' })).text).toContain('0-First (task): completed');
  expect(asked[0]?.headers.authorization).toBe('Bearer sk-secret');
}, 60_000);

test('a command needs the person: asked where the client can, refused where it cannot, without the key', async () => {
  const place = newPlace();
  const steps = {
    Run: [['run', { command: 'echo "key=[$LODELINE_MODEL_KEY] $HOME"' }]],
  } as const satisfies Steps;
  const results = (asked: readonly Asked[]) => JSON.stringify(asked.at(-1)?.body.messages.at(-1));
  const input = { agent: 'task', tasks: named('Run') };

  const silent = await model(steps);
  await call(await connect(place, [], {}, env(silent.url)), 'task', input);
  expect(results(silent.asked)).toMatch(/task\.run\.mode|cannot be asked|nobody/i);

  const asking = await model(steps);
  const client = await connect(place, [], { elicitation: {} }, env(asking.url));
  const questions: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { approve: true } };
  });
  await call(client, 'task', input);
  expect(questions.join('\n')).toContain('echo "key=[$LODELINE_MODEL_KEY] $HOME"');
  expect(results(asking.asked)).toContain('key=[] ');
}, 60_000);

test('without a model every task says how to get one, and nothing is left running', async () => {
  const place = newPlace();
  const client = await connect(place);
  const { text } = await call(client, 'task', { agent: 'task', tasks: named('A') });
  for (const name of ['LODELINE_MODEL_URL', 'LODELINE_MODEL', 'LODELINE_MODEL_KEY'])
    expect(text).toContain(name);
  expect((await call(client, 'job', { action: 'wait' })).text).toContain('All jobs have ended.');
}, 60_000);

test('a server that is killed leaves its tasks as interrupted', async () => {
  const place = newPlace();
  const { url, asked } = await serve(() => {});
  const client = await connect(place, ['--session', 'work'], {}, env(url));
  void call(client, 'task', { agent: 'task', tasks: named('Lost') }).catch(() => {});
  await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(1);
  const { pid } = client.transport as unknown as { pid: number };
  process.kill(pid, 'SIGKILL');
  const again = await connect(place, ['--session', 'work'], {}, env(url));
  await expect
    .poll(async () => (await call(again, 'job', { action: 'list' })).text, { timeout: 20_000 })
    .toContain('0-Lost (task): interrupted');
}, 60_000);

/** A model whose answer waits until it is let go. */
async function held() {
  const waiting: (() => void)[] = [];
  const { url } = await serve((response) => {
    const input = JSON.stringify({ result: { data: 'done' } });
    const used = { index: 0, id: 'call', function: { name: 'yield', arguments: input } };
    const answer = events(delta({ tool_calls: [used] }), delta({}, 'tool_calls'));
    waiting.push(() => stream(response, answer));
  });
  return { url, go: () => waiting.splice(0).forEach((each) => void each()), waiting };
}

test.each(['task', 'job'])(
  '%s that takes long tells whoever asked for it, and only until its answer',
  async (name) => {
    const place = newPlace();
    const { url, go, waiting } = await held();
    const background = name === 'job';
    if (background) {
      mkdirSync(join(place.home, '.lodeline'), { recursive: true });
      writeFileSync(join(place.home, '.lodeline', 'config.json'), JSON.stringify({ 'async.enabled': true }));
    }
    const client = await connect(place, [], {}, env(url));
    const faults: Error[] = [];
    client.onerror = (error) => faults.push(error);
    if (background) await call(client, 'task', { agent: 'task', tasks: named('A') });
    const inputs: Record<string, object> = {
      task: { agent: 'task', tasks: named('A') },
      job: { action: 'wait' },
    };
    const told: number[] = [];
    const answer = client.callTool({ name, arguments: { ...inputs[name] } }, undefined, {
      onprogress: ({ progress }) => {
        told.push(progress);
      },
    });
    await expect.poll(() => told.length, { timeout: 40_000 }).toBeGreaterThan(0);
    go();
    expect((await answer).isError ?? false).toBe(false);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(new Set(told).size).toBe(told.length);
    // A notification after the answer is one that the client does not know.
    await call(client, 'job', { action: 'list' });
    expect(faults).toEqual([]);
    expect(waiting).toEqual([]);
  },
  90_000,
);
