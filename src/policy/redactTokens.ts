import type { SecretKind, SecretSpan } from './redactKinds.ts';
import { endOfRun, trimEnd } from './redactScan.ts';
import { isMask, isPlaceholder, isTechnicalTerm, looksRandom } from './redactValue.ts';

/*
 * Every pattern starts with a literal, has no two neighbouring quantifiers over the same characters and
 * bounds what it may scan and give up again: the time is linear in the text whatever it contains. Bounded
 * quantifiers also keep the engine's stack small; `endOfToken` goes on where one of them stops.
 */

const LONGEST_MATCH = 1024;
const TOKEN_CHARS = /[A-Za-z0-9._~+/=-]{0,1024}/y;

/** Tokens that a prefix gives away. */
const PREFIXED: readonly (readonly [SecretKind, RegExp])[] = [
  // secretlint's rule knows only one of the three ways such a token may end.
  ['1Password token', /(?<![A-Za-z0-9])ops_eyJ[A-Za-z0-9+/_-]{60,1024}={0,2}/g],
  ['AWS access key', /(?<![A-Za-z0-9])(?:AKIA|ASIA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])/g],
  [
    'Stripe key',
    /(?<![A-Za-z0-9])(?:(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,1024}|whsec_[A-Za-z0-9+/]{16,1024}={0,2})/g,
  ],
  ['Google API key', /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,1024}/g],
  ['Google OAuth token', /(?<![A-Za-z0-9])(?:ya29\.[A-Za-z0-9._-]{20,1024}|GOCSPX-[A-Za-z0-9_-]{20,1024})/g],
  [
    'GitLab token',
    /(?<![A-Za-z0-9])(?:gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|wt|soat|ffct)-|GR1348941)[A-Za-z0-9_-]{16,1024}(?:\.[A-Za-z0-9_-]{2,64}){0,3}/g,
  ],
];

/** Each own rule's literal; one scan over them decides whether the rules run at all. */
const TOKEN_MARKERS =
  /AKIA|ASIA|A3T[A-Z0-9]|[sr]k_(?:live|test)_|whsec_|AIza|ya29\.|GOCSPX-|gl[a-z]{2,5}-|GR1348941|sk-[A-Za-z0-9_-]{20}|eyJ|PRIVATE KEY|:\/\/[^\s/]{0,769}@|(?:[Bb]earer|BEARER|[Bb]asic|BASIC)[ \t]|_authToken=/;

/**
 * What the secretlint rules we run cannot do without (their patterns' literals, or a wider form of them).
 * Checked on the same view the rules see.
 */
const SECRETLINT_MARKERS =
  /(?:SECRET|secret|Secret)_?(?:ACCESS|access|Access)_?(?:KEY|key|Key)|PRIVATE KEY|npm_|xox[bpaor]-|xapp-|[Hh][Oo][Oo][Kk][Ss]\.[Ss][Ll][Aa][Cc][Kk]|SG\.\w|shp(?:pa|ca|at|ss)_|gh[pousr]_|github_pat_|sk-(?:ant-|proj-|svcacct-|admin-|[A-Za-z0-9]{20})|lin_api_|ops_ey/;

/** Whether one of the rules in {@link findTokens} may find something. */
export function mayHoldToken(view: string): boolean {
  return TOKEN_MARKERS.test(view);
}

/** Whether one of secretlint's rules may find something. */
export function maySuitSecretlint(view: string): boolean {
  return SECRETLINT_MARKERS.test(view);
}

/** Tokens, keys and credentials that are recognised by their own form, whatever stands around them. */
export function findTokens(view: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const [kind, pattern] of PREFIXED) {
    for (const { token, start, end } of tokensLike(pattern, view)) {
      if (!isMask(token.slice(-12)) && !token.endsWith('EXAMPLE')) spans.push({ start, end, kind });
    }
  }
  for (const { token, start, end } of tokensLike(/(?<![A-Za-z0-9])sk-([A-Za-z0-9_-]{20,1024})/g, view)) {
    if (looksRandom(token)) spans.push({ start: start - 3, end, kind: 'API key' });
  }
  for (const { 0: jwt, index } of view.matchAll(JWT)) {
    if (hasJwtHeader(jwt)) spans.push({ start: index, end: index + jwt.length, kind: 'JWT' });
  }
  return spans.concat(findPrivateKeys(view), findAuthorization(view), findUrlPasswords(view));
}

interface Token {
  readonly match: RegExpExecArray;
  readonly token: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The matches of a global pattern; the token is its last group (or all of it) and stands at its end. A
 * token longer than the pattern may match is followed to where it ends, and the search goes on there.
 */
function* tokensLike(pattern: RegExp, view: string): Generator<Token> {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(view); match !== null; match = pattern.exec(view)) {
    const token = match.at(-1) ?? '';
    let end = match.index + match[0].length;
    const start = end - token.length;
    if (token.length >= LONGEST_MATCH) end = endOfRun(view, end, TOKEN_CHARS);
    pattern.lastIndex = end;
    yield { match, token, start, end };
  }
}

const JWT = /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8192}(?:\.[A-Za-z0-9_-]{0,65536}){2,4}/g;

function hasJwtHeader(jwt: string): boolean {
  const header = jwt.slice(0, jwt.indexOf('.'));
  try {
    const value: unknown = JSON.parse(Buffer.from(header, 'base64url').toString());
    return typeof value === 'object' && value !== null && 'alg' in value;
  } catch {
    return false;
  }
}

const PEM_MARK = /-----(BEGIN|END) ?(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;

/** PEM and PGP blocks, also with headers or without their last line. */
function findPrivateKeys(view: string): SecretSpan[] {
  if (!view.includes('PRIVATE KEY')) return [];
  const spans: SecretSpan[] = [];
  const marks = [...view.matchAll(PEM_MARK)];
  marks.forEach((mark, i) => {
    if (mark[1] !== 'BEGIN') return;
    const next = marks[i + 1];
    const bodyStart = mark.index + mark[0].length;
    const body = view.slice(bodyStart, next?.index ?? view.length);
    if (next?.[1] === 'END') {
      // A body without a line of base64 is an example in documentation.
      if (/[A-Za-z0-9+/]{16}/.test(body))
        spans.push({ start: mark.index, end: next.index + next[0].length, kind: 'private key' });
      return;
    }
    const end = endOfRun(body, 0, /\s{0,8}[A-Za-z0-9+/]{32,1024}|\s{1,8}[A-Za-z0-9+/]{1,64}={1,2}/y);
    if (end > 0) spans.push({ start: mark.index, end: bodyStart + end, kind: 'private key' });
  });
  return spans;
}

const SCHEME = /(?<![A-Za-z])([Bb]earer|BEARER|[Bb]asic|BASIC)[ \t]+["'`]?([A-Za-z0-9._~+/-]{6,1024}={0,2})/g;

/** `Bearer …` anywhere, and `Basic …` when it decodes to `user:password`. */
function findAuthorization(view: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { match, token, start, end } of tokensLike(SCHEME, view)) {
    const value = trimEnd(token, '.~/-');
    const valueEnd = end - (token.length - value.length);
    if (match[1]?.toLowerCase() === 'basic') {
      if (/^[\x20-\x7e]+:[\x20-\x7e]*$/.test(Buffer.from(value, 'base64').toString('latin1')))
        spans.push({ start, end: valueEnd, kind: 'basic credentials' });
      continue;
    }
    const isHeader = /authorization["'`]?[ \t]*[:=][ \t]*["'`]?$/i.test(
      view.slice(Math.max(0, match.index - 40), match.index),
    );
    const mixed = /[0-9]/.test(value) && /[A-Za-z]/.test(value) && !isTechnicalTerm(value);
    if (!isPlaceholder(value) && (looksRandom(value) || (mixed && (isHeader || value.length >= 16))))
      spans.push({ start, end: valueEnd, kind: 'bearer token' });
  }
  return spans;
}

/** Up to the last `@` of the authority, since people do not always encode one inside a password. */
const URL_CREDENTIALS = /:\/\/([^\s:@/?#"'`<>\uffff]{0,256}):([^\s/?#"'`<>\uffff]{1,512})@/g;

/** Passwords in `scheme://user:password@host`, and the two forms of npm's configuration. */
function findUrlPasswords(view: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { 0: match, 1: user = '', 2: password = '', index } of view.matchAll(URL_CREDENTIALS)) {
    const userStart = index + 3;
    if (password === 'x-oauth-basic') {
      if (!isPlaceholder(user)) spans.push({ start: userStart, end: userStart + user.length, kind: 'token' });
    } else if (!isPlaceholder(password)) {
      const end = index + match.length - 1;
      spans.push({ start: end - password.length, end, kind: 'URL password' });
    }
  }
  for (const { token, start, end } of tokensLike(/_authToken=["']?([^\s"'`\uffff]{6,1024})/g, view)) {
    if (!isPlaceholder(token)) spans.push({ start, end, kind: 'npm token' });
  }
  return spans;
}
