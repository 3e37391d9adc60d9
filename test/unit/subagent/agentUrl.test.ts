import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/journal/record.ts';
import { parseQuery, pathToQuery, QueryError, select } from '../../../src/subagent/agentQuery.ts';
import { readAgentUrl } from '../../../src/subagent/agentUrl.ts';
import { ArtifactError, indexArtifacts } from '../../../src/subagent/artifacts.ts';
import { temporaryFolder } from '../support/folder.ts';

const ANALYSIS = {
  summary: { verdict: 'pass' },
  items: [{ id: 1 }],
  'special-key': { 'a b': 2 },
  '2024': { x: 1 },
};

async function read(url: string, files: Record<string, string> = { analysis: JSON.stringify(ANALYSIS) }) {
  const dir = join(temporaryFolder(), 'artifacts');
  mkdirSync(dir);
  for (const [id, text] of Object.entries(files)) writeFileSync(join(dir, `${id}.md`), text);
  return readAgentUrl(url, await indexArtifacts({ own: dir }));
}

describe('an agent address', () => {
  test('reads an output whole', async () => {
    expect(await read('agent://text', { text: '# Notes\n' })).toEqual({
      id: 'text',
      content: '# Notes\n',
      contentType: 'text/markdown',
      notes: [],
    });
    expect((await read('agent://text/', { text: 'x' })).content).toBe('x');
    expect((await read('agent://text?q=', { text: 'x' })).content).toBe('x');
    expect((await read(' agent://Text ', { '0-Text': 'x' })).id).toBe('0-Text');
  });

  test.each([
    ['agent://analysis/summary/verdict', '"pass"', '.summary.verdict'],
    ['agent://analysis?q=.items[0].id', '1', '.items[0].id'],
    ['agent://analysis?q=%5B%22special-key%22%5D%5B%22a%20b%22%5D', '2', '["special-key"]["a b"]'],
    ['agent://analysis/special-key/a%20b', '2', ".special-key['a b']"],
    ['agent://analysis/2024/x', '1', '[2024].x'],
    ['agent://analysis?q=.nope.deep[3]', 'null', '.nope.deep[3]'],
    ['agent://analysis?q=.items[7]', 'null', '.items[7]'],
    ['agent://analysis?q=.items.length', 'null', '.items.length'],
    ['agent://analysis?q=.summary.verdict.length', 'null', '.summary.verdict.length'],
    ['agent://analysis/items', '[\n  {\n    "id": 1\n  }\n]', '.items'],
  ])('%s takes a part out', async (url, content, query) => {
    expect(await read(url)).toEqual({
      id: 'analysis',
      content,
      contentType: 'application/json',
      notes: [`Extracted: ${query}`],
    });
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'finds no %s on prototypes',
    async (name) => {
      expect((await read(`agent://analysis?q=.${name}`)).content).toBe('null');
      expect((await read(`agent://analysis/items/${name}`)).content).toBe('null');
      const own = { analysis: `{"${name}":{"a":1}}` };
      expect((await read(`agent://analysis/${name}/a`, own)).content).toBe('1');
    },
  );

  test.each<[string, RegExp]>([
    ['agent://analysis/items?q=.id', /both a path and a query/],
    ['agent://missing', /^Not found: missing\nAvailable: analysis$/],
    ['agent://missing/items', /^Not found: missing\n/],
    ['agent://..%2F..%2Fetc%2Fpasswd', /^Not found: "\.\.\/\.\.\/etc\/passwd"/],
    ['agent://', /no agent address/],
    ['agent:analysis', /no agent address/],
    ['file:///etc/passwd', /no agent address/],
    ['agent://analysis?x=1', /only parameter is q/],
    ['agent://analysis?q=.a[', /missing \]/],
    ['agent://analysis?q=.a[]', /empty \[\]/],
    ['agent://analysis?q=.a$b', /unexpected token '\$'/],
  ])('%s fails and says why', async (url, problem) => {
    await expect(read(url)).rejects.toThrow(ArtifactError);
    await expect(read(url)).rejects.toThrow(problem);
  });

  test('takes nothing out of an output that is not JSON', async () => {
    await expect(read('agent://text/value', { text: 'not json' })).rejects.toThrow('is not valid JSON');
    await expect(read('agent://text?q=.a', { text: '' })).rejects.toThrow('is not valid JSON');
  });

  test('leads to nested subagents before it leads into JSON', async () => {
    const files = { '0-P': '{"0-C":"in the JSON","x":1}', '0-P.0-C': '{"y":"child output"}' };
    expect((await read('agent://0-P.0-C', files)).content).toBe(files['0-P.0-C']);
    expect((await read('agent://0-P/0-C', files)).content).toBe(files['0-P.0-C']);
    expect((await read('agent://0-P/0-C/y', files)).content).toBe('"child output"');
    expect((await read('agent://0-P/0-C?q=.y', files)).content).toBe('"child output"');
    expect((await read('agent://0-P/x', files)).content).toBe('1');
  });
});

describe('a query', () => {
  test.each<[string, string[]]>([
    ['', []],
    ['.', []],
    ['a', ['a']],
    ['.a.b', ['a', 'b']],
    ['..a...b', ['a', 'b']],
    ['.a[0].b-c_d', ['a', '0', 'b-c_d']],
    ['[0][1]', ['0', '1']],
    ['[bare key]', ['bare key']],
    ['["a]b"]', ['a]b']],
    ["['it\\'s']", ["it's"]],
    ['["a\\"b\\\\c\\n"]', ['a"b\\c\\n']],
    ['[""]', ['']],
    ['[ "a" ].b', ['a', 'b']],
  ])('%j names the keys %j', (query, keys) => {
    expect(parseQuery(query)).toEqual(keys);
  });

  test.each([
    ['.a[', 'missing ]'],
    ['.a["b"', 'missing ]'],
    ['.a["b]', 'missing ]'],
    ['.a["b"c]', 'missing ]'],
    ['.a[]', 'empty []'],
    ['.a[ ]', 'empty []'],
    ['.a$b', "unexpected token '$'"],
    ['.a]', "unexpected token ']'"],
    ['.가', "unexpected token '가'"],
    ['.😀', "unexpected token '😀'"],
    ['a'.repeat(5_000), 'longer than'],
  ])('%j cannot be read', (query, problem) => {
    expect(() => parseQuery(query)).toThrow(QueryError);
    expect(() => parseQuery(query)).toThrow(problem);
  });

  test.each([
    ['/foo/bar/0', '.foo.bar[0]'],
    ['/a%20b/c/', "['a b'].c"],
    ["/it's", "['it\\'s']"],
    ['/%zz', "['%zz']"],
    ['/a.b', "['a.b']"],
    ['/', ''],
    ['/a\\b', "['a\\\\b']"],
  ])('of the path %s is %s', (path, query) => {
    expect(pathToQuery(path)).toBe(query);
  });

  test('of a path names the keys of the path, whatever they are', () => {
    const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
    const special = fc.string({
      unit: fc.constantFrom("'", '"', '\\', '[', ']', '.', '/', '%', '0', 'a'),
      minLength: 1,
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(key, special), { maxLength: 5 }), (keys) => {
        const path = `/${keys.map(encodeURIComponent).join('/')}`;
        expect(parseQuery(pathToQuery(path))).toEqual(keys);
      }),
    );
  });

  test('finds what a value has itself, or nothing, and never fails', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.string()), (value, more) => {
        const at = value as JsonValue;
        expect(() => select(at, more)).not.toThrow();
        if (typeof at !== 'object' || at === null) return;
        for (const [key, part] of Object.entries(at)) expect(select(at, [key])).toBe(part);
        for (const key of more) if (!Object.hasOwn(at, key)) expect(select(at, [key])).toBeUndefined();
      }),
    );
  });

  test('is read or refused, whatever it is', () => {
    const piece = fc.constantFrom('.', '[', ']', '"', "'", '\\', 'a', '0', ' ', '$', '가');
    fc.assert(
      fc.property(fc.string({ unit: piece }), (query) => {
        try {
          expect(parseQuery(query).every((key) => typeof key === 'string')).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(QueryError);
        }
      }),
    );
  });
});
