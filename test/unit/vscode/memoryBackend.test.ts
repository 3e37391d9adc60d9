/** Where memories are kept: what the person sees before anything leaves the machine, and what then happens. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Apps } from '../../../src/vscode/apps.ts';
import { hindsightToken, setHindsightToken } from '../../../src/vscode/hindsightToken.ts';
import { chooseMemoryBackend } from '../../../src/vscode/memoryBackend.ts';
import { copyMemories, retryMemoryServer } from '../../../src/vscode/memoryBackendCopy.ts';
import type { Person, PersonCall } from '../../../src/vscode/person.ts';

interface Item {
  readonly label: string;
}

/** What the person answers, one after the other, and what they were shown. */
const editor = vi.hoisted(() => ({
  answers: [] as (string | undefined)[],
  shown: [] as string[],
  settings: {} as Record<string, unknown>,
  updates: [] as unknown[],
  commands: [] as unknown[][],
  progress: [] as string[],
  /** Whether the person cancels what is under way. */
  cancels: false,
  cancel: undefined as (() => void) | undefined,
}));

vi.mock('vscode', async () => {
  const say = async (
    text: string,
    first?: { modal?: boolean; detail?: string } | string,
    ...rest: string[]
  ) => {
    const options = typeof first === 'object' ? first : undefined;
    const buttons = typeof first === 'string' ? [first, ...rest] : rest;
    editor.shown.push([text, options?.detail ?? ''].join('\n').trim());
    if (buttons.length === 0) return undefined;
    const wanted = editor.answers.shift();
    return buttons.find((each) => each === wanted);
  };
  return {
    ...(await import('./fakeEditor.ts')),
    ProgressLocation: { Notification: 15 },
    ConfigurationTarget: { Global: 1 },
    commands: { executeCommand: async (...given: unknown[]) => void editor.commands.push(given) },
    workspace: {
      getConfiguration: () => ({
        update: async (key: string, value: unknown, target: number) => {
          editor.updates.push([key, value, target]);
          editor.settings[key] = value;
        },
      }),
    },
    window: {
      showInformationMessage: say,
      showWarningMessage: say,
      showQuickPick: async (items: readonly Item[]) => {
        const wanted = editor.answers.shift();
        return items.find(({ label }) => label === wanted);
      },
      showInputBox: async ({
        validateInput,
        value,
      }: {
        validateInput?: (text: string) => unknown;
        value?: string;
      }) => {
        const given = editor.answers.shift();
        editor.shown.push(`value: ${value ?? ''}`);
        if (given !== undefined && validateInput?.(given) !== undefined)
          throw new Error(`not valid: ${given}`);
        return given;
      },
      withProgress: async (
        _: object,
        run: (report: { report(part: { message: string }): void }, token: object) => Promise<unknown>,
      ) =>
        run(
          { report: ({ message }) => editor.progress.push(message) },
          {
            isCancellationRequested: false,
            onCancellationRequested: (listener: () => void) => {
              editor.cancel = listener;
              return { dispose: () => {} };
            },
          },
        ),
    },
  };
});
vi.mock('../../../src/vscode/ports.ts', () => ({ readSetting: (key: string) => editor.settings[key] }));

beforeEach(() => {
  vi.unstubAllEnvs();
  Object.assign(editor, { answers: [], shown: [], settings: {}, updates: [], commands: [], progress: [] });
});

const URL = 'https://memory.example.com';
const apps = { folder: { uri: 'file:///shop', name: 'shop' }, noteMemory: () => {} } as unknown as Apps;
const leaving = {
  to: 'hindsight',
  total: 12,
  kept: 2,
  maxLevel: 'PUBLIC',
  left: 0,
  copied: 0,
  fresh: 0,
  waiting: 0,
};

/** The tool layer. Which backend is used follows the settings, unless the folder's own keeps it. */
function personOf({ kept, copied, queue }: { kept?: string; copied?: object; queue?: object } = {}) {
  const view = () => {
    const kind = kept ?? editor.settings['memory.backend'] ?? 'local';
    const server = kind === 'hindsight' ? { url: URL, state: 'reachable' } : null;
    return { kind, server, queue: { waiting: 0, refused: 0, ...queue }, banks: [], mentalModels: [] };
  };
  const invoke = vi.fn(async (tool: string, input: Record<string, unknown>, call: PersonCall) => {
    if (tool !== 'backend_copy') return { text: '', data: view() };
    if (input.preview === true) return { text: '', data: leaving };
    call.progress?.(3, 12);
    if (editor.cancels) editor.cancel?.();
    const data = { ...leaving, copied: 12, cancelled: call.signal?.aborted === true, ...copied };
    return { text: '', data };
  });
  const copies = () =>
    invoke.mock.calls.filter(([tool, { preview }]) => tool === 'backend_copy' && preview !== true);
  return { parts: { apps, person: { invoke } as unknown as Person }, invoke, copies };
}

describe('choosing the backend', () => {
  test('shows what would leave the machine before anything does', async () => {
    const { parts, copies } = personOf();
    editor.answers = ['On a Hindsight Server…', ` ${URL} `, undefined];
    await chooseMemoryBackend(parts);
    const preview = editor.shown.at(-1);
    expect(preview).toContain('Use the memory server at memory.example.com?');
    expect(preview).toContain('what agents keep with retain, and what they ask with recall and reflect.');
    expect(preview).toContain('Files, plans and the transcripts of chats stay here.');
    expect(preview).toContain('Only what is at most PUBLIC leaves this machine.');
    expect(preview).toContain('12 of them can be copied there.');
    expect(preview).toContain('2 are above that level and are not copied.');
    expect(preview).toContain('every folder that you open');
    expect(editor.updates).toEqual([]);
    expect(copies()).toEqual([]);
  });

  test('names what chats send where they are kept or looked up by themselves', async () => {
    const { parts } = personOf();
    Object.assign(editor.settings, { 'hindsight.autoRecall': true, 'hindsight.autoRetain': true });
    editor.answers = [URL, undefined];
    await chooseMemoryBackend(parts, 'hindsight');
    expect(editor.shown.at(-1)).toContain('the first prompt of each chat');
    expect(editor.shown.at(-1)).toContain('whole chats with @lodeline');
    expect(editor.shown.at(-1)).not.toContain('transcripts of chats stay here');
  });

  test('uses the server in the person’s own settings, and copies nothing unless told', async () => {
    const { parts, copies } = personOf();
    editor.answers = [URL, 'Use the Server', undefined];
    await chooseMemoryBackend(parts, 'hindsight');
    expect(editor.updates).toEqual([
      ['hindsight.apiUrl', URL, 1],
      ['memory.backend', 'hindsight', 1],
    ]);
    expect(copies()).toEqual([]);
    expect(editor.shown.at(-1)).toBe('What agents keep with retain goes to memory.example.com from now on.');
  });

  test('copies the memories when told, without asking again, and leads to the token', async () => {
    const { parts, copies } = personOf();
    editor.cancels = false;
    editor.answers = [URL, 'Use It and Copy Memories', 'Set the Token…'];
    await chooseMemoryBackend(parts, 'hindsight');
    expect(copies()).toHaveLength(1);
    expect(editor.commands).toEqual([['lodeline.setHindsightToken']]);
  });

  test('leaves the address to the environment where that gives one', async () => {
    vi.stubEnv('HINDSIGHT_API_URL', URL);
    const { parts } = personOf();
    editor.answers = ['Use the Server', undefined];
    await chooseMemoryBackend(parts, 'hindsight');
    expect(editor.updates).toEqual([['memory.backend', 'hindsight', 1]]);
  });

  test('copies nothing where the folder’s own settings keep its memories here, and says so', async () => {
    const { parts, copies } = personOf({ kept: 'off' });
    editor.answers = [URL, 'Use It and Copy Memories'];
    await chooseMemoryBackend(parts, 'hindsight');
    expect(copies()).toEqual([]);
    expect(editor.shown.at(-1)).toContain('keep its memories on this machine');
  });

  test.each(['ftp://memory', 'memory.example.com', ''])('refuses the address "%s"', async (address) => {
    editor.answers = [address];
    await expect(chooseMemoryBackend(personOf().parts, 'hindsight')).rejects.toThrow('not valid');
    expect(editor.updates).toEqual([]);
  });

  test('goes back to the folder, after a question only where something has not arrived', async () => {
    editor.settings['memory.backend'] = 'hindsight';
    editor.answers = ['In This Folder'];
    await chooseMemoryBackend(personOf().parts);
    expect(editor.updates).toEqual([['memory.backend', 'local', 1]]);
    editor.settings['memory.backend'] = 'hindsight';
    editor.answers = ['In This Folder', undefined];
    await chooseMemoryBackend(personOf({ queue: { waiting: 3 } }).parts);
    expect(editor.shown.at(-1)).toContain('3 memories have not arrived at memory.example.com.');
    expect(editor.updates).toHaveLength(1);
    editor.answers = ['Nowhere', 'Turn Off'];
    await chooseMemoryBackend(personOf({ queue: { waiting: 3 } }).parts);
    expect(editor.updates.at(-1)).toEqual(['memory.backend', 'off', 1]);
  });

  test('changes nothing when what is used is chosen again, or nothing is', async () => {
    for (const answer of ['In This Folder', undefined]) {
      editor.answers = [answer];
      await chooseMemoryBackend(personOf().parts);
    }
    expect(editor.updates).toEqual([]);
    expect(editor.shown).toEqual([]);
  });
});

describe('copying memories', () => {
  beforeEach(() => {
    editor.settings['memory.backend'] = 'hindsight';
    editor.cancels = false;
  });

  test('asks first, shows how far it is, and says what stayed', async () => {
    const { parts, copies } = personOf({ copied: { waiting: 4 } });
    editor.answers = ['Copy'];
    await copyMemories(parts, 'hindsight');
    expect(editor.shown[0]).toContain('Copy 12 memories of this folder to memory.example.com?');
    expect(editor.shown[0]).toContain('2 more are above PUBLIC and stay on this machine.');
    expect(editor.progress).toEqual(['3 of 12']);
    expect(copies()).toHaveLength(1);
    expect(editor.shown.at(-1)).toBe(
      'Copied 12 memories. 4 wait until the memory server takes them. 2 are above PUBLIC and stayed here.',
    );
  });

  test('is stopped by the editor’s cancel, and says how to go on', async () => {
    const { parts, invoke } = personOf({ copied: { copied: 3, kept: 0 } });
    editor.cancels = true;
    editor.answers = ['Copy'];
    await copyMemories(parts, 'hindsight');
    const signals = invoke.mock.calls.map(([, , { signal }]) => signal?.aborted);
    expect(signals.at(-1)).toBe(true);
    expect(editor.shown.at(-1)).toBe('Cancelled after 3 of 12 memories. Copy again to go on.');
  });

  test('does nothing before the person has agreed', async () => {
    for (const to of ['hindsight', 'local'] as const) {
      const { parts, copies } = personOf();
      editor.answers = [undefined];
      await copyMemories(parts, to);
      expect(copies(), to).toEqual([]);
    }
  });

  test('says what was new here', async () => {
    const { parts } = personOf({ copied: { to: 'local', fresh: 5, kept: 0, left: 1 } });
    editor.answers = ['Copy'];
    await copyMemories(parts, 'local');
    expect(editor.shown.at(-1)).toBe(
      'Copied from the memory server: 5 of 12 memories were new here. 1 were left out: conversations, what is too long, and what you forgot.',
    );
  });

  test('leads to a choice where there is no server', async () => {
    editor.settings['memory.backend'] = 'local';
    const { parts, copies } = personOf();
    editor.answers = ['Choose a Server…'];
    await copyMemories(parts, 'hindsight');
    expect(editor.commands).toEqual([['lodeline.chooseMemoryBackend', 'hindsight']]);
    expect(copies()).toEqual([]);
  });
});

describe('sending what waits', () => {
  test.each([
    ['local', 0, 'No memory server is used here, so nothing waits.'],
    ['hindsight', 0, 'Everything has arrived at the memory server.'],
    ['hindsight', 3, '3 memories still wait. The Memory view says why.'],
  ])('says how it is: %s, %i waiting', async (kind, waiting, said) => {
    editor.settings['memory.backend'] = kind;
    await retryMemoryServer(personOf({ queue: { waiting } }).parts);
    expect(editor.shown).toEqual([said]);
  });
});

describe('the token', () => {
  const secretsOf = () => {
    const kept = new Map<string, string>();
    const secrets = {
      get: async (key: string) => kept.get(key),
      store: async (key: string, value: string) => void kept.set(key, value),
      delete: async (key: string) => void kept.delete(key),
    };
    return secrets as never;
  };

  test('is for the first server that it is used for, and for no other one until it is given again', async () => {
    const secrets = secretsOf();
    editor.answers = ['s3cret'];
    await setHindsightToken(secrets);
    const asked = async () => [
      await hindsightToken(secrets, 'https://a'),
      await hindsightToken(secrets, 'https://b'),
    ];
    expect(await asked()).toEqual(['s3cret', undefined]);
    expect((await asked()).toReversed()).toEqual([undefined, 's3cret']);
    editor.answers = ['s3cret'];
    await setHindsightToken(secrets);
    expect(await hindsightToken(secrets, 'https://b')).toBe('s3cret');
    expect(await hindsightToken(secrets, 'https://a')).toBeUndefined();
  });

  test('is kept, replaced, removed, and never shown', async () => {
    const secrets = secretsOf();
    editor.answers = [' s3cret '];
    await setHindsightToken(secrets);
    expect(await hindsightToken(secrets, 'https://a')).toBe('s3cret');
    editor.answers = [undefined];
    await setHindsightToken(secrets);
    expect(await hindsightToken(secrets, 'https://a')).toBe('s3cret');
    editor.answers = [''];
    await setHindsightToken(secrets);
    expect(await hindsightToken(secrets, 'https://a')).toBeUndefined();
    expect(editor.shown).toEqual([
      'value: ',
      'The token was set.',
      'value: ',
      'value: ',
      'The token was removed.',
    ]);
  });
});
