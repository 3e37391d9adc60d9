import { findAssignments, mayHoldAssignment } from './redactAssignments.ts';
import {
  asciiViewOf,
  redactionOf,
  SECRET_KINDS,
  type SecretKind,
  type SecretSpan,
  viewOf,
} from './redactKinds.ts';
import { findTokens, mayHoldToken, maySuitSecretlint } from './redactTokens.ts';
import { isMask } from './redactValue.ts';

/** A text without its secrets, and the kinds that were found, each once, in the order of the text. */
export interface Redaction {
  readonly text: string;
  readonly found: string[];
}

/**
 * A redaction changes what its neighbours touch, so a next pass may see more; the passes end when one
 * finds nothing, which makes the result stable. Real texts need two; the bound is against crafted ones.
 */
const MAX_PASSES = 8;

/**
 * Replaces every secret in `text` by `[redacted: <kind>]`. Never throws, keeps everything else as it is,
 * and leaves an already redacted text alone. A text without suspicious words costs one scan.
 */
export async function redactSecrets(text: string): Promise<Redaction> {
  let current = text;
  const kinds = new Set<SecretKind>();
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const spans = await findSecrets(current);
    if (spans.length === 0) break;
    for (const { kind } of spans) kinds.add(kind);
    current = replaceSpans(current, spans);
  }
  return { text: current, found: [...kinds] };
}

/**
 * Redacts every string and every array of strings among the fields of an object; other values pass
 * unchanged. A secret split across two fields is not seen.
 */
export async function redactFields<T extends Record<string, unknown>>(
  fields: T,
): Promise<{ fields: T; found: string[] }> {
  const found = new Set<string>();
  const redact = async (value: unknown): Promise<unknown> => {
    if (typeof value === 'string') {
      const result = await redactSecrets(value);
      for (const kind of result.found) found.add(kind);
      return result.text;
    }
    if (!Array.isArray(value)) return value;
    const items: unknown[] = [];
    for (const item of value) items.push(typeof item === 'string' ? await redact(item) : item);
    return items;
  };
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) result[key] = await redact(value);
  // Each value keeps its type: a string stays a string, an array of strings an array of strings.
  return { fields: result as T, found: [...found] };
}

async function findSecrets(text: string): Promise<SecretSpan[]> {
  const view = viewOf(text);
  let spans: SecretSpan[] = [];
  if (mayHoldToken(view)) spans = findTokens(view);
  if (mayHoldAssignment(view)) spans = spans.concat(findAssignments(view));
  if (maySuitSecretlint(view)) {
    const { findWithSecretlint } = await import('./redactSecretlint.ts');
    for (const span of await findWithSecretlint(asciiViewOf(view))) {
      if (!isMask(view.slice(span.end - 12, span.end))) spans.push(span);
    }
  }
  return mergeOverlaps(spans);
}

function mergeOverlaps(spans: SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = [];
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
      continue;
    }
    const kind = rank(span.kind) < rank(last.kind) ? span.kind : last.kind;
    merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end), kind };
  }
  return merged;
}

function rank(kind: SecretKind): number {
  return SECRET_KINDS.indexOf(kind);
}

function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, kind } of spans) {
    parts.push(text.slice(from, start), redactionOf(kind));
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}
