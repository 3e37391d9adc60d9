/** The tool by which a reviewing subagent reports what it finds while it works. */
import { z } from 'zod';
import type { JsonValue } from '../journal/record.ts';
import type { ToolSpec } from '../session/chatModel.ts';
import type { LoopResult } from '../session/turnCalls.ts';
import { type Finding, findingInput } from './findings.ts';

export const REPORT_FINDING = 'report_finding';
/** More than this nobody reads, and a model that goes on is in a loop. */
const MOST = 500;

/** The tool as the model is told of it. */
export function findingSpec(): ToolSpec {
  const { $schema: _, ...schema } = z.toJSONSchema(findingInput, { io: 'input' });
  return {
    name: REPORT_FINDING,
    description:
      'Reports one finding as soon as you are sure of it: one problem, one place. What you report comes into your output by itself.',
    inputSchema: schema as Readonly<Record<string, JsonValue>>,
  };
}

/** Takes a call into `findings`, or says what is wrong with it. */
export function takeFinding(input: unknown, findings: Finding[]): LoopResult {
  if (findings.length >= MOST)
    return { text: `${MOST} findings are reported: that is enough. Call yield.`, isError: true };
  const parsed = findingInput.safeParse(input);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { text: `The finding was not taken: ${problems.join('; ')}`, isError: true };
  }
  findings.push(parsed.data);
  return { text: `Finding ${findings.length} taken.`, isError: false };
}
