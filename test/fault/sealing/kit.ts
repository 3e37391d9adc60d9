/** What the tests of sealing share: a store with something of everything in it, and a look for what must not be there. */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { SealSwitch } from '../../../src/journal/sealSwitch.ts';
import { CaptureLog } from '../../../src/memory/capture.ts';
import type { Level } from '../../../src/policy/level.ts';
import { Inbox } from '../../../src/session/inbox.ts';
import { foldsDir } from '../../../src/session/place.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { FoldFiles } from '../../../src/worker/foldFiles.ts';
import type { TurnOwner } from '../../../src/worker/sessionApi.ts';
import { filesUnder } from '../../unit/support/files.ts';
import { AGENT, PERSON } from '../../unit/support/folder.ts';
import { type Opened, type OpenOptions, openParts } from './open.ts';
import { fillWorks, WORKS } from './works.ts';

/** Where another program keeps who is at work. */
const FOREIGN = ['.toon-memory', 'memory', 'sessions'];
export const OWNER: TurnOwner = { key: 'k', kind: 'participant', source: 'test', level: 'PUBLIC' };

/** Each text that is somewhere in a filled store, and nowhere once it is sealed. */
export const MARKS = [
  ...[
    'entry-key',
    'content',
    'revision',
    'tagged',
    'file',
    'forgotten',
    'summary',
    'hangul-한글표식',
    'secret-level',
  ],
  ...[
    'backup-note',
    'chat',
    'plan',
    'given',
    'run',
    'title',
    'captured',
    'presence',
    'reason',
    'folded',
    'damaged',
    'snapshot',
    'retained',
  ],
]
  .map((name) => `mark-${name}-7f3a`)
  .concat(Object.values(WORKS));

function mark(name: string): string {
  const found = MARKS.find((each) => each.includes(`-${name}`));
  if (found === undefined) throw new Error(`no mark ${name}`);
  return found;
}

/** Opens everything of a folder; closed with the test. */
export function openAll(folder: string, given: OpenOptions = {}): Opened {
  const opened = openParts(folder, given);
  onTestFinished(() => opened.close().catch(() => {}));
  return opened;
}

export function ringOf(folder: string): KeyRing {
  return new KeyRing({ dir: join(folder, 'keys'), seals: new SealSwitch(join(folder, 'store')) });
}

/** Puts something of everything into a store; `audits`: into the audit log, too. */
export async function fill(
  folder: string,
  { store, sessions, spool }: Opened,
  { audits = true }: { audits?: boolean } = {},
): Promise<void> {
  const remember = (key: string, content: string, more: object = {}, level: Level = 'PUBLIC') =>
    store.remember({ category: 'decision', key, content, ...more }, { ...AGENT, level });
  await remember('one', mark('content'), { tags: [mark('tagged')], file: `src/${mark('file')}.ts` });
  await remember('one', mark('revision'));
  await remember('two', mark('forgotten'));
  await store.forget({ target: 'two', action: 'soft', reason: mark('reason') } as never, AGENT);
  await remember(mark('entry-key'), mark('hangul'));
  await remember('above', mark('secret-level'), {}, 'RESTRICTED');
  await store.setSummary('src/a.ts', mark('summary'), AGENT);
  await store.care.copy('backup', PERSON, mark('backup-note'));
  await store.care.copy('snapshot', PERSON, mark('snapshot'));
  mkdirSync(join(folder, ...FOREIGN), { recursive: true });
  await store.browse({ filter: {}, sort: 'updated', descending: true, limit: 5, offset: 0 }, PERSON);
  // A process rewrites its own records, and those of this one would live as long as the test.
  if (audits)
    await store.audit.auditRecord({
      ...{ kind: 'denied', level: 'PUBLIC', actor: 'agent' },
      session: 's',
      source: 'x',
      reason: mark('reason'),
    });
  const { id } = await sessions.turnBegin(OWNER, [
    { type: 'message', message: { role: 'user', content: [{ type: 'text', text: mark('chat') }] } } as never,
  ]);
  await sessions.turnEnd(id, [], { reason: 'answered' } as never);
  await sessions.todoWrite(
    { ...OWNER },
    [{ op: 'init', list: [{ phase: 'P', items: [mark('plan')] }] }] as never,
    60,
  );
  const keys = ringOf(folder);
  const place = {
    dir: join(folder, 'store', 'sessions'),
    keys,
    defaultLevel: 'PUBLIC',
    now: Date.now,
  } as const;
  new Inbox({ ...place, id: 'waiting' }).give({ type: 'returned', returned: { to: mark('given') } });
  await sessions.runPut({
    ...{ id: 'run-1', kind: 'send', level: 'PUBLIC', created: 1, requester: 'a', target: 'b' },
    request: { text: mark('run') },
  });
  await sessions.sessionOverride(
    { id: idOf(OWNER.key) } as never,
    { title: mark('title') } as never,
    { level: 'PUBLIC' } as never,
  );
  const captures = new CaptureLog({
    dir: join(folder, 'store', 'captured'),
    defaultLevel: 'PUBLIC',
    now: Date.now,
    keys,
  });
  await captures.add({
    ...{ session: 's', agent: 'a', branch: 'main', level: 'PUBLIC', tool: 'edit', file: 'a.ts' },
    input: { command: mark('captured') },
  });
  // As a hook leaves it, whose process has ended.
  for (const name of readdirSync(join(folder, 'store', 'captured')))
    renameSync(
      join(folder, 'store', 'captured', name),
      join(folder, 'store', 'captured', name.replace(`-${process.pid}-`, '-99999999-')),
    );
  await sessions.attend({
    ...{ key: 's', agent: 'a', branch: 'main', level: 'PUBLIC', root: folder },
    files: [`src/${mark('presence')}.ts`],
  });
  const top = idOf(OWNER.key);
  new FoldFiles({ dir: foldsDir({ ...place, id: top }), session: top, keys, defaultLevel: 'PUBLIC' }).commit(
    'PUBLIC',
    [{ path: 'tier1/b1_m00001-m00002.md', block: 'h', text: mark('folded') }],
    { density: 2, blocks: [] },
  );
  const damaged = join(folder, 'store', 'memory', 'journal', 'damaged');
  mkdirSync(damaged, { recursive: true });
  writeFileSync(join(damaged, 'x-0-1.bin'), `half of ${mark('damaged')}`);
  await fillWorks(folder);
  await spool.spoolPut([
    {
      ...{
        key: 'k',
        documentId: 'd',
        bank: 'b',
        level: 'PUBLIC',
        context: '',
        tags: [],
        metadata: {},
        at: 1,
      },
      content: mark('retained'),
    },
  ]);
  await sessions.searchTranscripts('chat', { level: 'PUBLIC' } as never, 5);
  await sessions.tidy();
  await store.tidy();
}

/** Files under a folder in which a text stands, in any of the ways in which it could. */
export function filesWith(folder: string, texts: readonly string[] = MARKS): string[] {
  const wanted = texts.flatMap((text) => {
    const utf8 = Buffer.from(text, 'utf8');
    // The parts of base64 that do not depend on what stands before or behind.
    const base64 = [0, 1, 2].map((shift) => {
      const whole = Buffer.concat([Buffer.alloc(shift), utf8]).toString('base64');
      return whole.slice(shift === 0 ? 0 : shift + 1, -4);
    });
    const escaped = JSON.stringify(text).slice(1, -1);
    return [
      ...[utf8, Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()],
      ...[...base64, escaped].map((each) => Buffer.from(each)),
    ].map((bytes) => ({ text, bytes }));
  });
  return filesUnder(folder).flatMap(({ path, bytes }) => {
    const found = wanted.filter((each) => bytes.includes(each.bytes)).map(({ text }) => text);
    const named = texts.filter((text) => path.includes(text));
    return [...new Set([...found, ...named])].map((text) => `${path.slice(folder.length + 1)}: ${text}`);
  });
}

/** Everything that a person sees in a store, to compare. */
export async function contents({ store, sessions, spool }: Opened) {
  const reader = { level: 'RESTRICTED' } as const;
  return {
    entries: await store.exportAll(reader),
    summaries: await store.summaries(reader),
    sessions: await sessions.exportSessions(reader as never),
    captured: await sessions.captured({ limit: 99, tool: '', file: '' }, reader as never),
    runs: await sessions.runs(reader as never),
    facts: (await sessions.sessionFacts(reader as never)) as unknown,
    copies: await store.care.copies(reader),
    retained: (await spool.spoolTake(true)).items,
    audit: await store.audit.auditPage({ limit: 50 }, reader),
    verdict: (await store.audit.auditVerify()).ok,
  };
}
