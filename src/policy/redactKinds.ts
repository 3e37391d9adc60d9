/**
 * The kinds of secret that redaction names, most telling first: where two findings overlap, the earlier
 * kind names the redaction.
 */
export const SECRET_KINDS = [
  'private key',
  'AWS access key',
  'AWS secret key',
  'GitHub token',
  'GitLab token',
  'npm token',
  'Slack token',
  'SendGrid key',
  'Shopify key',
  'OpenAI key',
  'Anthropic key',
  'Linear key',
  '1Password token',
  'Stripe key',
  'Google API key',
  'Google OAuth token',
  'JWT',
  'bearer token',
  'basic credentials',
  'URL password',
  'API key',
  'access key',
  'token',
  'secret',
  'password',
] as const;

export type SecretKind = (typeof SECRET_KINDS)[number];

/** A secret found in a text: where it starts, where it ends (exclusive), what it is. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: SecretKind;
}

/** The words that stand for a redacted secret. */
export function redactionOf(kind: SecretKind): string {
  return `[redacted: ${kind}]`;
}

/** Only our own kinds, so that nobody hides a secret by writing it into the brackets. */
const REDACTION = new RegExp(`\\[redacted: (?:${SECRET_KINDS.join('|')})\\]`, 'g');

/** A noncharacter that no rule takes for a part of a secret, a letter or a blank. */
const FILLER = '\uffff';

/**
 * JSON escapes, at any depth of quoting. A letter that starts a known prefix or word stays: `\token=` and
 * `\npm_` are more likely a path than an escape followed by the rest of the word.
 */
const ESCAPE = /(?<!\\)\\+(?:n(?!pm_)|r(?!k_live_|k_test_)|t(?!oken)|u[0-9a-fA-F]{4})/g;

/**
 * The text as the rules see it, each character at its place: redactions are opaque, escaped line breaks
 * are blanks, so that what follows them starts a word.
 */
export function viewOf(text: string): string {
  let view = text;
  if (view.includes('[redacted: ')) view = view.replace(REDACTION, (mark) => FILLER.repeat(mark.length));
  if (view.includes('\\')) view = view.replace(ESCAPE, (match) => ' '.repeat(match.length));
  return view;
}

/**
 * The view with everything outside ASCII opaque: secretlint takes no token that touches a letter, and a
 * Korean particle is one.
 */
export function asciiViewOf(view: string): string {
  return view.replace(/[\u0080-\uffff]/g, FILLER);
}
