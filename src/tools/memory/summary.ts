import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { authorOf, readerOf } from '../author.ts';
import { file, summary } from '../fields.ts';
import { redactionLine } from '../render.ts';
import { defineTool, ToolError } from '../tool.ts';

export const memorySummary = defineTool({
  name: 'memory_summary',
  family: 'memory',
  profile: 'full',
  effect: 'write',
  title: 'File Summary',
  description:
    'Save or read the summary of a file, so that a later session need not read the file again. action "set" stores a few sentences on what the file does; "get" reads them back, without a file it lists the files that have one.',
  input: z.object({
    action: z.enum(['get', 'set']).describe('get or set'),
    file: file.default('').describe('Path relative to the folder'),
    summary: summary.optional().describe('With set: the summary; empty removes it'),
  }),
  effectOf: ({ action }) => (action === 'get' ? 'read' : 'write'),
  async run(input, call, context) {
    const path = normalizePath(input.file);
    const name = oneLine(path);
    if (input.action === 'set') {
      if (path === '')
        throw new ToolError(
          'file is empty: name the file that the summary is about, relative to the folder.',
        );
      const { summary } = input;
      if (summary === undefined)
        throw new ToolError(
          'summary is missing: say in a few sentences what the file does, or give "" to remove its summary.',
        );
      const { redacted } = await context.store.setSummary(path, summary.trim(), authorOf(call, context));
      const text = summary.trim() === '' ? `Summary of ${name} removed` : `📝 Summary saved for ${name}`;
      return { text: [text, ...redactionLine(redacted)].join('\n'), data: { file: path } };
    }
    const summaries = await context.store.summaries(readerOf(call));
    if (path === '') {
      const files = Object.keys(summaries).sort();
      return {
        text:
          files.length === 0
            ? 'No summaries saved yet.'
            : `📝 Files with a summary:\n${files.map((each) => `  ${oneLine(each)}`).join('\n')}`,
        data: { files },
      };
    }
    const summary = Object.hasOwn(summaries, path) ? summaries[path] : undefined;
    return {
      text: summary ?? `No summary for "${name}". Read the file, then save one with action: "set".`,
      data: { file: path, summary: summary ?? null },
    };
  },
});

function normalizePath(path: string): string {
  return path.toWellFormed().normalize('NFC').trim().replaceAll('\\', '/').replace(/^\.\//, '');
}
