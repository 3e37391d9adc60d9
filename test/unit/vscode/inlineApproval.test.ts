import { beforeEach, describe, expect, it, vi } from 'vitest';

const editor = vi.hoisted(() => ({
  tools: [] as { name: string }[],
  asksNothing: false,
  asked: [] as { name: string; input: Record<string, unknown> }[],
  answer: (): string => 'yes',
  dialogs: 0,
}));

vi.mock('vscode', () => {
  class LanguageModelTextPart {
    readonly value: string;
    constructor(value: string) {
      this.value = value;
    }
  }
  return {
    LanguageModelTextPart,
    l10n: { t: (text: string) => text },
    workspace: { getConfiguration: () => ({ get: () => editor.asksNothing }) },
    window: {
      showWarningMessage: async () => {
        editor.dialogs += 1;
        return 'Continue';
      },
    },
    lm: {
      get tools() {
        return editor.tools;
      },
      invokeTool: async (name: string, { input }: { input: Record<string, unknown> }) => {
        editor.asked.push({ name, input });
        return { content: [new LanguageModelTextPart(editor.answer())] };
      },
    },
  };
});

const { approvesInline } = await import('../../../src/vscode/inlineApproval.ts');

const QUESTION = { title: 'Run this?', detail: 'echo ```hi``` # <b>' };
const TOKEN = {} as never;

describe('a question while a tool runs', () => {
  beforeEach(() => {
    editor.tools = [{ name: 'vscode_get_confirmation' }, { name: 'vscode_get_confirmation_with_options' }];
    editor.asksNothing = false;
    editor.asked = [];
    editor.answer = () => 'Allow';
    editor.dialogs = 0;
  });

  it('is a card without a way to allow what has not been asked yet', async () => {
    expect(await approvesInline(QUESTION, TOKEN)).toBe('approved');
    expect(editor.asked).toEqual([
      {
        name: 'vscode_get_confirmation_with_options',
        input: { title: 'Run this?', message: '```` echo ```hi``` # <b> ````', buttons: ['Allow', 'Skip'] },
      },
    ]);
  });

  it.each([
    ['a\nb', '` a `  \n` b `'],
    ['a\r\nb\rc', '` a `  \n` b `  \n` c `'],
    ['run\n\nIn /tmp', '` run `  \n  \n` In /tmp `'],
    ['# heading\n- [link](command:x)', '` # heading `  \n` - [link](command:x) `'],
    ['``` \n`', '```` ```  ````  \n`` ` ``'],
  ])('quotes %j as code that wraps and is nothing else', async (detail, message) => {
    await approvesInline({ ...QUESTION, detail }, TOKEN);
    expect(editor.asked[0]?.input.message).toBe(message);
  });

  it('is answered with no by skipping, by closing, and by anything else', async () => {
    for (const said of ['Skip', '', 'no', 'Allowed']) {
      editor.answer = () => said;
      expect(await approvesInline(QUESTION, TOKEN)).toBe('declined');
    }
    editor.answer = () => {
      throw new Error('Cancelled');
    };
    expect(await approvesInline(QUESTION, TOKEN)).toBe('declined');
  });

  it('is left to the editor where the person told it to ask nothing', async () => {
    editor.asksNothing = true;
    editor.answer = () => 'yes';
    expect(await approvesInline(QUESTION, TOKEN)).toBe('approved');
    expect(editor.asked[0]?.name).toBe('vscode_get_confirmation');
    expect(editor.asked[0]?.input).not.toHaveProperty('buttons');
  });

  it('is a dialog outside of a chat, and in an editor without such a card', async () => {
    expect(await approvesInline(QUESTION, undefined)).toBe('approved');
    editor.tools = [];
    expect(await approvesInline(QUESTION, TOKEN)).toBe('approved');
    expect(editor.dialogs).toBe(2);
    expect(editor.asked).toEqual([]);
  });
});
