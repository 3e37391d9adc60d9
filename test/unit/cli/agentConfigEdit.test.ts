import { describe, expect, it } from 'vitest';
import {
  type Applied,
  addToJson,
  type ConfigEntry,
  isEmptyJson,
  removeFromJson,
} from '../../../src/cli/agentConfigEdit.ts';
import { jsonValue, parseJson } from '../../../src/cli/agentConfigJson.ts';

const SERVER: ConfigEntry = { path: ['mcpServers', 'lodeline'], value: { command: 'x', args: ['a'] } };
const HOOK: ConfigEntry = { path: ['hooks', 'Stop'], inList: true, value: { hooks: [{ command: 'h' }] } };
const BOTH = [SERVER, HOOK];

/** The text as it was before, by taking the insertions out again. */
function undone({ text, insertions }: Applied): string {
  return [...insertions]
    .reverse()
    .reduce((left, { at, text: more }) => left.slice(0, at) + left.slice(at + more.length), text);
}

/** Every style of file that agents' configurations are found in. */
const TEXTS = {
  nothing: '',
  'white space': ' \n\n',
  'a byte order mark alone': '\uFEFF',
  'an empty object': '{}',
  'an empty object on lines': '{\n}\n',
  'an empty object with a comment': '{\n  // servers come here\n}\n',
  'a comment without a line behind it': '{ /* none */ }',
  'empty containers': '{\n  "mcpServers": {},\n  "hooks": { "Stop": [] }\n}\n',
  'others on lines':
    '{\n  "mcpServers": {\n    "other": { "command": "o" }\n  },\n  "hooks": {\n    "Stop": [\n      { "hooks": [] }\n    ]\n  }\n}\n',
  'one line': '{"mcpServers":{"other":{"command":"o"}},"hooks":{"Stop":[1,2]}}',
  'one line with spaces': '{ "mcpServers": { "other": {} }, "z": 1 }\n',
  tabs: '{\n\t"mcpServers": {\n\t\t"other": {}\n\t}\n}',
  'four spaces': '{\n    "mcpServers": {\n        "other": {}\n    }\n}\n',
  CRLF: '{\r\n  "mcpServers": {\r\n    "other": {}\r\n  }\r\n}\r\n',
  'a byte order mark': '\uFEFF{\n  "a": 1\n}\n',
  'trailing commas': '{\n  "mcpServers": {\n    "other": {},\n  },\n  "hooks": {"Stop": [1,],},\n}\n',
  'comments everywhere':
    '// top\n{\n  /* a */ "mcpServers": { // b\n    "other": {} // c\n    // d\n  }, // e\n  "z": [1] // f\n} // g\n',
  'a line comment at the end of one line': '{ "z": 1 // last\n}',
  'brackets on the lines of values': '{"mcpServers": {\n"other": {}}\n}',
  'hard texts': '{ "a \\" , } //": "\\u0041 /* \\\\", "나": "😀\\ud83d" }',
};

describe.each(Object.entries(TEXTS))('a file with %s', (_, text) => {
  it('gets what it is to hold, once, and is as before when that is taken out', () => {
    const applied = addToJson(text, BOTH);
    const value = jsonValue(parseJson(applied.text)) as Record<string, Record<string, unknown>>;
    expect(value.mcpServers?.lodeline).toEqual(SERVER.value);
    expect(value.hooks?.Stop).toContainEqual(HOOK.value);
    expect(applied.added).toEqual(BOTH);
    expect(undone(applied)).toBe(text);
    expect(addToJson(applied.text, BOTH)).toMatchObject({ text: applied.text, added: [], occupied: [] });
  });

  it('keeps everything else, in its place and order', () => {
    const before = text.trim() === '' ? {} : jsonValue(parseJson(text.trim() === '\uFEFF' ? '{}' : text));
    const without = removeFromJson(addToJson(text, BOTH).text, addToJson(text, BOTH));
    expect(JSON.stringify(isEmptyJson(without) ? {} : jsonValue(parseJson(without)))).toBe(
      JSON.stringify(before),
    );
    for (const comment of text.match(/\/\/ \w+|\/\* \w+ \*\//g) ?? []) expect(without).toContain(comment);
  });

  it('loses only what was put in when others have written since', () => {
    const applied = addToJson(text, BOTH);
    const theirs: ConfigEntry[] = [
      { path: ['mcpServers', 'newer'], value: { command: 'n' } },
      { path: ['hooks', 'Stop'], inList: true, value: 'theirs' },
      { path: ['later'], value: true },
    ];
    const value = jsonValue(parseJson(removeFromJson(addToJson(applied.text, theirs).text, applied)));
    expect(value).toMatchObject({ mcpServers: { newer: { command: 'n' } }, later: true });
    expect(value).not.toHaveProperty('mcpServers.lodeline');
    expect((value as typeof TEXTS & { hooks: { Stop: unknown[] } }).hooks.Stop).not.toContainEqual(
      HOOK.value,
    );
    expect((value as { hooks: { Stop: unknown[] } }).hooks.Stop).toContain('theirs');
  });
});

it('writes in the style of the file', () => {
  const lines = (text: string) => addToJson(text, [SERVER]).text;
  expect(lines('')).toBe(`${JSON.stringify({ mcpServers: { lodeline: SERVER.value } }, null, 2)}\n`);
  expect(lines('{\r\n\t"a": {}\r\n}')).toBe(
    '{\r\n\t"a": {},\r\n\t"mcpServers": {\r\n\t\t"lodeline": {\r\n\t\t\t"command": "x",\r\n\t\t\t"args": [\r\n\t\t\t\t"a"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}',
  );
  expect(lines('{"mcpServers":{"o":1}}')).toBe(
    '{"mcpServers":{"o":1, "lodeline": {"command":"x","args":["a"]}}}',
  );
});

it('leaves what stands at the place already', () => {
  const text = '{"mcpServers":{"lodeline":{"command":"mine"}}}';
  expect(addToJson(text, [SERVER])).toMatchObject({ text, added: [], occupied: [SERVER] });
});

it.each([
  ['{"mcpServers":[]}', /"mcpServers" is no object/],
  ['{"mcpServers":null}', /"mcpServers" is no object/],
  ['{"hooks":{"Stop":{}}}', /"hooks.Stop" is no list/],
  ['[]', /what it holds is no object/],
  ['{"mcpServers":{},"mcpServers":{}}', /more than once/],
  ['{', /line 1: a name/],
  ['{"a":1}\n}', /line 2: there is something behind/],
  ['{"a" 1}', /":" is expected/],
  ['{"a":1 "b":2}', /"," or "}" is expected/],
  ['{"a":}', /a value is expected/],
  ["{'a':1}", /a name in quotes/],
  ['{"a":01}', /expected/],
  ['{"a":"\t"}', /a text holds/],
  ['{"a":"b', /a value is expected/],
  ['{,}', /a name in quotes/],
  ['/* open', /a value is expected/],
  [`{"a":${'['.repeat(5000)}`, /nested too deeply/],
])('does not touch %j', (text, problem) => {
  expect(() => addToJson(text, BOTH)).toThrow(problem);
});

it('takes names from files as they are', () => {
  const value = jsonValue(parseJson('{"__proto__": 1, "constructor": 2, "a": 1, "a": 3}')) as object;
  expect(Object.entries(value)).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
    ['a', 3],
  ]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});
