import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { levelTexts } from '../../../src/vscode/levelItem.ts';
import { savingPrompt } from '../../../src/vscode/savingPrompt.ts';
import { nextStep, type SeenState, seenText } from '../../../src/vscode/seenText.ts';
import { temporaryFolder } from '../support/folder.ts';

vi.mock('vscode', async () => ({ ...(await import('./fakeEditor.ts')), env: { language: 'en' } }));

const NOW = Date.parse('2026-07-12T09:00:00Z');
const HERE = { now: NOW, hooks: false };
const rise: Parameters<typeof levelTexts>[2] & object = {
  at: NOW - 3 * 60_000,
  before: 'PUBLIC',
  actor: 'agent',
  source: 'copilot',
  tool: 'read_file',
  reason: 'read_file: used a file that secrets/** covers',
  rule: 'file:secrets/**',
};

describe('the level in the status bar', () => {
  it('says the level, whose it is, and why', () => {
    expect(levelTexts('CONFIDENTIAL', true, rise, HERE)).toEqual([
      'Lodeline level of this session: CONFIDENTIAL',
      'The chat that called Lodeline last.',
      'Raised from PUBLIC by copilot, 3 minutes ago',
      'Why: read_file used a file that the rule secrets/** covers',
    ]);
  });

  it.each<[Partial<typeof rise>, string[]]>([
    [{ tool: undefined }, ['Why: A file was used that the rule secrets/** covers']],
    [
      { rule: 'tool:mcp_*', tool: 'mcp_drive' },
      ['Why: mcp_drive was used, a tool that the rule mcp_* covers'],
    ],
    [{ rule: 'subagent', tool: 'task' }, ['Why: A subagent at this level handed over to it']],
    [{ rule: 'later', reason: 'its own words' }, ['Why: its own words', 'Rule: later']],
    [{ rule: undefined, reason: undefined }, []],
  ])('says in its own words why it rose, for %j', (change, told) => {
    expect(levelTexts('CONFIDENTIAL', true, { ...rise, ...change }, HERE).slice(3)).toEqual(told);
  });

  it.each([
    [
      false,
      /^Next step: run “Lodeline: Observe Copilot Chats Fully…”, reload this window and start a new chat/,
    ],
    [true, /^Next step: hooks are on by now, so reload this window and start a new chat/],
  ])('says the next step of a chat that is not observed, where hooks are on: %s', (hooks, step) => {
    const told = (source: string) =>
      levelTexts('INTERNAL', true, { ...rise, rule: 'unobserved', source }, { now: NOW, hooks }).slice(3);
    const why = 'Why: Not every file that this chat reads is seen';
    expect(told('copilot')).toEqual([why, expect.stringMatching(step)]);
    // No hook tells of what a chat with @lodeline reads.
    expect(told('lodeline')).toEqual([why]);
  });

  it('names the person who raised it, with a reason where they gave one', () => {
    const person = { ...rise, actor: 'person', rule: 'person' } as const;
    expect(
      levelTexts('INTERNAL', true, { ...person, reason: 'the person raised it' }, HERE).slice(2),
    ).toEqual(['Raised from PUBLIC by you, 3 minutes ago']);
    expect(levelTexts('INTERNAL', true, { ...person, reason: 'plans' }, HERE)).toContain('Why: plans');
  });

  it('says that nothing raised it, that it began so high, or that it cannot be told', () => {
    expect(levelTexts('PUBLIC', false, undefined, HERE)).toEqual([
      'Lodeline level of this session: PUBLIC',
      'No chat has called Lodeline yet.',
      'Nothing has raised it.',
    ]);
    expect(levelTexts('INTERNAL', true, undefined, HERE)).toContain('It started at this level.');
    expect(levelTexts(undefined, true, undefined, HERE).join(' ')).toContain('cannot be told');
  });

  it('shows what agents wrote on one line and as it is', () => {
    const hostile = {
      ...rise,
      source: 'a\nb $(trash)',
      reason: '[x](command:y)\u202e',
      rule: 'file:[z](command:y)\u202e',
    };
    const other = { ...hostile, rule: 'later' };
    const text = [hostile, other].flatMap((each) => levelTexts('INTERNAL', true, each, HERE));
    expect(text.every((line) => !line.includes('\n'))).toBe(true);
    expect(text.join(' ')).not.toMatch(/\$\(trash\)|\]\(command|\u202e/);
  });
});

const STATE: SeenState = {
  ...{ folder: 'app', trusted: true, hooks: 'off', defaultLevel: 'PUBLIC', unobservedLevel: 'INTERNAL' },
  rules: { files: 2, tools: 1 },
};

describe('the page of what is seen', () => {
  it('has every kind of session, with what is seen, what is not, and where it starts', () => {
    const sections = seenText(STATE).split('\n## ').slice(2);
    expect(sections.map((section) => section.split('\n')[0])).toEqual([
      'Chat with @lodeline',
      'Copilot chat with hooks',
      'Copilot chat without hooks (in use here)',
      'Subagent',
      'Spawned session',
      'MCP connection',
      'Command line',
    ]);
    for (const section of sections)
      expect(section).toMatch(/\*\*Seen\*\*: \S.*\n- \*\*Not seen\*\*: \S.*\n- \*\*Starts at\*\*: \S/);
    expect(sections[1]).toContain('**Starts at**: PUBLIC');
    expect(sections[2]).toContain('**Starts at**: INTERNAL');
  });

  it('says how it is here, which changes with hooks', () => {
    expect(seenText(STATE)).toContain(
      '- Hooks: off\n- Default level of this folder: PUBLIC\n- Level of chats',
    );
    const on = seenText({ ...STATE, hooks: 'on' });
    expect(on).toContain('- Hooks: on (Copilot chats in windows that were loaded since are observed)');
    expect(on).toContain('## Copilot chat with hooks (in use here)');
  });

  it.each<[Partial<SeenState>, RegExp]>([
    [{ trusted: false }, /^Trust this folder/],
    [{ hooks: 'off' }, /Observe Copilot Chats.*reload this window/],
    [{ hooks: 'broken' }, /Observe Copilot Chats.*reload this window/],
    [{ hooks: 'foreign' }, /^Look at `\.github/],
    [{ hooks: 'unknown' }, /^Look at `\.github/],
    [{ hooks: 'idle' }, /`chat\.useHooks`.*reload this window/],
    [{ hooks: 'on', rules: { files: 0, tools: 0 } }, /`lodeline\.classification\.files`/],
    [{ hooks: 'on' }, /^None\./],
  ])('names one next step for %j', (state, step) => {
    expect(nextStep({ ...STATE, ...state })).toMatch(step);
  });

  it('shows a folder’s name as it is', () => {
    const page = seenText({ ...STATE, folder: '[x](command:y) <img src=z> `a`\n# b' });
    expect(page).not.toMatch(/[^\\]\]\(|[^\\]<img|\n# b/);
  });
});

describe('what @lodeline is told about saving', () => {
  const settings = (value: string) => ({ get: () => value });
  const folderWith = (text: string) => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'SPINE.md'), text);
    return root;
  };

  it('holds SPINE.md once its level counts', async () => {
    const root = folderWith('Save names.');
    const shown: string[] = [];
    const text = await savingPrompt({ root, settings: settings('save') }, true, async (path) =>
      shown.push(path),
    );
    expect(text).toContain('Save names.');
    expect(shown).toEqual([join(root, 'SPINE.md')]);
    const refused = savingPrompt({ root, settings: settings('save') }, true, async () => {
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
  });

  it('does not read it where the folder is not trusted, or the advice is off', async () => {
    const root = folderWith('Save names.');
    const shows = vi.fn(async () => {});
    expect(await savingPrompt({ root, settings: settings('save') }, false, shows)).not.toContain(
      'Save names.',
    );
    expect(await savingPrompt({ root, settings: settings('off') }, true, shows)).toBe('');
    expect(shows).not.toHaveBeenCalled();
  });
});
