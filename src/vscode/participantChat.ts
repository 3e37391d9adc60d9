/** One request to @lodeline: where it belongs, and how it is answered. */
import * as vscode from 'vscode';
import type { App } from '../appApi.ts';
import type { CheckpointView } from '../planProtocol.ts';
import type { Level } from '../policy/level.ts';
import type { ChatModel } from '../session/chatModel.ts';
import type { Outcome } from '../tools/registry.ts';
import type { SessionEntry } from '../worker/sessionApi.ts';
import type { Apps } from './apps.ts';
import { beginsAt } from './chatLevel.ts';
import { workingDirectoryOf } from './chatSession.ts';
import type { ChatPlace } from './participantSession.ts';
import type { Person } from './person.ts';

export interface ParticipantParts {
  readonly apps: Apps;
  readonly person: Person;
  readonly log: vscode.LogOutputChannel;
}

/** What the editor hands over with a request. */
export interface ChatInput {
  readonly request: vscode.ChatRequest;
  readonly stream: vscode.ChatResponseStream;
  readonly signal: AbortSignal;
  readonly place: ChatPlace;
}

export class Chat {
  readonly request: vscode.ChatRequest;
  readonly stream: vscode.ChatResponseStream;
  readonly signal: AbortSignal;
  readonly place: ChatPlace;
  readonly parts: ParticipantParts;
  readonly app: App;
  readonly folder: vscode.WorkspaceFolder;
  /** At which its session began: what the editor's tools show it is not looked at. */
  readonly #start: Level;

  private constructor(
    parts: ParticipantParts,
    input: ChatInput,
    app: App,
    folder: vscode.WorkspaceFolder,
    start: Level,
  ) {
    this.parts = parts;
    this.request = input.request;
    this.stream = input.stream;
    this.signal = input.signal;
    this.place = input.place;
    this.app = app;
    this.folder = folder;
    this.#start = start;
  }

  /** What the chat may see at this moment, and of what it writes. @throws TaintError when it cannot be told. */
  get level(): Level {
    return this.app.taint.levelOf({ key: this.place.key, start: this.#start });
  }

  /** Finds the folder that the chat is about; without one an error says what to do. */
  static async open(parts: ParticipantParts, input: ChatInput): Promise<Chat> {
    const { apps } = parts;
    const folder = apps.folderOf([workingDirectoryOf(input.request.toolInvocationToken)]);
    // Throws where there is no folder.
    const app = await apps.app(folder);
    const { key } = input.place;
    const start = await beginsAt(app, folder, { key, source: 'lodeline', isObserved: false });
    return new Chat(parts, input, app, folder as vscode.WorkspaceFolder, start);
  }

  /** Calls a tool for the person, in this chat's session. What a chat shows, agents may read: so at its level. */
  async invoke(tool: string, input: Readonly<Record<string, unknown>>, model?: ChatModel): Promise<Outcome> {
    const { folder, level, signal, place } = this;
    return await this.parts.person.invoke(tool, input, {
      ...{ door: 'editor', chat: place.key, folder, level, signal },
      ...(model && { model }),
    });
  }

  /** Shows Markdown. Nothing in it is trusted: no HTML, no commands. */
  say(markdown: string): void {
    this.stream.markdown(new vscode.MarkdownString(`${markdown}\n\n`));
  }

  /** Whether agents may use checkpoint and rewind. */
  get hasCheckpoints(): boolean {
    return this.app.settings.get('checkpoint.enabled') === true;
  }

  /** The sessions that may be shown here, the one active last first. */
  async sessions(): Promise<readonly SessionEntry[]> {
    const { data } = await this.invoke('sessions_browse', {});
    return (data as { sessions: readonly SessionEntry[] }).sessions;
  }

  /** The id of this chat's session; undefined before its first record. */
  async sessionId(): Promise<string | undefined> {
    return (await this.sessions()).find(({ key }) => key === this.place.key)?.id;
  }

  /** What the checkpoint panel shows of a session. */
  async checkpointView(session: string): Promise<CheckpointView> {
    return (await this.invoke('checkpoint_show', { session })).data as CheckpointView;
  }
}
