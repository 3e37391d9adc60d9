import { z } from 'zod';
import { ORIGINS } from '../../memory/entry.ts';
import { clip, oneLine } from '../../memory/line.ts';
import { normalizeKey } from '../../memory/operation.ts';
import { confidenceOf, referencedKeys } from '../../memory/quality.ts';
import { isoDate } from '../../memory/ttl.ts';
import type { RememberOutcome } from '../../worker/api.ts';
import { authorOf } from '../author.ts';
import { category, content, file, importance, key, names, pathScope, ttl } from '../fields.ts';
import { block, headline, nameOf, redactionLine } from '../render.ts';
import { defineTool } from '../tool.ts';
import { DRAFT_NOTE, keptAsItIs, savesDrafts } from './proactive.ts';

export const memoryRemember = defineTool({
  name: 'memory_remember',
  family: 'memory',
  profile: 'core',
  effect: 'write',
  title: 'Remember',
  description:
    'Save to the project memory, for later chats and other agents: a decision and why, a pattern, a bug and its fix, knowledge, or a warning ("do not …"). Use it when the user says "remember", "note", "from now on", when something was decided or rejected (decision "rejected-<topic>", tag rejected). An existing key is added to; replace: true makes this its content. Never save secrets.',
  input: z.object({
    category: category,
    key: key.describe('Short name, such as "use-zod"'),
    content: content.describe('With the reason; [[key]] refers to another memory'),
    file: file.optional().describe('"path" or "path:line"'),
    tags: names.optional().describe('"a;b"; left out: inferred'),
    links: names.optional().describe('Related keys'),
    unlink: names.optional().describe('Links or file to remove'),
    ttl: ttl.optional().describe('"24h", "7d" or a date'),
    importance: importance.optional(),
    origin: z.enum(ORIGINS).optional(),
    pathScope: pathScope.optional().describe('Folder or glob'),
    path_scope: pathScope.optional(),
    replace: z.boolean().optional(),
  }),
  async run(input, call, context) {
    const { path_scope, ...rest } = input;
    const isDraft = savesDrafts(call, context.settings);
    const outcome = await context.store.remember(
      {
        ...rest,
        ttl: input.ttl || undefined,
        pathScope: input.pathScope || path_scope || undefined,
        file: input.file || undefined,
        ...(isDraft && { draft: { confidence: draftConfidence(input) } }),
      },
      authorOf(call, context),
    );
    if (!isDraft) return { text: describe(outcome, input.unlink ?? [], context.now()), data: { ...outcome } };
    if (outcome.entry.status !== 'draft') throw keptAsItIs(oneLine(outcome.entry.key));
    // A draft that is written again stays one.
    const draft = { ...outcome, revived: false };
    const text = `${describe(draft, input.unlink ?? [], context.now())}\n📝 ${DRAFT_NOTE}`;
    return { text, data: draft };
  },
});

/** That of a memory: who accepts the draft has no better measure. */
function draftConfidence({ origin, file: path, tags }: z.output<typeof memoryRemember.input>): number {
  return confidenceOf(origin ?? 'agent', { file: path ?? '', tags: tags ?? [] });
}

function describe(outcome: RememberOutcome, unlink: readonly string[], now: number): string {
  const { entry } = outcome;
  const lines = [`🧠 ${outcome.created || outcome.revived ? 'Saved' : 'Updated'}: ${nameOf(entry)}`];
  lines.push(`🎯 Quality: ${entry.quality.toFixed(2)} | Confidence: ${entry.confidence.toFixed(2)}`);
  if (entry.expires !== undefined) {
    lines.push(
      `⏰ TTL: ${isoDate(entry.expires)}${entry.expires <= now ? ' (already past: it will not be recalled)' : ''}`,
    );
  }
  if (outcome.inferredTags.length > 0) lines.push(`🏷️ Inferred tags: ${outcome.inferredTags.join(';')}`);
  lines.push(...unlinkLines(outcome, unlink));
  if (outcome.revived)
    lines.push(
      '♻️ The key had been out of recall (forgotten, archived, expired or a draft); it is active again with this text.',
    );
  if (outcome.keptContent) {
    lines.push(
      `↺ The content was kept and the new text became a revision shown with it. Call again with replace: true to make it the content. Content: ${clip(entry.content, 120)}`,
    );
  }
  lines.push(...redactionLine(outcome.redacted));
  if (outcome.contradictions.length > 0) {
    lines.push('⚠️ May contradict what is remembered:');
    for (const { entry: other, overlap } of outcome.contradictions)
      lines.push(`  ${headline(other)} (${percent(overlap)} overlap)`);
  }
  if (outcome.rejected.length > 0) {
    lines.push('🚫 Rejected before on this topic:');
    lines.push(...outcome.rejected.map((other) => block(other)));
  }
  const said = new Set([
    ...outcome.contradictions.map((other) => other.entry.id),
    ...outcome.rejected.map(({ id }) => id),
  ]);
  const duplicates = outcome.duplicates.filter((other) => !said.has(other.entry.id));
  if (duplicates.length > 0) {
    lines.push('👯 Likely duplicates (save under their key instead, or forget one):');
    for (const { entry: other, overlap } of duplicates) {
      lines.push(`  ${headline(other)} (${percent(overlap)} overlap)`);
      said.add(other.id);
    }
  }
  const related = outcome.related.filter((other) => !said.has(other.id));
  if (related.length > 0)
    lines.push('🔗 Related entries:', ...related.map((other) => `  ${headline(other)}`));
  return lines.join('\n');
}

/** What was taken off, and what of it was not there. */
function unlinkLines({ entry, unlinked }: RememberOutcome, unlink: readonly string[]): string[] {
  const gone = unlinked.length > 0 ? [`✂️ Removed: ${unlinked.map(oneLine).join(', ')}`] : [];
  if (unlinked.length >= unlink.length) return gone;
  const inText = referencedKeys(entry.content);
  const others = [
    ...new Set(unlink.map((name) => normalizeKey(name.replace(/^\[\[(.*)\]\]$/su, '$1')))),
  ].filter((name) => !unlinked.includes(name));
  return [
    ...gone,
    ...others.map((name) =>
      inText.includes(name)
        ? `"${oneLine(name)}" still stands in the content as [[${oneLine(name)}]]: call again with replace: true.`
        : `"${oneLine(name)}" is neither a link nor the file of this memory.`,
    ),
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
