import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { isoDate, parseTtl } from '../../memory/ttl.ts';
import { phrase } from '../../worker/api.ts';
import { authorOf, readerOf } from '../author.ts';
import { file, key, names, ttl } from '../fields.ts';
import { defineTool, question, ToolError } from '../tool.ts';

const MAX_VALUE = 65_536;

export const memorySecret = defineTool({
  name: 'memory_secret',
  family: 'memory',
  profile: 'full',
  effect: 'destructive',
  title: 'Secrets',
  description:
    'Keep a secret such as an API key apart from the memory: sealed on disk, never searched, recalled, exported or shared. action "store" keeps it, "list" names what there is without values, "get" returns a value after the person agreed, "forget" deletes one for good. Memories themselves never hold secrets: say in a memory under which key the secret is kept.',
  input: z.object({
    action: z.enum(['store', 'get', 'list', 'forget']).describe('store, get, list or forget'),
    key: key.optional().describe('Name of the secret'),
    value: z
      .string()
      .min(1, 'value is empty')
      .max(MAX_VALUE, `value is longer than ${MAX_VALUE} characters`)
      .optional()
      .describe('With store: the secret'),
    file: file.default('').describe('File that uses it'),
    tags: names.optional().describe('Tags, "a;b" or an array'),
    ttl: ttl.default('').describe('"24h", "30d" or an ISO date: gone after it'),
  }),
  effectOf: ({ action }) => (action === 'list' ? 'read' : action === 'forget' ? 'destructive' : 'write'),
  // Nobody is asked about a secret that has no name.
  refuse: ({ action, key: name }) => (action === 'list' || name !== undefined ? undefined : unnamed(action)),
  confirm({ action, key: name = '' }) {
    if (action === 'get') {
      return question(
        phrase('Show the secret “{0}” to the agent?', oneLine(name)),
        phrase('Its value becomes part of the chat, and of what its model is sent.'),
        false,
      );
    }
    if (action !== 'forget') return undefined;
    return question(
      phrase('Delete the secret “{0}” for good?', oneLine(name)),
      phrase('It is removed from disk and cannot be restored.'),
      false,
    );
  },
  async run({ action, key: name, value, file: usedBy, tags, ttl: life }, call, context) {
    const { care, sealing } = context;
    const { missing: locked } = await sealing.sealStatus();
    // What cannot be read is not nothing.
    if (locked !== undefined) throw new ToolError(phrase('{0} Nothing was read or changed.', locked));
    if (action === 'list') {
      const secrets = await care.secrets(readerOf(call));
      const lines = secrets.map((secret) =>
        [
          `  ${oneLine(secret.name)}`,
          secret.file === '' ? '' : `File: ${oneLine(secret.file)}`,
          secret.tags.length === 0 ? '' : `Tags: ${secret.tags.map(oneLine).join(';')}`,
          secret.expires === undefined ? '' : `TTL: ${isoDate(secret.expires)}`,
        ]
          .filter(Boolean)
          .join(' | '),
      );
      const text =
        lines.length === 0
          ? 'No secrets are kept.'
          : ['🔑 Secrets (values are not shown):', ...lines].join('\n');
      return { text, data: { secrets } };
    }
    if (name === undefined) throw new ToolError(unnamed(action));
    const shown = oneLine(name);
    if (action === 'store') {
      if (value === undefined) throw new ToolError('store needs value: the secret itself.');
      const expires = life === '' ? undefined : parseTtl(life, context.now());
      if (life !== '' && expires === undefined)
        throw new ToolError(`"${oneLine(life)}" is not a time to live. Use "24h", "30d" or an ISO date.`);
      await care.putSecret({ name, value, file: usedBy, tags: tags ?? [], expires }, authorOf(call, context));
      return {
        text: `🔐 Secret kept: ${shown}. It is sealed on disk and part of no search.`,
        data: { key: name },
      };
    }
    if (action === 'forget') {
      if (!(await care.dropSecret(name, authorOf(call, context)))) throw missing(shown);
      return { text: `The secret "${shown}" was deleted for good.`, data: { key: name } };
    }
    const secret = await care.secret(name, readerOf(call));
    if (secret === undefined) throw missing(shown);
    return { text: secret.value, data: { key: name, value: secret.value } };
  },
});

function unnamed(action: string): string {
  return `${action} needs key: the name of the secret, such as "npm-token".`;
}

function missing(name: string): ToolError {
  return new ToolError(
    `There is no secret "${name}" at this level, or it has expired. List what is kept with action "list".`,
  );
}
