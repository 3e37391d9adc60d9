/**
 * Looks what became of what a session left: calls of which nobody recorded an outcome, by their evidence, and work in
 * the background. Nothing is changed and nothing is stopped.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { normalizeKey } from '../memory/operation.ts';
import { canFlowTo } from '../policy/level.ts';
import type { FileEvidence, Finding } from '../session/effects.ts';
import { canonicalKey } from '../session/key.ts';
import type { BackgroundState, CallFinding } from '../session/resume/findings.ts';
import type { Unresolved } from '../session/resume/ledger.ts';
import { type BatchRecord, isTaskShownAt } from '../subagent/batchRecord.ts';
import { treeEvidence } from '../subagent/workspace/commandEvidence.ts';
import { type FoundCommand, forgetCommand, runningCommands } from '../subagent/workspace/running.ts';
import { oneLine, quote } from '../subagent/workspace/tool.ts';
import { Workspace } from '../subagent/workspace/workspace.ts';
import type { StoreApi } from '../worker/api.ts';
import type { SessionApi, SessionLeft } from '../worker/sessionApi.ts';
import type { Examined, LeftExaminer } from './left.ts';

/** So much of the background is told of at once. */
const TOLD = 20;

export interface LeftParts {
  /** The workspace folder. */
  readonly root: string;
  readonly store: Pick<StoreApi, 'fetch'>;
  readonly sessions: Pick<SessionApi, 'runs'>;
  /** The store's folder. */
  readonly storeDir: string;
  /** All batches of the folder. */
  batches(): Promise<readonly BatchRecord[]>;
}

type What = Omit<CallFinding, 'id'>;

/** What is looked at once for all calls of a session. */
interface Around {
  readonly left: SessionLeft;
  readonly commands: readonly FoundCommand[];
  readonly batches: readonly BatchRecord[];
  tree(): ReturnType<typeof treeEvidence>;
  runs(): Promise<readonly OutboxRun[]>;
}

type OutboxRun = Awaited<ReturnType<SessionApi['runs']>>[number];

export class FolderExaminer implements LeftExaminer {
  readonly #parts: LeftParts;

  constructor(parts: LeftParts) {
    this.#parts = parts;
  }

  async examine(left: SessionLeft): Promise<Examined> {
    const commands = runningCommands(join(this.#parts.storeDir, 'running'), left.id);
    const batches = await this.#parts.batches().catch(() => []);
    const all = batches.filter(({ session }) => session === left.id);
    // What a subagent did and started since it rose is told no sooner than what it hands over.
    const own = all.filter(({ level }) => canFlowTo(level, left.level));
    const risen = all.flatMap((batch) =>
      batch.tasks.filter((task) => !isTaskShownAt(left.level, batch, task)),
    );
    const above = new Set(risen.map(({ id }) => id));
    const shown = commands.filter(({ session }) => !above.has(session.split('/')[1] ?? ''));
    const files = await this.#files(left);
    const around: Around = {
      ...{ left, commands, batches: own },
      tree: once(() => treeEvidence(this.#parts.root)),
      runs: once(() => this.#ownRuns(left)),
    };
    const calls: CallFinding[] = [];
    for (const call of left.calls) {
      const what =
        files.get(call.call) ??
        (await this.#other(call, around).catch(() => unknown('it could not be looked at')));
      calls.push({ id: call.call, ...what });
    }
    const background = [
      ...shown.map(commandState),
      ...own.flatMap(taskStates),
      ...(await around.runs().then(runStates, () => [])),
    ];
    const told = () => {
      for (const command of shown) forgetCommand(command);
    };
    return { calls, background: background.slice(0, TOLD), told };
  }

  /** What the files say of the calls that were to change them. */
  async #files({ id, calls }: SessionLeft): Promise<ReadonlyMap<string, What>> {
    const found = new Map<string, What>();
    const byFile = new Map<string, Unresolved[]>();
    for (const call of calls) {
      const { root, file } = call.evidence ?? {};
      const name = JSON.stringify([root, file?.path]);
      if (file !== undefined) byFile.set(name, [...(byFile.get(name) ?? []), call]);
    }
    for (const group of byFile.values()) {
      const [first] = group;
      const { root = '', file } = first?.evidence ?? {};
      if (file === undefined) continue;
      const now = await this.#fileNow(id, root, file.path);
      const chain = group.flatMap(({ evidence }) => evidence?.file ?? []);
      for (const [at, call] of group.entries())
        found.set(call.call, typeof now === 'object' ? findingOf(chain, at, now.hash) : unknown(now));
    }
    return found;
  }

  /** What a file is now: its hash, null where there is none; a text where that cannot be told. */
  async #fileNow(id: string, root: string, path: string): Promise<{ hash: string | null } | string> {
    const own = [this.#parts.root, join(this.#parts.storeDir, 'sessions', id, 'local', 'files')];
    if (!own.some((folder) => isSame(folder, root))) return 'it worked in another folder';
    try {
      const workspace = new Workspace(root);
      const place = workspace.locate(path, 'read');
      return { hash: (await workspace.peek(place))?.hash ?? null };
    } catch {
      return `${quote(path)} could not be looked at`;
    }
  }

  async #other(call: Unresolved, { left, commands, batches, tree, runs }: Around): Promise<What> {
    if (call.evidence?.command !== undefined) return this.#command(call, commands, tree);
    switch (call.name) {
      case 'memory_remember':
      case 'memory_save':
        return this.#saved(left, call);
      case 'task':
        // By the call, too: a server may count its ids anew.
        return batches.some((batch) => batch.call === call.call && batch.started >= call.at)
          ? { finding: 'succeeded', detail: 'its tasks were started; see below, or call job' }
          : unknown('no task of it was found');
      case 'sessions_send':
      case 'sessions_spawn': {
        const kind = call.name === 'sessions_send' ? 'send' : 'spawn';
        return (await runs()).some(
          ({ run }) => run.kind === kind && run.call === call.call && run.created >= call.at,
        )
          ? { finding: 'succeeded', detail: 'it is on its way; job tells what became of it' }
          : unknown('nothing that it sent was found');
      }
      default:
        return unknown('what it did cannot be looked up from here');
    }
  }

  /** A command that was cut off may have done any part of what it does. */
  async #command(
    { call, evidence }: Unresolved,
    commands: readonly FoundCommand[],
    treeNow: Around['tree'],
  ): Promise<What> {
    const { root = '', command } = evidence ?? {};
    const note = commands.find((each) => each.call === call && each.command === command?.hash);
    const states = {
      running: `it still runs, as process ${note?.pid}`,
      unsure: `it may still run, as process ${note?.pid}`,
      gone: 'it was begun and runs no more',
    };
    const process = note === undefined ? 'there is no process of it' : states[note.state];
    if (!isSame(this.#parts.root, root)) return unknown(process);
    const tree = await treeNow();
    const isKnown = tree.status !== undefined && command?.status !== undefined;
    if (!isKnown) return unknown(process);
    const isSameTree = tree.head === command.head && tree.status === command.status;
    return unknown(
      `${process}; by git's account the work tree is ${isSameTree ? 'as it was before' : 'another than before'}`,
    );
  }

  /** A memory is saved before its call answers. */
  async #saved({ key: session, level }: SessionLeft, { input, at }: Unresolved): Promise<What> {
    const key = typeof input === 'object' && input !== null && !Array.isArray(input) ? input.key : undefined;
    if (typeof key !== 'string') return unknown('its input names no memory');
    const name = normalizeKey(key.toWellFormed());
    const [entry] = await this.#parts.store.fetch([name], { level }, false);
    if (entry === undefined || entry.updated < at)
      return { finding: 'failed', detail: 'the memory was not saved' };
    if (entry.session === session) return { finding: 'succeeded', detail: 'the memory is saved' };
    return unknown('another session has saved a memory under this key since');
  }

  async #ownRuns({ key, kind, level }: SessionLeft) {
    const requester = canonicalKey(key, kind);
    return (await this.#parts.sessions.runs({ level })).filter(({ run }) => run.requester === requester);
  }
}

/** What a file's content says of one of the calls that were to change it one after another. */
function findingOf(chain: readonly FileEvidence[], at: number, now: string | null): What {
  const own = chain[at] as FileEvidence;
  const path = quote(own.path);
  if (own.before === own.after)
    return now === own.after
      ? { finding: 'failed', detail: `${path} is as it was, and nothing in it was to change` }
      : unknown(`${path} is neither as it was nor as the call wanted it`);
  // The same content may come up twice: then the later calls were made, or their making changes nothing.
  const reached = chain.findLastIndex(({ after }) => after === now);
  if (reached >= at) return { finding: 'succeeded', detail: `${path} is as the call wanted it` };
  if (reached >= 0 || chain[0]?.before === now)
    return { finding: 'failed', detail: `${path} is as it was before the call` };
  return unknown(`${path} is neither as it was nor as the call wanted it`);
}

function unknown(detail: string): { readonly finding: Finding; readonly detail: string } {
  return { finding: 'unknown', detail };
}

function commandState({ session, call, pid, state, at }: FoundCommand): BackgroundState {
  const texts = { running: 'still runs', unsure: 'may still run', gone: 'runs no more' };
  const who = session.includes('/') ? ` of the subagent ${quote(session.split('/').at(-1) ?? '')}` : '';
  return {
    name: `command:${call}:${pid}:${at}:${state}`,
    text: `a command${who} (call ${oneLine(call)}, process ${pid}) ${texts[state]}`,
  };
}

function runStates(runs: readonly OutboxRun[]): BackgroundState[] {
  const open = runs.filter(({ run }) => run.ended === undefined);
  return open.map(({ run, isHeld }) => ({
    name: `run:${run.id}:${isHeld ? 'held' : 'waiting'}`,
    text: `${run.kind} to ${quote(run.target)} (job ${oneLine(run.id)}): ${isHeld ? 'goes on' : 'has lost its process, and is gone on with by the next one'}`,
  }));
}

function taskStates({ id, tasks, background }: BatchRecord): BackgroundState[] {
  return tasks.flatMap((task): BackgroundState[] => {
    const { status } = task;
    if (status !== 'pending' && status !== 'running' && status !== 'interrupted') return [];
    const state = status === 'interrupted' ? 'has lost its process' : status === 'running' ? 'runs' : 'waits';
    const kind = background ? 'background task' : 'task';
    return [{ name: `task:${id}:${task.id}:${status}`, text: `${kind} ${quote(task.id)}: ${state}` }];
  });
}

function once<T>(look: () => T): () => T {
  let seen: { readonly value: T } | undefined;
  return () => {
    seen ??= { value: look() };
    return seen.value;
  };
}

function isSame(folder: string, root: string): boolean {
  try {
    return realpathSync.native(folder) === root;
  } catch {
    return false;
  }
}
