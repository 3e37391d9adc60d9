import { extractOf } from '../session/extract.ts';
import { Checkpoints, checkpointView } from './checkpoints.ts';
import { ClearedLists } from './clearedLists.ts';
import { type HeldOptions, HeldSessions } from './heldSessions.ts';
import { Plans } from './plans.ts';
import type { SessionApi } from './sessionApi.ts';
import { told } from './sessionErrors.ts';
import { SessionList } from './sessionList.ts';
import { Turns } from './turns.ts';

/** The sessions of one folder, over their transcripts. Lives in the store's thread. */
export class SessionService implements SessionApi {
  readonly #sessions: HeldSessions;
  readonly #lists: ClearedLists;
  readonly #plans: Plans;
  readonly #checkpoints: Checkpoints;
  readonly #list: SessionList;
  readonly #turns: Turns;

  constructor(options: HeldOptions) {
    this.#lists = new ClearedLists(options.now);
    this.#sessions = new HeldSessions(options, {
      given: (id, draft, phases) => this.#plans.given(id, draft, phases),
      opened: ({ id, live }) => this.#lists.opened(id, live.todo.phases),
    });
    this.#plans = new Plans(this.#sessions, this.#lists);
    this.#checkpoints = new Checkpoints(this.#sessions);
    this.#list = new SessionList(this.#sessions, this.#lists);
    this.#turns = new Turns(this.#sessions, this.#plans);
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

  readonly sessionsBrowse: SessionApi['sessionsBrowse'] = (reader) => told(() => this.#list.browse(reader));
  readonly sessionResume: SessionApi['sessionResume'] = (...args) => told(() => this.#list.resume(...args));
  readonly sessionStart: SessionApi['sessionStart'] = (caller) =>
    told(() => this.#sessions.write(caller, ({ id }) => id));
  readonly conversation: SessionApi['conversation'] = (id) =>
    told(() => {
      const live = this.#sessions.get(id)?.live;
      return live?.info?.kind === 'participant' ? extractOf(live.view.messages()) : '';
    });
  readonly sessionDamage: SessionApi['sessionDamage'] = () => told(() => [...this.#sessions.damage]);
  readonly exportSessions: SessionApi['exportSessions'] = (reader) => told(() => this.#list.export(reader));
  readonly eraseSessions: SessionApi['eraseSessions'] = () =>
    told(() => {
      this.#sessions.erase();
      this.#lists.clear();
    });

  /** Takes in what other processes wrote; true when something changed since the last call. */
  poll(): boolean {
    return this.#sessions.poll();
  }

  close(): void {
    this.#sessions.close();
  }
}
