import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretLintSourceCode } from '@secretlint/types';
import type { SecretKind, SecretSpan } from './redactKinds.ts';

/**
 * The preset's rules we run. Left out: `gcp` (reads files; its JSON form is a PEM key), `basicauth` and
 * `database-connection-string` (they report the whole URL; our URL rule keeps all but the password), and
 * `filter-comments`, which would let a text switch redaction off with a comment.
 */
const KIND_OF_RULE = new Map<string, SecretKind>([
  ['aws', 'AWS secret key'],
  ['privatekey', 'private key'],
  ['npm', 'npm token'],
  ['slack', 'Slack token'],
  ['sendgrid', 'SendGrid key'],
  ['shopify', 'Shopify key'],
  ['github', 'GitHub token'],
  ['openai', 'OpenAI key'],
  ['anthropic', 'Anthropic key'],
  ['linear', 'Linear key'],
  ['1password', '1Password token'],
]);

function notNeeded(): never {
  throw new Error('the rules we run do not ask for positions');
}

/** Long texts are read in pieces: some rules' quantifiers exhaust the engine's stack on megabytes. */
const WINDOW = 256 * 1024;
/** More than the longest secret of any rule (a PEM key of 10,000 characters). */
const OVERLAP = 16 * 1024;

/** What secretlint's recommended rules find in `content`. Pieces of a long text may report a secret twice. */
export async function findWithSecretlint(content: string): Promise<SecretSpan[]> {
  const spans: SecretSpan[] = [];
  for (let from = 0; from === 0 || from + OVERLAP < content.length; from += WINDOW) {
    await runRules(content.slice(from, from + WINDOW + OVERLAP), ({ start, end, kind }) =>
      spans.push({ start: from + start, end: from + end, kind }),
    );
  }
  return spans;
}

/**

 * The rules run without @secretlint/core: its profiler keeps every run's performance marks for the life of
 * the process, its removal of duplicates is quadratic, and it shifts ranges after a byte order mark.
 */
async function runRules(content: string, report: (span: SecretSpan) => void): Promise<void> {
  const source: SecretLintSourceCode = {
    hasBOM: false,
    content,
    filePath: 'memory.txt', // npm's rules for its own files report wrong ranges; ours cover them
    physicalFilePath: undefined,
    contentType: 'text',
    ext: '.txt',
    getFilePath: () => 'memory.txt',
    getPhysicalFilePath: () => undefined,
    locationToRange: notNeeded,
    rangeToLocation: notNeeded,
    positionToIndex: notNeeded,
    indexToPosition: notNeeded,
  };
  for (const rule of rules) {
    const kind = KIND_OF_RULE.get(rule.meta.id.replace('@secretlint/secretlint-rule-', ''));
    if (kind === undefined) continue;
    const handler = rule.create(
      {
        sharedOptions: {},
        createTranslator: () => (messageId) => ({
          message: '',
          messageId: String(messageId),
          data: undefined,
        }),
        report: ({ range }) => report({ start: range[0], end: range[1], kind }),
        ignore: () => {},
      },
      {},
    );
    await handler.file?.(source);
  }
}
