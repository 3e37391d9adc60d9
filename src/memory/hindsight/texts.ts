/** What is told of a server, for whoever calls and for the person. */
import type { Phrase } from '../../backendProtocol.ts';
import { clip } from '../line.ts';

/** A text for the person, whose English is a literal with holes `{0}`, `{1}` …, so that it can be translated. */
export function phrase(text: string, ...values: readonly (string | number)[]): Phrase {
  return { text, values };
}

/** A phrase in English, with its holes filled. */
export function fill({ text, values }: Phrase): string {
  return text.replace(/\{(\d)\}/g, (hole, index: string) => String(values[Number(index)] ?? hole));
}

/** Why a backend did not do what it was asked; its message says what to do next. */
export class BackendError extends Error {
  override readonly name = 'BackendError';
  readonly phrase: Phrase;

  constructor(said: Phrase) {
    super(fill(said));
    this.phrase = said;
  }
}

/** That the server did not take what waits, for the person. */
export function retentionFailed(count: number, why: string): Phrase {
  return count === 1
    ? phrase(
        'Memory retention failed for 1 memory: {0}. It waits on this machine and is sent again; the Memory view shows it.',
        why,
      )
    : phrase(
        'Memory retention failed for {0} memories: {1}. They wait on this machine and are sent again; the Memory view shows them.',
        count,
        why,
      );
}

/** That what waits is another server's. */
export function keptForAnother(count: number, server: string): Phrase {
  return phrase(
    '{0} were kept for another server, {1}. Choose it again, or send them to this one with "Retry Now".',
    count,
    server,
  );
}

/** Longest part of what a server says that is told on, in characters. */
const LONGEST = 300;

/** The reason in what a server answered: `detail`, `message`, or the whole of it; empty where it says nothing. */
export function detailOf(body: unknown): string {
  if (typeof body === 'string') return clip(body, LONGEST);
  if (typeof body !== 'object' || body === null) return '';
  const { detail, message } = body as { detail?: unknown; message?: unknown };
  const said = detail ?? message;
  if (typeof said === 'string') return clip(said, LONGEST);
  if (Array.isArray(said)) {
    const reasons = said.map((each: unknown) => (each as { msg?: unknown } | null)?.msg);
    return clip(reasons.filter((reason) => typeof reason === 'string').join('; '), LONGEST);
  }
  return Object.keys(body).length === 0 ? '' : clip(JSON.stringify(body), LONGEST);
}
