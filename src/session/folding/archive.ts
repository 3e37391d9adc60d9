/** The original of what a block folds, as a Markdown file that a person and a model can read. */
import { blockName, type FoldBlock, sectionText } from './blocks.ts';
import { type Core, textOfBlock } from './identity.ts';
import type { Folds } from './rebuild.ts';
import { refOf } from './refs.ts';

const KINDS: Readonly<Record<Core['block']['type'], string>> = {
  text: 'text',
  thinking: 'thinking',
  tool_use: 'call',
  tool_result: 'result',
  compact_boundary: 'boundary',
};

/**
 * A block's archive: front matter, then its summary and each of its originals in a fence. Of a block of blocks these are
 * the sections that it folds.
 */
export function archiveText(session: string, folds: Folds, block: FoldBlock): string {
  const parts = block.tier === 1 ? block.refs.map((ref) => corePart(folds, ref)) : sectionParts(folds, block);
  return [
    frontMatter(session, block),
    '# Summary',
    fenced(block.summary, ''),
    '# Original',
    ...parts,
    '',
  ].join('\n\n');
}

function frontMatter(session: string, block: FoldBlock): string {
  const { number, tier, topic, refs, children, callId, digest } = block;
  const fields: [string, unknown][] = [
    ['block', blockName(number)],
    ['tier', tier],
    ['session', session],
    ['topic', topic],
    ['from', refOf(refs[0] ?? 0)],
    ['to', refOf(refs.at(-1) ?? 0)],
    ['children', children.map(blockName)],
    ['call', callId],
    ['digest', digest],
  ];
  // JSON is YAML, whatever a text holds.
  return ['---', ...fields.map(([name, value]) => `${name}: ${JSON.stringify(value)}`), '---'].join('\n');
}

function corePart({ cores, messages }: Folds, ref: number): string {
  const core = cores[ref - 1];
  if (core === undefined) return '';
  const role = messages[core.message]?.role ?? 'user';
  const { block, tool } = core;
  const who = tool === '' ? role : `${role}, ${JSON.stringify(tool)}`;
  return `## ${refOf(ref)} · ${who} · ${KINDS[block.type]}\n\n${fenced(textOfBlock(block), block.type === 'tool_use' ? 'json' : '')}`;
}

function sectionParts({ blocks }: Folds, { children }: FoldBlock): readonly string[] {
  return children.flatMap((number) => {
    const child = blocks.get(number);
    return child === undefined ? [] : [`## ${blockName(number)}\n\n${fenced(sectionText(child), '')}`];
  });
}

/** A text in a fence that it cannot end. What no file can hold, halves of characters, is written as JSON. */
function fenced(text: string, language: string): string {
  const [body, kind] = text.isWellFormed() ? [text, language] : [JSON.stringify(text), 'json-string'];
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${kind}\n${body}\n${fence}`;
}
