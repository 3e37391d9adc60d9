/** What Lodeline sees of each kind of session, in words: the page that a person reads. */
import * as vscode from 'vscode';
import type { Level } from '../policy/level.ts';
import { HOOK_FILE } from './hooksFile.ts';
import { shownText } from './shownText.ts';

/**
 * How it stands with hooks in a folder. `idle`: their file is there, and the editor's setting is off. `broken`: what
 * it runs is not there, or it is of an older version. `foreign`: a file of their name is somebody else's. `unknown`: it
 * cannot be read.
 */
export type HooksState = 'on' | 'idle' | 'broken' | 'off' | 'foreign' | 'unknown';

export interface SeenState {
  /** Name of the folder. */
  readonly folder: string;
  readonly trusted: boolean;
  readonly hooks: HooksState;
  readonly defaultLevel: Level;
  readonly unobservedLevel: Level;
  /** How many rules raise sessions. */
  readonly rules: { readonly files: number; readonly tools: number };
}

/** The page of a folder, as Markdown. */
export function seenText(state: SeenState): string {
  const { l10n } = vscode;
  return [
    `# ${l10n.t('What Lodeline sees')}`,
    l10n.t(
      'Lodeline guards what passes through it. It cannot keep other programs of yours from reading files, and what it does not see raises no level.',
    ),
    `## ${l10n.t('Here: {0}', plain(state.folder))}`,
    list(stateLines(state)),
    `**${l10n.t('Next step')}**: ${nextStep(state)}`,
    ...kinds(state).flatMap(({ name, seen, unseen, start }) => [
      `## ${name}`,
      list([
        `**${l10n.t('Seen')}**: ${seen}`,
        `**${l10n.t('Not seen')}**: ${unseen}`,
        `**${l10n.t('Starts at')}**: ${start}`,
      ]),
    ]),
    '',
  ].join('\n\n');
}

/** What is worth doing first; one thing. */
export function nextStep({ trusted, hooks, rules }: SeenState): string {
  const { l10n } = vscode;
  if (!trusted)
    return l10n.t(
      'Trust this folder (“Workspaces: Manage Workspace Trust”). Until then nothing is kept here.',
    );
  if (hooks === 'foreign' || hooks === 'unknown')
    return l10n.t(
      'Look at {0}: somebody else changed it, or it cannot be read. Remove it, then run “Lodeline: Observe Copilot Chats Fully…”.',
      code(HOOK_FILE),
    );
  if (hooks === 'off' || hooks === 'broken')
    return l10n.t(
      'Run “Lodeline: Observe Copilot Chats Fully…”, then reload this window, so that what Copilot reads counts, too.',
    );
  if (hooks === 'idle')
    return l10n.t(
      'Turn on the editor’s setting {0}, without which the hooks do not run, then reload this window.',
      code('chat.useHooks'),
    );
  if (rules.files === 0)
    return l10n.t(
      'Say in your user setting {0} which files raise a session that touches them.',
      code('lodeline.classification.files'),
    );
  return l10n.t('None. The audit log (“Lodeline: Show Audit Log”) has what was raised and denied.');
}

interface Kind {
  readonly name: string;
  readonly seen: string;
  readonly unseen: string;
  readonly start: string;
}

function kinds({ defaultLevel, unobservedLevel, hooks }: SeenState): readonly Kind[] {
  const { l10n } = vscode;
  const inUse = (uses: boolean) => (uses ? ` (${l10n.t('in use here')})` : '');
  const parent = l10n.t('the level of the session that asked for it; when it rises, that one rises');
  return [
    {
      name: l10n.t('Chat with @lodeline'),
      seen: l10n.t('prompts, what was attached, answers, every tool call with its input and result'),
      unseen: l10n.t(
        'which files the editor’s own tools show without naming them, and what programs that it starts read',
      ),
      start: unobservedLevel,
    },
    {
      name: `${l10n.t('Copilot chat with hooks')}${inUse(hooks === 'on')}`,
      seen: l10n.t('prompts, answers, every tool call with its input, and what the editor tells of results'),
      unseen: l10n.t('what was attached to a prompt, and what programs that it starts read'),
      start: defaultLevel,
    },
    {
      name: `${l10n.t('Copilot chat without hooks')}${inUse(hooks !== 'on')}`,
      seen: l10n.t('calls of Lodeline’s tools'),
      unseen: l10n.t('prompts, answers, the files that Copilot reads, calls of other tools'),
      start: `${unobservedLevel} (${code('lodeline.classification.unobservedLevel')})`,
    },
    {
      name: l10n.t('Subagent'),
      seen: l10n.t('everything that is said and done in it'),
      unseen: l10n.t('what programs that it starts read'),
      start: parent,
    },
    {
      name: l10n.t('Spawned session'),
      seen: l10n.t('everything that is said and done in it'),
      unseen: l10n.t('what programs that it starts read'),
      start: l10n.t('the level of the session that asked for it; what it finds above that stays in it'),
    },
    {
      name: l10n.t('MCP connection'),
      seen: l10n.t('calls of Lodeline’s tools; of Claude Code, where its hooks are set up, every tool call'),
      unseen: l10n.t('prompts, answers, and the files that its agent reads by itself'),
      start: `${defaultLevel}, ${l10n.t('or what {0} says', code('--classification'))}`,
    },
    {
      name: l10n.t('Command line'),
      seen: l10n.t('what its commands read and write in memory'),
      unseen: l10n.t('everything else in the terminal'),
      start: defaultLevel,
    },
  ];
}

function stateLines({ hooks, defaultLevel, unobservedLevel, rules }: SeenState): string[] {
  const { l10n } = vscode;
  const said: Record<HooksState, string> = {
    on: l10n.t('on (Copilot chats in windows that were loaded since are observed)'),
    idle: l10n.t('their file is here, but the editor’s setting {0} is off', code('chat.useHooks')),
    broken: l10n.t('their file is here, but it does not tell of every file'),
    off: l10n.t('off'),
    foreign: l10n.t('off ({0} is somebody else’s)', code(HOOK_FILE)),
    unknown: l10n.t('cannot be told ({0} cannot be read)', code(HOOK_FILE)),
  };
  return [
    `${l10n.t('Hooks')}: ${said[hooks]}`,
    `${l10n.t('Default level of this folder')}: ${defaultLevel}`,
    `${l10n.t('Level of chats whose reads are not seen')}: ${unobservedLevel}`,
    l10n.t('Rules that raise a session: {0} for files, {1} for tools', rules.files, rules.tools),
  ];
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

/** A name of the disk's, without what Markdown would make of it. */
function plain(name: string): string {
  return shownText(name).replace(/[\\`*_{}[\]()#+.!<>|~&-]/g, '\\$&');
}
