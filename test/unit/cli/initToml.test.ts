import { describe, expect, it } from 'vitest';
import { addToToml, removeFromToml } from '../../../src/cli/agentConfigToml.ts';
import { parseToml } from '../../../src/cli/initToml.ts';

const plain = (text: string): unknown => JSON.parse(JSON.stringify(parseToml(text)));

it.each([
  ['', {}],
  ['\uFEFF# only a comment', {}],
  [
    'a = 1\r\n"b c" = true\n\'d\' = 1979-05-27 07:32:00Z\n',
    { a: '1', 'b c': true, d: '1979-05-27 07:32:00Z' },
  ],
  ['a.b."c.d" = "x\\u0041\\t\\"" # c', { a: { b: { 'c.d': 'xA\t"' } } }],
  [
    "a = 'C:\\x'\nb = '''\nl''1\nl2'''\nc = \"\"\"\nx \\\n   y \"\"z\"\"\"\"",
    { a: 'C:\\x', b: "l''1\nl2", c: 'x y ""z"' },
  ],
  [
    'a = [1, [2.5, "]"], # c\n  { x = 1, y.z = [] },\n]\n',
    { a: ['1', ['2.5', ']'], { x: '1', y: { z: [] } }] },
  ],
  [
    '[a.b]\nx = 1\n[a]\ny = 2\n[[a.l]]\nn = 1\n[[a.l]]\n[a.l.sub]\nn = inf',
    { a: { b: { x: '1' }, y: '2', l: [{ n: '1' }, { sub: { n: 'inf' } }] } },
  ],
  ['[ a . "b" ]\nx = -0x1'.replace('-0x1', '0x1F'), { a: { b: { x: '0x1F' } } }],
  ['__proto__ = 1\nconstructor = 2', { ['__proto__']: '1', constructor: '2' }],
  ['a = {}\nb = 1_000\nc = 1e-3', { a: {}, b: '1_000', c: '1e-3' }],
])('reads %j', (text, value) => {
  expect(JSON.stringify(plain(text))).toBe(JSON.stringify(value));
});

it.each([
  'a',
  'a =',
  'a = 1 b = 2',
  'a = 1\na = 2',
  '[a]\n[a]',
  'a = 1\n[a]',
  'a = {}\n[a.b]',
  'a = { b.c = 1 }\n[a.b.d]',
  'a = []\n[[a]]',
  '[[a]]\n[a]\n[a]',
  'a = [1 2]',
  'a = [1',
  'a = "x',
  'a = "\\q"',
  'a = """x',
  'a = 01',
  'a = 1__0',
  'a = tru',
  'a = { b = 1',
  'a = { b = 1, b = 2 }',
  '[a',
  '[a] x',
  '= 1',
  'a = "\\UFFFFFFFF"',
  `a = ${'['.repeat(3000)}`,
  '{"mcp_servers": {}}',
])('knows %j for broken', (text) => {
  expect(() => parseToml(text)).toThrow(/^line \d+: /);
});

describe('a server in a configuration', () => {
  const ENTRY = { path: ['mcp_servers', 'lodeline'], value: { command: 'C:\\x "y"', args: [] } };

  it.each([
    '',
    '\uFEFF',
    '\n\n',
    'model = "x"',
    'model = "x"\n',
    'model = "x"\r\n\r\n[projects."/p"]\r\ntrust_level = "trusted"\r\n',
    '# c\n[mcp_servers.other] # d\ncommand = "o"\n\n# e\n',
    'mcp_servers.other.command = "o"\n',
    '[mcp_servers]\n[mcp_servers.other]\nargs = [\n  "a", # f\n]',
    'text = """\n[mcp_servers.lodeline]\n"""\n',
  ])('is added to %j and taken out again', (text) => {
    const applied = addToToml(text, [ENTRY]);
    const [insertion] = applied.insertions;
    expect(applied.text).toBe(text + insertion?.text);
    expect(plain(applied.text)).toMatchObject({ mcp_servers: { lodeline: ENTRY.value } });
    expect(addToToml(applied.text, [ENTRY])).toMatchObject({ text: applied.text, added: [] });
    const end = text.includes('\r') ? '\r\n' : '\n';
    const later = `${applied.text}${end}[later]${end}x = 1${end}`;
    const left = removeFromToml(later, applied);
    expect(plain(left)).toEqual({ ...(plain(text) as object), later: { x: '1' } });
  });

  it.each([
    '[mcp_servers.lodeline]\ncommand = "mine"',
    'mcp_servers.lodeline.command = "mine"',
    'mcp_servers = { lodeline = { url = "u" } }',
  ])('leaves one that is there already: %j', (text) => {
    expect(addToToml(text, [ENTRY])).toMatchObject({ text, added: [], occupied: [ENTRY] });
  });

  it.each(['mcp_servers = {}', 'mcp_servers = 1', '[[mcp_servers]]\nx = 1', 'mcp_servers = { other = {} }'])(
    'does not touch %j, where a table cannot be added',
    (text) => {
      expect(() => addToToml(text, [ENTRY])).toThrow(/"mcp_servers" is no table that can grow/);
    },
  );

  it('stays when somebody has changed it since', () => {
    const applied = addToToml('', [ENTRY]);
    const theirs = applied.text.replace('args = []', 'args = ["--profile", "core"]');
    expect(removeFromToml(theirs, applied)).toBe(theirs);
  });
});
