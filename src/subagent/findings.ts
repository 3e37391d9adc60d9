/** What a reviewing subagent reports while it works, and how it comes into its output. */
import { z } from 'zod';
import type { JsonValue } from '../journal/record.ts';
import type { OutputSchema } from './outputSchema.ts';

const line = z
  .int()
  .min(0)
  .max(2 ** 32 - 1);

/** Input of `report_finding` (seed 000's reference). */
export const findingInput = z.object({
  title: z.string().trim().min(1).describe('What goes wrong, in one line'),
  body: z.string().describe('When it happens, why, and what would mend it'),
  priority: z.enum(['P0', 'P1', 'P2', 'P3']).describe('P0 must not ship … P3 worth knowing'),
  confidence: z.number().min(0).max(1),
  file_path: z.string().min(1),
  line_start: line,
  line_end: line,
});

export type Finding = z.infer<typeof findingInput>;

/** The same as JTD, for the output of agents that report findings. */
export const FINDING_SCHEMA = {
  properties: {
    title: { type: 'string' },
    body: { type: 'string' },
    priority: { enum: ['P0', 'P1', 'P2', 'P3'] },
    confidence: { type: 'float64' },
    file_path: { type: 'string' },
    line_start: { type: 'uint32' },
    line_end: { type: 'uint32' },
  },
};

/** Findings without repetitions: of those about the same place, priority and title the last one stays. */
export function distinctFindings(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [keyOf(finding), finding])).values()];
}

/**
 * A subagent's data with what it reported under `findings`, beside those it put there itself. Only where the schema
 * names that property, and only when the result fits it as well as before: a closed schema is never broken.
 */
export function withFindings(
  data: JsonValue,
  findings: readonly Finding[],
  schema: OutputSchema | undefined,
): JsonValue {
  const reported = distinctFindings(findings);
  if (reported.length === 0 || !schema?.declares('findings')) return data;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  const known = new Set(reported.map(keyOf));
  const own = Array.isArray(data.findings) ? data.findings.filter((one) => !known.has(keyOf(one))) : [];
  const whole = { ...data, findings: [...own, ...reported] };
  return schema.check(whole).length <= schema.check(data).length ? whole : data;
}

function keyOf(finding: Finding | JsonValue): string {
  const { file_path, line_start, line_end, priority, title } = Object(finding) as Partial<Finding>;
  return JSON.stringify([file_path, line_start, line_end, priority, title]);
}
