/**
 * Checkpoint and rewind as a state machine over the records of a session: none → active → pending → none.
 *
 * The machine only reads records, so a resumed session has the state it was left in. What a tool call changes
 * are records, too: the machine proposes them, and they count once they are appended and folded.
 */
import { boundaryOf, contextTokens, type Message, sizeOf } from './messages.ts';
import type { CheckpointEvent, Draft, RewindReport, SessionRecord } from './record.ts';

const CHARACTERS_PER_TOKEN = 4;

/** What has happened since a checkpoint. */
export interface Since {
  messages: number;
  tools: number;
  /** By how much the context grew: as the model counted, else at four characters a token. */
  tokens: number;
}

export interface ActiveCheckpoint {
  /** The uuid of its record. */
  uuid: string;
  goal: string;
  startedAt: string;
  since: Since;
  /** The report that takes effect at the end of the turn; there is one when the state is `pending`. */
  report: string | undefined;
}

/** A checkpoint that came to its end, for whoever looks back. */
export interface EndedCheckpoint {
  /** The uuid of its record. */
  uuid: string;
  goal: string;
  startedAt: string;
  endedAt: string;
  /** Undefined when it was given up. */
  report: string | undefined;
  since: Since;
}

/** What a tool answers, and the records to append before it does. */
export type CheckpointAnswer =
  | { ok: true; text: string; drafts: Draft[]; details: { report: string; rewound: true } | undefined }
  | { ok: false; error: string };

/** Who calls: the session's depth and, where there is one, the id of the tool call. */
export interface CheckpointCall {
  readonly depth: number;
  readonly callId?: string | undefined;
}

/** What a machine knew when a turn ended. */
interface TurnMark {
  readonly uuid: string | undefined;
  readonly since: Since | undefined;
  readonly characters: number;
  readonly tokens: number;
  readonly isCompleted: boolean;
}

const BEGINNING: TurnMark = {
  uuid: undefined,
  since: undefined,
  characters: 0,
  tokens: 0,
  isCompleted: false,
};
const IN_SUBAGENT = 'Checkpoint not available in subagents.';

export class CheckpointMachine {
  #active: (ActiveCheckpoint & { callId: string | undefined; rewindCallId: string | undefined }) | undefined;
  #characters = 0;
  /** Context when the checkpoint was created, and now; 0 while no model has counted. */
  #tokensThen = 0;
  #tokens = 0;
  #lastUuid = '';
  /** Whether the last checkpoint came to its end by a rewind. */
  #isCompleted = false;
  readonly #ended: EndedCheckpoint[] = [];
  /** By the uuid of the turn's `end`. */
  readonly #turns = new Map<string, TurnMark>();

  get state(): 'none' | 'active' | 'pending' {
    if (!this.#active) return 'none';
    return this.#active.report === undefined ? 'active' : 'pending';
  }

  get active(): ActiveCheckpoint | undefined {
    const active = this.#active;
    if (!active) return undefined;
    const { uuid, goal, startedAt, report, since } = active;
    const grown = this.#tokensThen > 0 ? this.#tokens - this.#tokensThen : 0;
    const tokens = grown > 0 ? grown : Math.ceil(this.#characters / CHARACTERS_PER_TOKEN);
    return { uuid, goal, startedAt, report, since: { ...since, tokens } };
  }

  /** All checkpoints that were rewound or given up, oldest first. */
  get ended(): readonly EndedCheckpoint[] {
    return this.#ended;
  }

  /** A copy that takes in records of its own. */
  fork(): CheckpointMachine {
    const copy = new CheckpointMachine();
    copy.#active = this.#active && { ...this.#active, since: { ...this.#active.since } };
    copy.#characters = this.#characters;
    copy.#tokensThen = this.#tokensThen;
    copy.#tokens = this.#tokens;
    copy.#lastUuid = this.#lastUuid;
    copy.#isCompleted = this.#isCompleted;
    copy.#ended.push(...this.#ended);
    for (const [uuid, mark] of this.#turns) copy.#turns.set(uuid, mark);
    return copy;
  }

  /** Takes in the next record of the transcript. */
  fold(record: SessionRecord): void {
    this.#lastUuid = record.uuid;
    if (record.type === 'checkpoint') this.#event(record.uuid, record.timestamp, record.checkpoint);
    else if (record.type === 'rewind_report') this.#rewound(record.rewind_report, record.timestamp);
    else if (record.type === 'end') {
      if (record.end.reason === 'aborted') this.#end(record.timestamp, undefined);
      this.#mark(record.uuid);
    } else if (record.type === 'returned') this.#return(record.returned.to, record.timestamp);
    else if (record.type === 'message') {
      // What a summary takes the place of was counted, and its usage is not the conversation's.
      if (record.summary_of !== undefined || boundaryOf(record.message)) return;
      if (record.usage) this.#tokens = contextTokens(record.usage);
      this.#count(record.message);
    }
  }

  /** The tool `checkpoint`. */
  create(goal: string, { depth, callId }: CheckpointCall): CheckpointAnswer {
    if (depth > 0) return { ok: false, error: IN_SUBAGENT };
    if (this.#active) return { ok: false, error: 'Checkpoint already active.' };
    const text = `Checkpoint created.\nGoal: ${goal}\nInvestigate now, then call rewind with a concise report of what you found.`;
    const checkpoint = {
      event: 'created',
      goal,
      ...(callId === undefined ? {} : { call_id: callId }),
    } as const;
    return { ok: true, text, drafts: [{ type: 'checkpoint', checkpoint }], details: undefined };
  }

  /** The tool `rewind`. Nothing happens to the view before `turnEnd`; a second report replaces the first. */
  rewind(text: string, { depth, callId }: CheckpointCall): CheckpointAnswer {
    if (depth > 0) return { ok: false, error: IN_SUBAGENT };
    if (!this.#active) return { ok: false, error: this.#whyNone() };
    const report = text.trim();
    if (report === '') return { ok: false, error: 'Report cannot be empty.' };
    const checkpoint = {
      event: 'requested',
      checkpoint: this.#active.uuid,
      report,
      ...(callId === undefined ? {} : { call_id: callId }),
    } as const;
    return {
      ok: true,
      text: 'Rewind requested.\nReport captured for context replacement.',
      drafts: [{ type: 'checkpoint', checkpoint }],
      details: { report, rewound: true },
    };
  }

  /** A person gives the checkpoint up; what was explored stays in the context. */
  cancel(): Draft[] {
    if (!this.#active) return [];
    return [{ type: 'checkpoint', checkpoint: { event: 'cancelled', checkpoint: this.#active.uuid } }];
  }

  /** The records that carry out a requested rewind; to be appended together when the turn ends. */
  turnEnd(): Draft[] {
    const active = this.#active;
    if (active?.report === undefined) return [];
    const { uuid, goal, report, startedAt, rewindCallId } = active;
    return [
      {
        type: 'branch_summary',
        parent_uuid: uuid,
        branch_summary: { checkpoint: uuid, from: this.#lastUuid, summary: report },
      },
      {
        type: 'rewind_report',
        rewind_report: {
          checkpoint: uuid,
          goal,
          report,
          started_at: startedAt,
          ...(rewindCallId === undefined ? {} : { call_id: rewindCallId }),
        },
      },
    ];
  }

  #whyNone(): string {
    if (!this.#isCompleted) return 'No active checkpoint. Create one with checkpoint first.';
    return 'No active checkpoint. The rewind is already completed: its report is in the context. Go on with the task.';
  }

  #event(uuid: string, at: string, event: CheckpointEvent): void {
    if (event.event === 'created') {
      const { goal, call_id: callId } = event;
      const since = { messages: 0, tools: 0, tokens: 0 };
      this.#active = { uuid, goal, startedAt: at, since, report: undefined, callId, rewindCallId: undefined };
      this.#characters = 0;
      this.#tokensThen = this.#tokens;
      this.#isCompleted = false;
      return;
    }
    // Whatever names another checkpoint than the active one is stale.
    if (this.#active?.uuid !== event.checkpoint) return;
    if (event.event === 'cancelled') this.#end(at, undefined);
    else {
      this.#active.report = event.report;
      this.#active.rewindCallId = event.call_id;
    }
  }

  #rewound({ checkpoint, report }: RewindReport, at: string): void {
    if (this.#active?.uuid !== checkpoint) return;
    this.#end(at, report);
    this.#isCompleted = true;
    // The context is again what it was at the checkpoint.
    this.#tokens = this.#tokensThen;
  }

  #mark(turn: string): void {
    const active = this.#active;
    this.#turns.set(turn, {
      uuid: active?.uuid,
      since: active && { ...active.since },
      characters: this.#characters,
      tokens: this.#tokens,
      isCompleted: this.#isCompleted,
    });
  }

  /** A checkpoint that was not open where the person went back to is given up. */
  #return(to: string | undefined, at: string): void {
    const mark = to === undefined ? BEGINNING : this.#turns.get(to);
    if (!mark) return;
    const active = this.#active;
    if (active && mark.since && active.uuid === mark.uuid) active.since = { ...mark.since };
    else this.#end(at, undefined);
    this.#characters = mark.characters;
    this.#tokens = mark.tokens;
    this.#isCompleted = mark.isCompleted;
  }

  #end(endedAt: string, report: string | undefined): void {
    const { active } = this;
    if (!active) return;
    const { uuid, goal, startedAt, since } = active;
    this.#ended.push({ uuid, goal, startedAt, endedAt, report, since });
    this.#active = undefined;
  }

  #count({ content }: Message): void {
    const active = this.#active;
    if (!active) return;
    // The message with the checkpoint's own result still belongs to what was before.
    if (content.some((block) => block.type === 'tool_result' && block.tool_use_id === active.callId)) return;
    active.since.messages++;
    active.since.tools += content.filter((block) => block.type === 'tool_use').length;
    this.#characters += sizeOf(content);
  }
}
