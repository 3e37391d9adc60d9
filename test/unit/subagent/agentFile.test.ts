import { describe, expect, test } from 'vitest';
import { type AgentDefinition, AgentFileError, parseAgentFile } from '../../../src/subagent/agentFile.ts';
import { agentNamed } from '../../../src/subagent/agents.ts';

function file(fields: string, body = 'Do it.'): string {
  return `---\n${fields}\n---\n${body}`;
}

function parse(fields: string): AgentDefinition {
  return parseAgentFile(file(`name: a\ndescription: d\n${fields}`), 'project', 'a.md');
}

describe("an agent's file", () => {
  test('gives the fields of its front matter, and the rest as the prompt', () => {
    const text = file(
      'name: scout\ndescription: Looks.\nblocking: true\ncolor: blue',
      '\nLine 1\n\nLine 2\n',
    );
    expect(parseAgentFile(text, 'user', '/x/scout.md')).toEqual({
      name: 'scout',
      description: 'Looks.',
      tools: undefined,
      spawns: [],
      models: [],
      thinking: undefined,
      output: undefined,
      blocking: true,
      prompt: 'Line 1\n\nLine 2',
      source: 'user',
      file: '/x/scout.md',
    });
  });

  test('lists tools in lower case, with yield, and may spawn anything when it has task', () => {
    const agent = parse('tools: Read, Task');
    expect(agent.tools).toEqual(['read', 'task', 'yield']);
    expect(agent.spawns).toBe('*');
    expect(parse('tools: [Read, yield, READ]').tools).toEqual(['read', 'yield']);
    expect(parse('tools: []').tools).toEqual(['yield']);
    expect(parse('tools: "*"').tools).toBeUndefined();
    expect(parse('tools:').tools).toBeUndefined();
  });

  test('knows the names that other agents have for the same tools', () => {
    expect(parse('tools: Grep, Glob, LS, Bash, WebFetch').tools).toEqual([
      'search',
      'find',
      'list',
      'run',
      'fetch',
      'yield',
    ]);
  });

  test.each([
    ['spawns: "*"', '*'],
    ['spawns: [explore, "*"]', '*'],
    ['spawns: explore, plan', ['explore', 'plan']],
    ['spawns: [explore]', ['explore']],
    ['spawns: []', []],
    ['tools: read', []],
    ['tools: task\nspawns: []', []],
  ])('may spawn by %j', (fields, spawns) => {
    expect(parse(fields).spawns).toEqual(spawns);
  });

  test('that lists tools and spawns can call task', () => {
    expect(parse('tools: read\nspawns: explore').tools).toEqual(['read', 'task', 'yield']);
  });

  test('lists models as an array or with commas', () => {
    expect(parse('model: fast, slow').models).toEqual(['fast', 'slow']);
    expect(parse('model: [fast]').models).toEqual(['fast']);
  });

  test.each(['thinking', 'thinkingLevel', 'thinking-level'])('says how much to think in %s', (field) => {
    expect(parse(`${field}: high`).thinking).toBe('high');
  });

  test('holds an output schema as a value', () => {
    expect(parse('output:\n  properties:\n    ref: { type: string }').output).toEqual({
      properties: { ref: { type: 'string' } },
    });
  });

  test('may begin with a byte order mark, have CRLF, and write its name in decomposed form', () => {
    const text = `\uFEFF${file(`name: ${'탐색'.normalize('NFD')}\ndescription: d`).replaceAll('\n', '\r\n')}`;
    const agent = parseAgentFile(text, 'user');
    expect(agent.name).toBe('탐색'.normalize('NFC'));
    expect(agentNamed([agent], '탐색'.normalize('NFD'))).toBe(agent);
    expect(agentNamed([agent], '탐')).toBeUndefined();
  });

  test.each([
    ['no front matter', 'just text', /no front matter/],
    ['front matter that never ends', '---\nname: a\ndescription: d\n', /no front matter/],
    ['no name', file('description: d'), /no name/],
    ['no description', file('name: a'), /no description/],
    ['a blank description', file('name: a\ndescription: " "'), /description must be/],
    ['a name that is a number', file('name: 7\ndescription: d'), /name must be a text/],
    ['a name with a comma', file('name: "a,b"\ndescription: d'), /name must be/],
    ['a name of two lines', file('name: "a\\nb"\ndescription: d'), /name must be/],
    ['a name with a tag', file('name: "a<b>"\ndescription: d'), /name must be/],
    ['broken YAML', file('name: [a\ndescription: d'), /not valid YAML/],
    ['a list as front matter', file('- a\n- b'), /must be fields/],
    ['tools that are no names', file('name: a\ndescription: d\ntools: { read: true }'), /tools must be/],
    ['tools with a number', file('name: a\ndescription: d\ntools: [1]'), /tools must be/],
    ['an unknown level of thinking', file('name: a\ndescription: d\nthinking: med'), /medium/],
    ['a blocking that is a text', file('name: a\ndescription: d\nblocking: "yes"'), /blocking must be/],
    ['aliases that multiply', file(`name: a\ndescription: d\nx: ${aliasBomb()}`), /not valid YAML/],
    ['nesting without end', file(`name: a\ndescription: ${'['.repeat(60_000)}`), /not valid YAML/],
    ['a front matter without measure', file(`name: a\ndescription: ${'x'.repeat(70_000)}`), /longer/],
  ])('with %s is refused with a reason', (_, text, problem) => {
    expect(() => parseAgentFile(text, 'project')).toThrow(AgentFileError);
    expect(() => parseAgentFile(text, 'project')).toThrow(problem);
  });

  test('finds no fields on prototypes', () => {
    expect(() => parseAgentFile(file('__proto__: { name: a, description: d }'), 'project')).toThrow(
      /no name/,
    );
  });
});

function aliasBomb(): string {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const inside = level === 0 ? 'lol' : `*l${level - 1}`;
    return `&l${level} [${Array.from({ length: 9 }, () => inside).join(', ')}]`;
  });
  return `[${levels.join(', ')}]`;
}
