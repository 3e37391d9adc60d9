/** What transcripts say of what a session does to the world, and with what it is run. */
import type { JsonValue } from '../journal/record.ts';

/** What is known of whether a call took effect. */
export type Finding = 'succeeded' | 'failed' | 'unknown';

/** What a call does beside answering. `record`: it only adds to its own transcript. */
export type CallEffect = 'record' | 'write' | 'destructive' | 'execute' | 'unknown';

/** A file that a call changes. Hashes are SHA-256 of its bytes in base64. */
export interface FileEvidence {
  /** From the folder of the tools, with slashes. */
  readonly path: string;
  /** Null: there is no such file. */
  readonly before: string | null;
  readonly after: string;
}

/** A command that a call runs, and the work tree before it. */
export interface CommandEvidence {
  /** SHA-256 of the command line, hexadecimal. */
  readonly hash: string;
  /** The commit that is checked out; absent outside a repository. */
  readonly head?: string;
  /** SHA-256 of what git says has changed; absent where that took too long. */
  readonly status?: string;
}

/** By what it can be told later whether a call took effect. */
export interface CallEvidence {
  /** Real path of the folder that it works in. */
  readonly root: string;
  readonly file?: FileEvidence;
  readonly command?: CommandEvidence;
}

/** What a call is about to do. */
export interface CallIntent {
  /** The call's id in the transcript. */
  readonly call: string;
  readonly name: string;
  readonly effect: CallEffect;
  /** The same for the same call: SHA-256 of its id, its name and its input, hexadecimal. */
  readonly key: string;
  readonly evidence?: CallEvidence;
}

/** A call that an intent announced has its answer. */
export interface CallOutcome {
  readonly call: string;
  readonly key: string;
  readonly ended: 'ok' | 'error';
}

/** Somebody looked at what a resume could not tell. */
export interface Acknowledged {
  readonly by: 'person' | 'agent';
  readonly calls: readonly { readonly id: string; readonly finding: Finding; readonly evidence?: string }[];
  /** Settings that are looser than when the session was left, and that the person wants to count from now on. */
  readonly policy?: PolicyValues;
}

/** Values of settings by their keys; one that is not set is not there. */
export type PolicyValues = Readonly<Record<string, JsonValue>>;

/** With what a session is run: written at its start and whenever it changes. Hashes are of SHA-256, hexadecimal. */
export interface RunState {
  /** The process's app that runs it. */
  readonly instance: string;
  readonly key: string;
  readonly kind: string;
  readonly source: string;
  /** The workspace folder and the store's folder. */
  readonly roots: { readonly folder: string; readonly store: string };
  readonly model: string;
  /** Hash of the system prompt. */
  readonly prompt: string;
  /** Hashes of the tools' descriptions and schemas, by name. */
  readonly tools: Readonly<Record<string, string>>;
  /** What is in force: who may see and do what, and how much. */
  readonly policy: PolicyValues;
  /** Looser values that do not count until the person agrees. */
  readonly asked?: PolicyValues;
}
