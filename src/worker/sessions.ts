import { dirname, join } from 'node:path';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { KeyRing } from '../journal/keys.ts';
import { marksIn } from '../memory/injected.ts';
import { canFlowTo } from '../policy/level.ts';
import { extractOf } from '../session/extract.ts';
import { type Message, textOf } from '../session/messages.ts';
import { Outbox } from '../session/outbox.ts';
import { OverriddenSessions } from '../session/overrides.ts';
import { PutAwaySessions } from '../session/putAway.ts';
import { Checkpoints, checkpointView } from './checkpoints.ts';
import { ClearedLists } from './clearedLists.ts';
import { Folds } from './folds.ts';
import { type HeldOptions, HeldSessions } from './heldSessions.ts';
import { Plans } from './plans.ts';
import { Presences } from './presence.ts';
import type { SessionApi } from './sessionApi.ts';
import { told } from './sessionErrors.ts';
import { SessionFactsReader } from './sessionFacts.ts';
import { SessionList } from './sessionList.ts';
import { Steps } from './steps.ts';
import { hitsOf } from './transcriptHits.ts';
import { TranscriptIndex, type TranscriptIndexParts } from './transcriptIndex.ts';
import { Turns } from './turns.ts';
import { UnknownCalls } from './unknownCalls.ts';

/** The sessions of one folder, over their transcripts. Lives in the store's thread. */
export class SessionService implements SessionApi {
  readonly #sessions: HeldSessions;
  readonly #lists: ClearedLists;
  readonly #plans: Plans;
  readonly #checkpoints: Checkpoints;
  readonly #list: SessionList;
  readonly #putAway: PutAwaySessions;
  readonly #overrides: OverriddenSessions;
  readonly #facts: SessionFactsReader;
  readonly #turns: Turns;
  readonly #unknown: UnknownCalls;
  readonly #folds: Folds;
  readonly #steps: Steps;
  readonly #outbox: Outbox;
  readonly #presences: Presences;
  readonly #index: TranscriptIndex | undefined;
  readonly #keys: KeyRing;
  #isSealed: boolean;

  /** `search`: where the catalog of transcripts is; without it nothing is found in them. */
  constructor(options: HeldOptions, search?: Pick<TranscriptIndexParts, 'file' | 'wasm'>) {
    this.#keys = options.keys;
    this.#isSealed = options.keys.sealsAll();
    this.#lists = new ClearedLists(options.now);
    this.#sessions = new HeldSessions(options, {
      given: (id, draft, phases) => this.#plans.given(id, draft, phases),
      opened: ({ id, live }) => this.#lists.opened(id, live.todo.phases),
      parts: (held) => this.#folds.parts(held),
    });
    this.#plans = new Plans(this.#sessions, this.#lists);
    this.#folds = new Folds(this.#sessions, options);
    this.#checkpoints = new Checkpoints(this.#sessions);
    this.#putAway = new PutAwaySessions({ ...options, dir: join(dirname(options.dir), 'put-away') });
    this.#unknown = new UnknownCalls(this.#sessions);
    this.#list = new SessionList(this.#sessions, this.#lists, this.#putAway, this.#unknown);
    this.#turns = new Turns(this.#sessions, this.#plans, this.#unknown);
    this.#steps = new Steps(this.#sessions, options);
    this.#outbox = new Outbox({ ...options, dir: join(dirname(options.dir), 'outbox') });
    this.#presences = new Presences({ ...options, dir: dirname(options.dir) });
    const { registry } = this.#sessions;
    this.#overrides = new OverriddenSessions({ ...options, dir: join(dirname(options.dir), 'overrides') });
    this.#facts = new SessionFactsReader({
      ...{ options, registry, presences: this.#presences },
      ...{ putAway: this.#putAway, overrides: this.#overrides },
    });
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
        ({ checkpoint, ledger, meter }) =>
          checkpoint.active !== undefined ||
          checkpoint.ended.length > 0 ||
          ledger.unknown.length > 0 ||
          meter.measure !== undefined,
      );
      return { session, sessions, ...checkpointView(state?.checkpoint) };
    });

  readonly contextMeasure: SessionApi['contextMeasure'] = (id, reader) =>
    told(() => this.#sessions.readable(id, reader).state.meter.measure);

  readonly turnBegin: SessionApi['turnBegin'] = (...args) => told(() => this.#turns.begin(...args));
  readonly turnStep: SessionApi['turnStep'] = (...args) => told(() => this.#turns.step(...args));
  readonly turnStop: SessionApi['turnStop'] = (...args) => told(() => this.#turns.stop(...args));
  readonly turnEnd: SessionApi['turnEnd'] = (...args) => told(() => this.#turns.end(...args));
  readonly turnDrop: SessionApi['turnDrop'] = (id) => told(() => this.#turns.drop(id));
  readonly observe: SessionApi['observe'] = (...args) => told(() => this.#turns.observe(...args));

  readonly stepState: SessionApi['stepState'] = (...args) => told(() => this.#steps.state(...args));
  readonly give: SessionApi['give'] = (...args) => told(() => this.#steps.give(...args));
  readonly runPut: SessionApi['runPut'] = (run) => told(() => this.#outbox.put(run));
  readonly runTake: SessionApi['runTake'] = (id) => told(() => this.#outbox.take(id));
  readonly runSave: SessionApi['runSave'] = (run) => told(() => this.#outbox.save(run));
  readonly runRelease: SessionApi['runRelease'] = (id) => told(() => this.#outbox.release(id));
  readonly runs: SessionApi['runs'] = ({ level }) =>
    told(() =>
      this.#outbox
        .list()
        .filter((run) => canFlowTo(run.level, level))
        .map((run) => ({ run, isHeld: this.#outbox.isHeld(run.id) })),
    );
  readonly run: SessionApi['run'] = (id) =>
    told(() => {
      const run = this.#outbox.read(id);
      return run && { run, isHeld: this.#outbox.isHeld(id) };
    });

  readonly searchTranscripts: SessionApi['searchTranscripts'] = (query, reader, limit) =>
    told(async () => hitsOf((await this.#index?.search(query, reader, limit)) ?? [], query));
  readonly sessionsBrowse: SessionApi['sessionsBrowse'] = (reader) => told(() => this.#list.browse(reader));
  readonly sessionFacts: SessionApi['sessionFacts'] = (reader) => told(() => this.#facts.list(reader));
  readonly sessionPage: SessionApi['sessionPage'] = (...args) => told(() => this.#facts.page(...args));
  readonly sessionOverride: SessionApi['sessionOverride'] = (...args) =>
    told(() => this.#facts.override(...args));
  readonly putAway: SessionApi['putAway'] = (...args) => told(() => this.#list.putAway(...args));
  readonly sessionResume: SessionApi['sessionResume'] = (...args) => told(() => this.#list.resume(...args));
  readonly sessionLeft: SessionApi['sessionLeft'] = (id) => told(() => this.#unknown.left(id));
  readonly sessionSettle: SessionApi['sessionSettle'] = (...args) =>
    told(() => this.#unknown.settle(...args));
  readonly openQuestions: SessionApi['openQuestions'] = (...args) => told(() => this.#unknown.list(...args));
  readonly acknowledge: SessionApi['acknowledge'] = (...args) =>
    told(() => this.#unknown.acknowledge(...args));
  readonly sessionStart: SessionApi['sessionStart'] = (caller) =>
    told(() => this.#sessions.write(caller, ({ id }) => id));
  readonly conversation: SessionApi['conversation'] = (id) => told(() => extractOf(this.#shown(id)));
  readonly said: SessionApi['said'] = (id, most) =>
    told(() =>
      this.#shown(id)
        .flatMap((message) => {
          const { role } = message;
          const content = textOf(message).trim();
          return role === 'system' || content === '' ? [] : [{ role, content }];
        })
        .slice(-most),
    );
  readonly memoriesShown: SessionApi['memoriesShown'] = (owner) =>
    told(() => this.#sessions.write(owner, ({ live }) => marksIn(live.view.messages().flatMap(systemText))));
  readonly sessionDamage: SessionApi['sessionDamage'] = () => told(() => [...this.#sessions.damage]);
  readonly exportSessions: SessionApi['exportSessions'] = (reader) =>
    told(() =>
      this.#list
        .export(reader)
        .map((exported) => ({ ...exported, folds: this.#folds.list(exported.session.id, reader) })),
    );
  readonly eraseSessions: SessionApi['eraseSessions'] = () =>
    told(async () => {
      this.#sessions.erase();
      this.#steps.forget();
      this.#outbox.erase();
      this.#lists.clear();
      this.#presences.erase();
      this.#putAway.erase();
      this.#overrides.erase();
      await this.#index?.erase();
    });

  readonly foldOpen: SessionApi['foldOpen'] = (...args) => told(() => this.#folds.open(...args));
  readonly foldCommit: SessionApi['foldCommit'] = (...args) => told(() => this.#folds.commit(...args));
  readonly foldRead: SessionApi['foldRead'] = (...args) => told(() => this.#folds.read(...args));
  readonly folds: SessionApi['folds'] = (...args) => told(() => this.#folds.list(...args));
  readonly foldShow: SessionApi['foldShow'] = (...args) => told(() => this.#folds.show(...args));
  readonly foldReopen: SessionApi['foldReopen'] = (...args) => told(() => this.#folds.reopen(...args));

  readonly attend: SessionApi['attend'] = (attendance) => told(() => this.#presences.attend(attendance));
  readonly leave: SessionApi['leave'] = (key) => told(() => this.#presences.leave(key));
  readonly presences: SessionApi['presences'] = (reader) => told(() => this.#presences.view(reader));
  readonly fileHolders: SessionApi['fileHolders'] = (...args) => told(() => this.#presences.holders(...args));
  readonly captured: SessionApi['captured'] = (...args) => told(() => this.#presences.captured(...args));
  readonly clearCaptured: SessionApi['clearCaptured'] = (author) =>
    told(() => this.#presences.clearCaptured(author));

  /** Takes in what other processes wrote; true when something changed since the last call. */
  poll(): boolean {
    this.#follow();
    this.#outbox.tend();
    const isPresenceOther = this.#presences.poll();
    return this.#sessions.poll() || isPresenceOther;
  }

  /** What other processes switched is noticed here, too; what only this process writes to nobody else can refit. */
  #follow(): void {
    const isSealed = this.#keys.sealsAll();
    if (isSealed === this.#isSealed) return;
    this.#sessions.follow();
    this.#presences.refit();
    this.#overrides.refit();
    this.#isSealed = isSealed;
  }

  /**
   * Puts everything of the sessions into the form that the store's switch wants.
   * @returns how many files others still have to put into it
   * @throws what the disk says, KeyError, JournalWriteError
   */
  async refit(): Promise<number> {
    await this.#index?.refit();
    let others = this.#sessions.refit();
    await turnOfLoop();
    others += this.#outbox.refit();
    this.#presences.refit();
    this.#overrides.refit();
    this.#isSealed = this.#keys.sealsAll();
    return others;
  }

  /** Work for idle moments. */
  async tidy(): Promise<void> {
    await this.#index?.save();
  }

  close(): void {
    this.#presences.close();
    this.#sessions.close();
    this.#outbox.close();
    void this.#index?.close();
  }

  /** What the model of a session of ours that this process works on is shown; nothing of others. */
  #shown(id: string): readonly Message[] {
    const held = this.#sessions.get(id);
    const kind = held?.live.info?.kind;
    // A chat may have been observed before it became one of ours.
    const isOurs =
      kind === 'participant' || kind === 'spawned' || (kind !== 'subagent' && held?.turn !== undefined);
    return held !== undefined && isOurs ? held.live.view.messages() : [];
  }
}

/** Only what nobody said: a person may quote anything. */
function systemText(message: Message): string[] {
  return message.role === 'system' ? [textOf(message)] : [];
}
