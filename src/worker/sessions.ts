import { dirname, join } from 'node:path';
import { extractOf } from '../session/extract.ts';
import { PutAwaySessions } from '../session/putAway.ts';
import { Checkpoints, checkpointView } from './checkpoints.ts';
import { ClearedLists } from './clearedLists.ts';
import { type HeldOptions, HeldSessions } from './heldSessions.ts';
import { Plans } from './plans.ts';
import { Presences } from './presence.ts';
import type { SessionApi } from './sessionApi.ts';
import { told } from './sessionErrors.ts';
import { SessionList } from './sessionList.ts';
import { hitsOf } from './transcriptHits.ts';
import { TranscriptIndex, type TranscriptIndexParts } from './transcriptIndex.ts';
import { Turns } from './turns.ts';

/** The sessions of one folder, over their transcripts. Lives in the store's thread. */
export class SessionService implements SessionApi {
  readonly #sessions: HeldSessions;
  readonly #lists: ClearedLists;
  readonly #plans: Plans;
  readonly #checkpoints: Checkpoints;
  readonly #list: SessionList;
  readonly #putAway: PutAwaySessions;
  readonly #turns: Turns;
  readonly #presences: Presences;
  readonly #index: TranscriptIndex | undefined;

  /** `search`: where the catalog of transcripts is; without it nothing is found in them. */
  constructor(options: HeldOptions, search?: Pick<TranscriptIndexParts, 'file' | 'wasm'>) {
    this.#lists = new ClearedLists(options.now);
    this.#sessions = new HeldSessions(options, {
      given: (id, draft, phases) => this.#plans.given(id, draft, phases),
      opened: ({ id, live }) => this.#lists.opened(id, live.todo.phases),
    });
    this.#plans = new Plans(this.#sessions, this.#lists);
    this.#checkpoints = new Checkpoints(this.#sessions);
    this.#putAway = new PutAwaySessions({ ...options, dir: join(dirname(options.dir), 'put-away') });
    this.#list = new SessionList(this.#sessions, this.#lists, this.#putAway);
    this.#turns = new Turns(this.#sessions, this.#plans);
    this.#presences = new Presences({ ...options, dir: dirname(options.dir) });
    const { registry } = this.#sessions;
    const places = () => registry.places();
    this.#index = search && new TranscriptIndex({ ...options, ...search, places });
  }

  readonly todoWrite: SessionApi['todoWrite'] = (...args) => told(() => this.#plans.write(...args));
  readonly todoEdit: SessionApi['todoEdit'] = (...args) => told(() => this.#plans.edit(...args));
  readonly todoCommand: SessionApi['todoCommand'] = (...args) => told(() => this.#plans.command(...args));
  readonly todoShow: SessionApi['todoShow'] = (id, reader, clearDelay) =>
    told(() => {
      const { session, sessions, state } = this.#list.choose(
        id,
        reader,
        ({ todo }) => todo.phases.length > 0,
      );
      const phases = session && state ? this.#plans.show(session.id, state.todo.phases, clearDelay) : [];
      return { session, sessions, phases };
    });

  readonly checkpoint: SessionApi['checkpoint'] = (...args) => told(() => this.#checkpoints.create(...args));
  readonly rewind: SessionApi['rewind'] = (...args) => told(() => this.#checkpoints.rewind(...args));
  readonly checkpointSettle: SessionApi['checkpointSettle'] = (id, report, reader, startedAt) =>
    told(() => this.#checkpoints.settle(id, report, reader, startedAt));
  readonly checkpointShow: SessionApi['checkpointShow'] = (id, reader) =>
    told(() => {
      const { session, sessions, state } = this.#list.choose(
        id,
        reader,
        ({ checkpoint }) => checkpoint.active !== undefined || checkpoint.ended.length > 0,
      );
      return { session, sessions, ...checkpointView(state?.checkpoint) };
    });

  readonly turnBegin: SessionApi['turnBegin'] = (...args) => told(() => this.#turns.begin(...args));
  readonly turnStep: SessionApi['turnStep'] = (...args) => told(() => this.#turns.step(...args));
  readonly turnStop: SessionApi['turnStop'] = (...args) => told(() => this.#turns.stop(...args));
  readonly turnEnd: SessionApi['turnEnd'] = (...args) => told(() => this.#turns.end(...args));
  readonly observe: SessionApi['observe'] = (...args) => told(() => this.#turns.observe(...args));

  readonly searchTranscripts: SessionApi['searchTranscripts'] = (query, reader, limit) =>
    told(async () => hitsOf((await this.#index?.search(query, reader, limit)) ?? [], query));
  readonly sessionsBrowse: SessionApi['sessionsBrowse'] = (reader) => told(() => this.#list.browse(reader));
  readonly putAway: SessionApi['putAway'] = (...args) => told(() => this.#list.putAway(...args));
  readonly sessionResume: SessionApi['sessionResume'] = (...args) => told(() => this.#list.resume(...args));
  readonly sessionStart: SessionApi['sessionStart'] = (caller) =>
    told(() => this.#sessions.write(caller, ({ id }) => id));
  readonly conversation: SessionApi['conversation'] = (id) =>
    told(() => {
      const held = this.#sessions.get(id);
      const kind = held?.live.info?.kind;
      // A chat may have been observed before it became one of ours.
      const isOurs = kind === 'participant' || (kind !== 'subagent' && held?.turn !== undefined);
      return held !== undefined && isOurs ? extractOf(held.live.view.messages()) : '';
    });
  readonly sessionDamage: SessionApi['sessionDamage'] = () => told(() => [...this.#sessions.damage]);
  readonly exportSessions: SessionApi['exportSessions'] = (reader) => told(() => this.#list.export(reader));
  readonly eraseSessions: SessionApi['eraseSessions'] = () =>
    told(async () => {
      this.#sessions.erase();
      this.#lists.clear();
      this.#presences.erase();
      this.#putAway.erase();
      await this.#index?.erase();
    });

  readonly attend: SessionApi['attend'] = (attendance) => told(() => this.#presences.attend(attendance));
  readonly leave: SessionApi['leave'] = (key) => told(() => this.#presences.leave(key));
  readonly presences: SessionApi['presences'] = (reader) => told(() => this.#presences.view(reader));
  readonly captured: SessionApi['captured'] = (...args) => told(() => this.#presences.captured(...args));
  readonly clearCaptured: SessionApi['clearCaptured'] = (reader) =>
    told(() => this.#presences.clearCaptured(reader));

  /** Takes in what other processes wrote; true when something changed since the last call. */
  poll(): boolean {
    return this.#sessions.poll();
  }

  /** Work for idle moments. */
  async tidy(): Promise<void> {
    await this.#index?.save();
  }

  close(): void {
    this.#presences.close();
    this.#sessions.close();
    void this.#index?.close();
  }
}
