import { z } from 'zod';
import { readerOf } from './author.ts';
import { defineTool } from './tool.ts';

const DEFAULT_LIMIT = 50;
const MOST = 1000;

export const auditShow = defineTool({
  name: 'audit_show',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Show Audit Log',
  description:
    'Decisions about who may see and do what, newest first: levels that rose, calls that were denied, what was deleted for good.',
  input: z.object({
    limit: z.int().min(1, 'limit starts at 1').max(MOST, `limit ends at ${MOST}`).default(DEFAULT_LIMIT),
    /** The `next` of the page before. */
    before: z.string().max(64).optional(),
  }),
  async run(query, call, context) {
    const page = await context.audit.auditPage(query, readerOf(call));
    const { length } = page.records;
    return { text: `${length} ${length === 1 ? 'record' : 'records'}`, data: page };
  },
});

export const auditVerify = defineTool({
  name: 'audit_verify',
  family: 'memory',
  profile: 'person',
  effect: 'read',
  title: 'Verify Audit Log',
  description: 'Whether the audit log is as it was written, and which record is not.',
  input: z.object({}),
  async run(_input, _call, context) {
    const verdict = await context.audit.auditVerify();
    const wrong = verdict.problems.map(({ file, record, reason }) => `${file}, record ${record}: ${reason}`);
    const text = verdict.ok
      ? `${verdict.records} records in ${verdict.files} files verify.`
      : `The audit log does not verify:\n${wrong.join('\n')}`;
    return { text, data: verdict };
  },
});
