import { z } from 'zod';
import { ORIGINS } from '../../memory/entry.ts';
import { clip } from '../../memory/line.ts';
import { isoDate } from '../../memory/ttl.ts';
import type { RememberOutcome } from '../../worker/api.ts';
import { authorOf } from '../author.ts';
import { category, content, file, importance, key, names, pathScope, ttl } from '../fields.ts';
import { block, headline, nameOf, redactionLine } from '../render.ts';
import { defineTool } from '../tool.ts';

export const memoryRemember = defineTool({
  name: 'memory_remember',
  family: 'memory',
  profile: 'core',
  effect: 'write',
  title: 'Remember',
  description:
    'Save something worth knowing in later sessions to the project memory: a decision and why, a pattern, a bug and its fix, knowledge, or a warning ("do not …"). Use it when the user says "remember", "note", "from now on", or when a decision was made, an option was rejected (category decision, tags "rejected", key "rejected-<topic>"), or a hard bug was understood. Memory lasts across chats, windows and agents. Saving an existing key enriches it: tags and links are united, and a different text is kept beside the old one; replace: true makes the new text the content. The answer shows related memories, likely duplicates, warnings and rejected decisions on the topic: read them. Never save secrets.',
  input: z.object({
    category: category.describe('decision, pattern, bug, knowledge, or warning for "do not" memories'),
    key: key.describe('Short unique name, such as "use-zod" or "rejected-graphql"'),
    content: content.describe('What to remember, with the reason. Refer to other memories as [[key]]'),
    file: file.optional().describe('File it is about, "path" or "path:line", relative to the folder'),
    tags: names.optional().describe('Tags, "a;b" or an array. Left out: inferred from the content'),
    links: names.optional().describe('Keys of related memories, "a;b" or an array'),
    ttl: ttl.optional().describe('When it expires: "24h", "7d" or an ISO date. Left out: never'),
    importance: importance.optional().describe('critical, high, medium or low. Left out: automatic'),
    origin: z
      .enum(ORIGINS)
      .optional()
      .describe('"inferred" when you guessed it rather than were told: lowers the confidence'),
    pathScope: pathScope.optional().describe('Folder or glob the memory applies to'),
    path_scope: pathScope.optional().describe('The same as pathScope'),
    replace: z
      .boolean()
      .optional()
      .describe('Make this the content of an existing key; the old text stays as a revision'),
  }),
  async run(input, call, context) {
    const { path_scope, ...rest } = input;
    const outcome = await context.store.remember(
      {
        ...rest,
        ttl: input.ttl || undefined,
        pathScope: input.pathScope || path_scope || undefined,
        file: input.file || undefined,
      },
      authorOf(call, context),
    );
    return { text: describe(outcome, context.now()), data: { ...outcome } };
  },
});

function describe(outcome: RememberOutcome, now: number): string {
  const { entry } = outcome;
  const lines = [`🧠 ${outcome.created || outcome.revived ? 'Saved' : 'Updated'}: ${nameOf(entry)}`];
  lines.push(`🎯 Quality: ${entry.quality.toFixed(2)} | Confidence: ${entry.confidence.toFixed(2)}`);
  if (entry.expires !== undefined) {
    lines.push(
      `⏰ TTL: ${isoDate(entry.expires)}${entry.expires <= now ? ' (already past: it will not be recalled)' : ''}`,
    );
  }
  if (outcome.inferredTags.length > 0) lines.push(`🏷️ Inferred tags: ${outcome.inferredTags.join(';')}`);
  if (outcome.revived)
    lines.push('♻️ The key had been forgotten or had expired; it is active again with this text.');
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

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
