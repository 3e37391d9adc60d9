/** What a file has to hold to be taken for the record of a batch: others of the same user can write there, too. */
import { z } from 'zod';
import { isSafePath } from '../git/names.ts';
import { LEVELS } from '../policy/level.ts';
import type { BatchRecord } from './batchRecord.ts';
import { isArtifactId } from './ids.ts';

/** Becomes part of a path. */
const id = z.string().refine(isArtifactId);
/** Becomes an argument of git. */
const objectId = z.string().regex(/^[0-9a-f]{40,64}$/);
const count = z.number().nonnegative();
const toolUse = z.object({ tool: z.string(), args: z.string(), at: z.number() });

const progress = z.object({
  current: toolUse.optional(),
  recent: z.array(toolUse),
  lines: z.array(z.string()),
  tools: count,
  tokens: count,
});

const file = z.object({
  path: z.string(),
  status: z.enum(['added', 'modified', 'deleted']),
  added: count,
  removed: count,
  binary: z.boolean(),
});

const finding = z.object({
  title: z.string(),
  body: z.string(),
  priority: z.enum(['P0', 'P1', 'P2', 'P3']),
  confidence: z.number(),
  file: z.string(),
  lineStart: z.number(),
  lineEnd: z.number(),
});

const objects = { head: objectId, base: objectId, tree: objectId, commits: objectId.optional() };
const nested = z.object({
  ...objects,
  prefix: z.string().refine((prefix) => isSafePath(prefix.replace(/\/$/, ''))),
});

const landing = z.object({
  state: z.enum(['waiting', 'applied', 'no_changes', 'recoverable', 'discarded', 'reverted']),
  reason: z.string().optional(),
  recovery: z.string().optional(),
  patch: z.string().optional(),
  work: z.object({ id, ...objects, nested: z.array(nested).optional() }).optional(),
  merge: z.literal('branch').optional(),
  undo: id.optional(),
  parts: z
    .array(z.object({ path: z.string(), hunks: z.array(count).optional(), undo: id.optional() }))
    .optional(),
  landed: z.array(z.string()).optional(),
});

const task = z.looseObject({
  id,
  level: z.enum(LEVELS).optional(),
  name: z.string(),
  description: z.string(),
  assignment: z.string(),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'cancelled', 'interrupted']),
  started: z.number().optional(),
  ended: z.number().optional(),
  error: z.string().optional(),
  warning: z.string().optional(),
  progress,
  preview: z.string(),
  output: z.string().optional(),
  findings: z.array(finding),
  files: z.array(file),
  landing: landing.optional(),
  worktree: z.string().optional(),
});

const batch = z.looseObject({
  version: z.literal(1),
  id,
  session: id,
  level: z.enum(LEVELS),
  call: z.string().optional(),
  agent: z.string(),
  context: z.string(),
  schema: z.string(),
  isolated: z.boolean(),
  background: z.boolean(),
  started: z.number(),
  ended: z.number().optional(),
  owner: z.object({ pid: z.number(), host: z.string(), started: z.number().optional() }),
  tasks: z.array(task),
});

/** The record in a file's text; undefined for what is none of ours, or one of a newer version. */
export function parseBatch(text: string): BatchRecord | undefined {
  return batch.safeParse(JSON.parse(text)).data;
}
