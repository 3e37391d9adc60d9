import { expect, test } from 'vitest';
import { newPlace, RawServer } from './support.ts';

const entry = (key: string, content: string) => ({ category: 'knowledge', key, content });

test('every line on standard output is a JSON-RPC message', async () => {
  const server = new RawServer(newPlace());
  await server.initialize();
  await server.request('tools/list', {});
  await server.call(
    'memory_remember',
    entry('line\u2028breaks', 'one\ntwo\r\nthree\u2028four \u001B[31mred'),
  );
  await server.call('memory_recall', { query: 'two', explain: true });
  await server.call('nope', {});
  await server.request('no/such/method', {});
  server.process.stdin.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
  const messages = server.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const message of messages) expect(message).toMatchObject({ jsonrpc: '2.0' });
  // News of resources may come in between.
  expect(messages.filter(({ id }) => id !== undefined)).toHaveLength(6);
});

test('what is asked before standard input ends is answered before the server ends', async () => {
  const server = new RawServer(newPlace());
  server.initialize();
  server.call('memory_remember', entry('last-words', 'Said and gone.'));
  server.process.stdin.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(server.lines.at(-1)).toContain('last-words');
});

test('SIGTERM ends it cleanly', async () => {
  const server = new RawServer(newPlace());
  await server.initialize();
  await server.call('memory_remember', entry('a', 'b'));
  server.process.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(server.stderr).toBe('');
});

test('a message of 10 MB is answered, and so is the next one', async () => {
  const server = new RawServer(newPlace());
  await server.initialize();
  expect(await server.call('memory_remember', entry('huge', 'x'.repeat(10 * 1024 * 1024)))).toMatch(
    /content is longer/,
  );
  expect(await server.call('memory_remember', entry('small', 'fits'))).toContain('small');
});

test('lines that are no messages do not disturb the others', async () => {
  const server = new RawServer(newPlace());
  await server.initialize();
  server.write('garbage\n\n{"jsonrpc":"2.0"}\n[]\nnull\n{"jsonrpc":"2.0","id":[],"method":"tools/list"}\n');
  server.write('{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":5}}\n');
  expect(await server.call('memory_remember', entry('after-garbage', 'still here'))).toContain(
    'after-garbage',
  );
});

test('lone surrogates, NUL and any other text come back', async () => {
  const server = new RawServer(newPlace());
  await server.initialize();
  expect(
    await server.call(
      'memory_remember',
      entry('odd-text', 'half \ud83d of a smile, NUL \u0000, 한글 and 😀'),
    ),
  ).toContain('odd-text');
  const text = await server.call('memory_recall', { query: 'smile' });
  expect(text).toMatch(/half .+ of a smile/);
  expect(text).toContain('한글 and 😀');
});

test('what was acknowledged outlives kill -9', async () => {
  const place = newPlace();
  for (let round = 0; round < 5; round++) {
    const server = new RawServer(place);
    await server.initialize();
    await server.call('memory_remember', entry(`round-${round}`, `Written in round ${round}.`));
    server.process.kill('SIGKILL');
    await server.ended;
  }
  const server = new RawServer(place);
  await server.initialize();
  const text = await server.call('memory_recall', { query: '', limit: 20 });
  for (let round = 0; round < 5; round++) expect(text.split(`Written in round ${round}.`)).toHaveLength(2);
});
