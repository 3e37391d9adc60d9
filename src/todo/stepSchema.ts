import { z } from 'zod';
import type { Step } from './steps.ts';

const text = z.string().max(10_000);

/** One step of a person's edit, as a door or a file brings it. */
export const stepSchema = z.union([
  z.object({ op: z.enum(['start', 'done', 'drop', 'rm', 'reopen']), task: text }),
  z.object({ op: z.enum(['done', 'drop', 'rm']), phase: text }),
  z.object({ op: z.literal('append'), phase: text, items: z.array(text).max(1000) }),
  z.object({ op: z.literal('note'), task: text, text }),
  z.object({ op: z.literal('rename'), task: text, to: text }),
  z.object({ op: z.literal('move'), task: text, phase: text, index: z.int().min(0) }),
  z.object({ op: z.literal('rename_phase'), phase: text, to: text }),
  z.object({ op: z.literal('add_phase'), phase: text, index: z.int().min(0) }),
  z.object({ op: z.literal('remove_phase'), phase: text }),
]) satisfies z.ZodType<Step>;
