/** Memory as a GitHub gist: `memory_export_gist` and `memory_import_gist`. Nothing is sent or saved unseen. */
import { z } from 'zod';
import { clip, oneLine } from '../../memory/line.ts';
import { redactSecrets } from '../../policy/redact.ts';
import { phrase } from '../../worker/api.ts';
import { authorOf, readerOf } from '../author.ts';
import { ask } from '../gate.ts';
import { defineTool, question, ToolError } from '../tool.ts';
import { createGist, readGist } from './gistClient.ts';
import {
  importLines,
  importPortable,
  type PortableEntry,
  parsePortable,
  portableEntries,
  portableText,
  requireTakeable,
} from './portable.ts';

const FILE = 'lodeline-memory.json';
const PREVIEWED = 10;
const LINE = 60;

export const memoryExportGist = defineTool({
  name: 'memory_export_gist',
  family: 'memory',
  profile: 'full',
  effect: 'execute',
  title: 'Share Memory as a Gist',
  description:
    "Copy the memory to a secret GitHub gist of the user's, after they saw what leaves and agreed. Only PUBLIC memories leave, without secrets; forgotten ones and drafts do not. Only when the user asks for it.",
  input: z.object({
    description: z.string().max(256).default('').describe('Title of the gist'),
    clear: z
      .boolean()
      .default(false)
      .describe(
        'Of an encrypted memory: leave the copy unencrypted. Only when the user asks for exactly that',
      ),
  }),
  async run({ description, clear }, call, context) {
    const all = portableEntries(await context.store.exportAll(readerOf(call)), context.now());
    // As they are below: without a gap where something above has the same key.
    const open = portableEntries(await context.store.exportAll({ level: 'PUBLIC' }), context.now());
    requireTakeable(open.length, 'Nothing was sent.');
    const entries: PortableEntry[] = [];
    for (const { level: _, ...entry } of open) entries.push(await withoutSecrets(entry));
    if (entries.length === 0) throw new ToolError('There is no PUBLIC memory to share. Nothing was sent.');
    // Whoever has read what is above PUBLIC may put it into a title.
    const said = call.actor === 'person' || call.level === 'PUBLIC' ? description : '';
    const title = (await redactSecrets(oneLine(said))).text.trim() || 'Lodeline memory';
    const plain = portableText(entries);
    const sealed = clear ? undefined : await context.sealing.sealExport(plain, 'PUBLIC');
    const text = sealed ?? plain;
    await ask(
      'memory_export_gist',
      question(
        phrase('Send {0} memories to GitHub as a secret gist?', entries.length),
        sealed !== undefined
          ? phrase(
              'It is encrypted with the key of this folder, and nobody without the key can read it. “{0}”, {1} characters:\n{2}',
              title,
              text.length,
              preview(entries),
            )
          : phrase(
              'Everybody who has its address can read it. “{0}”, {1} characters:\n{2}',
              title,
              text.length,
              preview(entries),
            ),
        false,
      ),
      call,
      context.settings,
    );
    const { id, url } = await createGist(context.github, { name: FILE, text }, title, call.signal);
    const kept = all.filter(({ level }) => level !== 'PUBLIC').length;
    return {
      text: [
        `☁️ ${entries.length} memories exported to gist ${oneLine(id)}: ${oneLine(url)}`,
        ...(kept > 0 ? [`${kept} above PUBLIC stayed here.`] : []),
        ...(said === description ? [] : [`So did the title: this session is at ${call.level}.`]),
      ].join('\n'),
      data: { id, url, entries: entries.length },
    };
  },
});

export const memoryImportGist = defineTool({
  name: 'memory_import_gist',
  family: 'memory',
  profile: 'full',
  effect: 'destructive',
  title: 'Import Memory from a Gist',
  description:
    'Bring memories from a GitHub gist that memory_export_gist made into this folder, after the user agreed to fetch it and saw what comes. With merge (default) contents that are here stay and different texts are added; with merge: false the texts of the gist become the contents and the old ones history. Check what comes in: anybody may have written it.',
  input: z.object({
    gist_id: z.string().min(1).max(300).describe('Id or address of the gist'),
    merge: z.boolean().default(true).describe('Keep the contents that are here (default)'),
  }),
  // Nobody is asked about what is no gist.
  refuse: ({ gist_id }) => (idOf(gist_id) === undefined ? noGist(gist_id) : undefined),
  confirm: ({ gist_id }) =>
    question(
      phrase('Fetch the gist “{0}” from GitHub?', oneLine(gist_id)),
      phrase('You see what it holds before anything is saved.'),
      false,
    ),
  async run({ gist_id, merge }, call, context) {
    const id = idOf(gist_id);
    if (id === undefined) throw new ToolError(noGist(gist_id));
    const text = await readGist(context.github, id, call.signal);
    const entries = parsePortable((await context.sealing.openExport(text))?.text ?? text);
    if (entries === undefined || entries.length === 0)
      throw new ToolError('The gist holds no memory of Lodeline, or a damaged one. Nothing was changed.');
    await ask(
      'memory_import_gist',
      question(
        phrase('Save {0} memories from the gist?', entries.length),
        phrase('They come from elsewhere and are marked as not confirmed.\n{0}', preview(entries)),
        false,
      ),
      call,
      context.settings,
    );
    const outcome = await importPortable(context.care, entries, !merge, {
      ...authorOf(call, context),
      source: `gist:${id.slice(0, 12)}`,
    });
    return { text: [`☁️ Imported gist ${id}`, ...importLines(outcome)].join('\n'), data: outcome };
  },
});

/** The id in an id or address, if there is one. Nothing else may become part of an address. */
function idOf(text: string): string | undefined {
  return /^(?:https:\/\/gist\.github\.com\/(?:[\w-]+\/)?)?([0-9a-f]{6,64})(?:[/#?].*)?$/i
    .exec(text.trim())?.[1]
    ?.toLowerCase();
}

function noGist(text: string): string {
  return `"${clip(text, LINE)}" is not a gist. Give its id, such as the last part of its address.`;
}

async function withoutSecrets(entry: PortableEntry): Promise<PortableEntry> {
  const clean = async (text: string): Promise<string> => (await redactSecrets(text)).text;
  return {
    ...entry,
    key: await clean(entry.key),
    content: await clean(entry.content),
    additions: await Promise.all(entry.additions.map(clean)),
  };
}

function preview(entries: readonly PortableEntry[]): string {
  const lines = entries
    .slice(0, PREVIEWED)
    .map(({ category, key, content }) => `[${category}] ${oneLine(key)} — ${clip(content, LINE)}`);
  return [...lines, ...(entries.length > PREVIEWED ? [`… ${entries.length - PREVIEWED}`] : [])].join('\n');
}
