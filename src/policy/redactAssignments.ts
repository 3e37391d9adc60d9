import type { SecretKind, SecretSpan } from './redactKinds.ts';
import { endOfRun, trimEnd } from './redactScan.ts';
import { isSecretValue } from './redactValue.ts';

/**
 * A credential's name, what may close it (a quote, Markdown emphasis) and the sign of assignment. No left
 * boundary: `DB_PASSWORD`, `clientSecret` and `접속비밀번호` count too.
 */
const HEAD =
  /(pass(?:word|wd|phrase|code)|pwd|[_-]pass|(?<![A-Za-z])pw|비밀번호|패스워드|비번|암호|(secret)[_-]?access[_-]?key|secret[_-]?key|(?:shared)?access[_-]?key|account[_-]?key|private[_-]?key|api[_-]?key|api ?키|인증 ?키|token|토큰|secret|시크릿|credential|authorization)(?:[은는이가](?=[ \t:=：]))?(?:\\*["'`]|\*\*|__|\])?[ \t]*(:=|=>|={1,3}|:|：|>)(?:\*\*)?[ \t]*/gi;

const CLOSING_QUOTE: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '‘': '’',
  '「': '」',
};

/** A judgement needs no more of a value than this, which bounds the work that one head can cause. */
const JUDGED = 128;
const LONGEST_QUOTED = 4096;

/**
 * An unquoted value ends at blanks, quotes, markup, our filler, and CJK characters, since Korean particles
 * follow a value directly.
 */
const VALUE = /[^\s"'`<\u1100-\u11ff\u2018-\u201f\u2026\u3000-\u9fff\uac00-\ud7af\uff00-\uffff]{0,128}/y;

/** Separators that end a value where a next `name=` or nothing follows: `;User Id=`, `&page=`. */
const NEXT_PAIR = /[,;&](?=\s|$|["'`]|[\w .-]{1,40}=)/;

/** Whether the text assigns anything to a credential's name. */
export function mayHoldAssignment(view: string): boolean {
  return view.search(HEAD) !== -1;
}

/** Values that are assigned to a credential's name: `password=…`, `"apiKey": "…"`, `비밀번호: …`. */
export function findAssignments(view: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const head = new RegExp(HEAD);
  for (let match = head.exec(view); match !== null; match = head.exec(view)) {
    const [all, name = '', , sign = ''] = match;
    const before = view[match.index - 1] ?? '';
    const kind = kindOf(name.toLowerCase());
    const value = readValue(view, match.index + all.length);
    if (value.end === value.start) continue;
    const text = view.slice(value.start, Math.min(value.end, value.start + JUDGED));
    const secret = isSecretValue(text, {
      strong: kind === 'password',
      quoted: value.quoted,
      tight: (sign === '=' || sign === '>') && all.endsWith(sign) && !/\s/.test(all.slice(name.length)),
      colon: sign === ':' || sign === '：',
      env: sign === '=' && name === name.toUpperCase() && /[A-Z]/.test(name) && !/[a-z]/.test(before),
    });
    if (!secret) continue;
    const cutOff = !value.quoted && value.end - value.start === JUDGED;
    const end = cutOff ? endOfRun(view, value.end, VALUE) : value.end;
    spans.push({ start: value.start, end, kind });
    head.lastIndex = end;
  }
  return spans;
}

function kindOf(name: string): SecretKind {
  if (/^(?:pass|pwd|pw|[_-]pass)|비|패스|암호/.test(name)) return 'password';
  if (name.startsWith('secret') && name.includes('access')) return 'AWS secret key';
  if (/api|인증/.test(name)) return 'API key';
  if (name.startsWith('private')) return 'private key';
  if (/(?:access|account)[_-]?key/.test(name)) return 'access key';
  return /token|토큰|auth/.test(name) ? 'token' : 'secret';
}

interface Value {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

function readValue(view: string, at: number): Value {
  let quoteAt = at;
  while (view[quoteAt] === '\\' && quoteAt - at < 64) quoteAt++;
  const closing = CLOSING_QUOTE[view[quoteAt] ?? ''];
  if (closing !== undefined) {
    const start = quoteAt + 1;
    const end = findClosing(view, start, closing, quoteAt - at);
    if (end !== -1) return { start, end, quoted: true };
    at = start;
  }
  const run = runAt(view, at);
  const cut = NEXT_PAIR.exec(view.slice(at, at + run.length + 42))?.index ?? run.length;
  const value = trimEnd(run.slice(0, cut), '.,;:)]}>|*\\');
  return { start: at, end: at + value.length, quoted: false };
}

function runAt(view: string, at: number): string {
  VALUE.lastIndex = at;
  return VALUE.exec(view)?.[0] ?? '';
}

/** The quote that closes at the depth of escaping it was opened at, on the same line. */
function findClosing(view: string, start: number, quote: string, depth: number): number {
  const limit = Math.min(view.length, start + LONGEST_QUOTED);
  let slashes = 0;
  for (let i = start; i < limit; i++) {
    const char = view[i];
    if (char === '\n') return -1;
    if (char === quote && slashes <= depth) return i - slashes;
    slashes = char === '\\' ? slashes + 1 : 0;
  }
  return -1;
}
