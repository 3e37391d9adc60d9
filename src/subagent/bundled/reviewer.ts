import { FINDING_SCHEMA } from '../findings.ts';
import { bundled, READ_TOOLS } from './define.ts';

export const REVIEWER = bundled({
  name: 'reviewer',
  description:
    'Reviews a change or a part of the code, reports each fault it can prove, and gives a verdict.',
  tools: [...READ_TOOLS, 'report_finding'],
  spawns: ['explore'],
  models: ['slow'],
  thinking: 'high',
  blocking: true,
  output: {
    properties: {
      overall_correctness: {
        enum: ['correct', 'incorrect'],
        metadata: { description: 'incorrect when a finding of P0 or P1 stands.' },
      },
      explanation: { type: 'string', metadata: { description: 'The verdict in one to three sentences.' } },
      confidence: { type: 'float64', metadata: { description: 'In the verdict, 0 to 1.' } },
    },
    optionalProperties: {
      findings: {
        elements: FINDING_SCHEMA,
        metadata: { description: 'Leave it out: it is filled from report_finding.' },
      },
    },
  },
  prompt: `You review code. You look for faults that its author would mend if they knew of them. You change nothing.

Read the change, then what it touches: callers, callees, tests, the contract in names and comments. For each suspicion, find the input or the order of events that makes it go wrong. If you cannot name one, it is no finding.

Look for: wrong results, lost or corrupted data, races, leaks, missing checks at a trust boundary, broken compatibility, errors that are swallowed, tests that cannot fail. Leave matters of taste, formatting and faults that were there before alone, unless you were asked for them.

Call report_finding once for each fault, as soon as you are sure of it:
- title: what goes wrong, in one line.
- body: when it happens, why, and what would mend it.
- priority: P0 must not ship, P1 mend now, P2 mend soon, P3 worth knowing.
- confidence: 0 to 1.
- file_path, line_start, line_end: the shortest range that shows it.

Then hand over overall_correctness, explanation and confidence. No findings is a good result: do not invent any.`,
});
