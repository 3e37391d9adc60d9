/** A turn of @lodeline: our loop with the chat's model, our tools and the editor's. */
import * as vscode from 'vscode';
import { messageOf } from '../journal/errors.ts';
import { NOTHING_SAID, runTurn, type TurnResult } from '../session/agentLoop.ts';
import type { ChatModel } from '../session/chatModel.ts';
import { compactorFor } from '../session/compaction/choose.ts';
import { NOT_SUMMARISED, WINDOW_TOO_SMALL } from '../session/compaction/summaryCompactor.ts';
import { foldingOf, NOT_FOLDED } from '../session/folding/folding.ts';
import { textMessage } from '../session/messages.ts';
import { idOf } from '../session/sessionId.ts';
import { combine, type LoopTools } from '../session/turnCalls.ts';
import { attending } from '../tools/attending.ts';
import { exposing } from '../tools/exposing.ts';
import { registryTools } from '../tools/loopTools.ts';
import { toolsOf } from '../tools/registry.ts';
import type { Approval } from '../tools/tool.ts';
import { whenFree } from '../tools/whenFree.ts';
import type { TurnOwner } from '../worker/sessionApi.ts';
import { injectedBefore } from './autoInject.ts';
import { EditorChatModel } from './chatModel.ts';
import { plain } from './chatText.ts';
import { EditorTools } from './editorTools.ts';
import { FileTools } from './fileTools.ts';
import { windowKey } from './hooksWindow.ts';
import { approvesInline } from './inlineApproval.ts';
import type { Chat } from './participantChat.ts';
import { quoteArrived } from './participantMessages.ts';
import { tellOfOpen } from './participantOpen.ts';
import { attachedPaths, personPrompt, systemPrompt } from './participantPrompt.ts';
import type { AnswerMetadata } from './participantSession.ts';
import { asksPerson } from './person.ts';
import { savingPrompt } from './savingPrompt.ts';
import { keepTurn, recalledBefore } from './serverMemory.ts';
import { invocationMessage, localizedQuestion } from './toolTexts.ts';

const SOURCE = 'lodeline';
/** `todo.reminders.max` (seed 000). */
const REMINDERS = 3;
/** `agents.maxSteps`. */
const MAX_STEPS = 200;

export interface Turn {
  readonly prompt: string;
  /** The tool that the model must call first. */
  readonly forced?: string;
}

/** Runs a turn and shows it. What it ends with is in the result; a session that is busy is an error. */
export async function takeTurn(chat: Chat, { prompt, forced }: Turn): Promise<vscode.ChatResult> {
  const { app, place, request, stream, signal } = chat;
  if (!vscode.workspace.isTrusted) return { ...staying(chat), errorDetails: { message: untrusted() } };
  const { exposure } = app.registry;
  const session = { key: place.key, start: chat.level, source: SOURCE };
  const saving = await savingPrompt(app, vscode.workspace.isTrusted, (path) =>
    exposure.use(session, { paths: [path] }),
  );
  // What is attached counts before the model, or the transcript, has it.
  const level = await exposure.use(session, { paths: attachedPaths(request.references) });
  let said = false;
  let looked = false;
  const files = new FileTools({
    root: app.root,
    settings: app.settings,
    approve: asksPerson,
    onEdit: (uri) => {
      stream.markdown(`\n\n${vscode.l10n.t('Edited:')} `);
      stream.anchor(uri);
      said = true;
    },
  });
  const model = new EditorChatModel(request.model);
  const own = app.loopOf(place.key);
  const { key } = place;
  const seen = attending(files, app.root, {
    touched: (path) => {
      // That others cannot be told is no failure of the turn.
      void app.attend({ key, agent: SOURCE, level, window: windowKey(), paths: [path] }).catch(() => {});
    },
    others: (path) => app.othersOn({ key, agent: SOURCE, level, window: windowKey(), paths: [path] }),
  });
  const raising = { exposure, session, folder: app.root, within: app.registry.within };
  const ours = combine(ownTools(chat, model), exposing(seen, raising));
  const names = new Set([...toolsOf('full'), ...ours.specs()].map(({ name }) => name));
  const owner: TurnOwner = {
    ...{ key: place.key, kind: 'participant', source: SOURCE, level, title: prompt, returnTo: place.turn },
  };
  const asked = await personPrompt(prompt, request.references, app.root);
  const before = [
    ...(await injectedBefore(chat, owner, prompt)),
    ...(await recalledBefore(chat, owner, prompt)),
  ];
  let answer = '';
  const result = await runTurn({
    sessions: {
      ...own,
      turnBegin: (...args) => whenFree(() => own.turnBegin(...args), signal),
    },
    owner,
    prompt: [...before, { type: 'message', message: textMessage('user', asked) }],
    model: {
      name: model.name,
      maxInputTokens: model.maxInputTokens,
      send: async function* (asked, aborted) {
        if (!looked) {
          looked = true;
          await quoteArrived(chat).catch((error: unknown) => {
            // That they cannot be shown is no failure of the turn, which is told of them itself.
            chat.parts.log.warn(`@lodeline: ${messageOf(error)}`);
          });
        }
        // What an answer says must not run on from the one before.
        if (said) stream.markdown('\n\n');
        said = false;
        yield* model.send(asked, aborted);
      },
    },
    system: [systemPrompt(app.root, chat.hasCheckpoints), saving].filter((part) => part !== '').join('\n'),
    tools: combine(
      ours,
      exposing(new EditorTools({ ours: names, taken: () => ours.specs().length, request }), raising),
    ),
    signal,
    maxSteps: maxSteps(chat),
    reminders: count(app.settings.get('todo.reminders.max'), 0, REMINDERS),
    forced,
    compactor: compactorFor({
      settings: app.settings,
      key: place.key,
      ...foldingOf(own, { key: place.key }, app.settings),
      onSummary: () => stream.progress(vscode.l10n.t('Summarizing the earlier conversation…')),
    }),
    onNotice: (text) => {
      stream.markdown(`\n\n*${noticeText(text)}*\n\n`);
      said = false;
    },
    onText: (text) => {
      said = true;
      answer += text;
      stream.markdown(text);
    },
    // The editor shows its own tools itself.
    onCall: ({ name, input }) => {
      if (names.has(name)) stream.progress(invocationMessage(name, fieldsOf(input)));
    },
  });
  if (result.reason === 'completed' && result.turn != null)
    await keepTurn(chat, owner, result.turn, { prompt, answer });
  if (!signal.aborted) {
    await tellOfState(chat).catch((error: unknown) => {
      // The turn took place: an answer without it would take it back with the next prompt.
      chat.parts.log.warn(`@lodeline: ${messageOf(error)}`);
    });
  }
  return answerOf(chat, result);
}

/** The chat stands where it stood before, as when no turn took place. */
export function staying({ place: { key, turn } }: Pick<Chat, 'place'>): vscode.ChatResult {
  const metadata: AnswerMetadata = { session: key, ...(turn === undefined ? {} : { turn }) };
  return { metadata };
}

function nothingSaid(): string {
  return vscode.l10n.t('The model answered nothing, twice. Try again, or choose another model.');
}

function errorText(detail: string): string {
  if (detail === WINDOW_TOO_SMALL) return windowTooSmall();
  return detail === NOTHING_SAID ? nothingSaid() : detail;
}

function windowTooSmall(): string {
  return vscode.l10n.t(
    'The window of this model is too small for these instructions and tools: what the tools answer has hardly any room beside them. Choose a model with a larger window, raise the window where the model is served, or offer it fewer tools.',
  );
}

function noticeText(text: string): string {
  if (text === NOT_SUMMARISED) return notSummarised();
  return text === NOT_FOLDED ? notFolded() : plain(text);
}

function notFolded(): string {
  return vscode.l10n.t(
    'The model does not fold its conversation though its window is full, so old parts are left out of what it is shown. The transcript keeps all of it.',
  );
}

function notSummarised(): string {
  return vscode.l10n.t(
    'The conversation could not be summarized three times in a row, so old parts are left out instead. The transcript keeps all of it.',
  );
}

function untrusted(): string {
  return vscode.l10n.t(
    'This folder is not trusted, so nothing is written to it, not even this conversation. Trust it with “Workspaces: Manage Workspace Trust”, then ask again.',
  );
}

/** Our tools as the person's settings offer them, with their questions in the chat. */
function ownTools({ app, level, place, request }: Chat, model: ChatModel): LoopTools {
  const toolsWith = (approve: (question: Approval) => Promise<'approved' | 'declined'>) =>
    registryTools({
      registry: app.registry,
      settings: app.settings,
      get profile() {
        return app.settings.get('tools.profile') === 'full' ? 'full' : 'core';
      },
      depth: 0,
      call: { door: 'editor', level, session: place.key, source: SOURCE, approve, model },
    });
  return {
    ...toolsWith(async () => 'declined'),
    call: async (call, signal) => {
      const { name, input } = call;
      const approve = (question: Approval) =>
        approvesInline(localizedQuestion(name, fieldsOf(input), question), request.toolInvocationToken);
      return await toolsWith(approve).call(call, signal);
    },
  };
}

function answerOf(chat: Chat, { reason, detail = '', turn, steps }: TurnResult): vscode.ChatResult {
  const { l10n } = vscode;
  const metadata: AnswerMetadata = {
    session: chat.place.key,
    ...(turn === undefined ? {} : { turn }),
    ...(reason === 'completed' ? {} : { next: 'continue' }),
  };
  switch (reason) {
    case 'completed':
    case 'aborted':
      return { metadata };
    case 'limit':
      chat.say(
        `\n\n${steps >= maxSteps(chat) ? l10n.t('The agent stopped after {0} steps without an end.', steps) : plain(detail)}`,
      );
      return { metadata };
    case 'error':
      return { metadata, errorDetails: { message: errorText(detail) } };
    case 'writer-failed':
      return {
        metadata,
        errorDetails: { message: l10n.t('The turn ended because it could not be saved: {0}', detail) },
      };
  }
}

/** What the person can settle. An open checkpoint is easily forgotten; the panel can end it. */
async function tellOfState(chat: Chat): Promise<void> {
  const session = idOf(chat.place.key);
  const view = await chat.checkpointView(session);
  tellOfOpen(chat, session, view);
  if (!chat.hasCheckpoints || view.active === null) return;
  chat.say(`\n\n${vscode.l10n.t('The checkpoint “{0}” is still open.', plain(view.active.goal))}`);
  chat.stream.button({ command: 'lodeline.openCheckpoint', title: vscode.l10n.t('Show Checkpoint') });
}

function maxSteps(chat: Chat): number {
  return count(chat.app.settings.get('agents.maxSteps'), 1, MAX_STEPS);
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Readonly<Record<string, unknown>>)
    : {};
}

/** A setting that counts something; anything that is no such number is the default. */
function count(value: unknown, least: number, initial: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least ? value : initial;
}
