/** A process that writes, or seals and opens, until it is stopped or killed. Run by killed.test.ts. */
import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeArtifact } from '../../../src/subagent/artifacts.ts';
import { BatchFiles } from '../../../src/subagent/batchFiles.ts';
import { BusyError, StoreError } from '../../../src/worker/api.ts';
import { openParts } from './open.ts';
import { artifactsOf, batchOf, notesOf } from './works.ts';

interface ChildOptions {
  readonly folder: string;
  readonly role: 'write' | 'switch';
  readonly label: string;
  /** A file that tells everybody to stop. */
  readonly stop: string;
  /** Where a switcher dies by its own hand. */
  readonly dieAt?: string;
}

const { folder, role, label, stop, dieAt } = JSON.parse(process.argv[2] ?? '') as ChildOptions;
const AGENT = { actor: 'agent', level: 'PUBLIC', source: 'test', session: label, branch: 'main' } as const;
const OWNER = { key: label, kind: 'participant', source: 'test', level: 'PUBLIC' } as const;

const seam = {
  step(name: string): void {
    if (name === dieAt) process.kill(process.pid, 'SIGKILL');
  },
};
const opened = openParts(folder, { seam });
const store = join(folder, 'store');

/** What is written without the store's thread: by the host, which knows of the switch by itself. */
async function work(n: number): Promise<void> {
  await writeArtifact(artifactsOf(store, label), `${n}-W`, `mark-of-artifact-${label}-${n}`);
  writeSync(1, `artifact ${label} ${n}\n`);
  await new BatchFiles(join(store, 'batches'), Date.now).save(
    batchOf(`batch-${label}`, `mark-of-batch-${label}-${n}`),
    true,
  );
  writeSync(1, `batch ${label} ${n}\n`);
  const notes = notesOf(store, label);
  const place = notes.locate('note.md', 'write');
  const before = place.kind === 'file' ? await notes.read(place) : undefined;
  await notes.write(place, Buffer.from(`mark-of-note-${label}-${n}`), before);
  writeSync(1, `note ${label} ${n}\n`);
}

async function write(): Promise<void> {
  const { store: memory, sessions } = opened;
  for (let n = 0; !existsSync(stop); n++) {
    const text = `mark-of-${label}-${n}`;
    await memory.remember(
      { category: 'bug', key: text, content: text, tags: [`mark-of-tag-${label}`] },
      AGENT,
    );
    writeSync(1, `entry ${text}\n`);
    await work(n);
    if (n % 4 === 0) {
      const message = { role: 'user', content: [{ type: 'text', text: `mark-of-chat-${label}-${n}` }] };
      const { id } = await sessions.turnBegin(OWNER, [{ type: 'message', message } as never]);
      writeSync(1, `chat mark-of-chat-${label}-${n}\n`);
      await sessions.turnEnd(id, [], { reason: 'answered' } as never);
      await sessions.attend({
        ...OWNER,
        agent: 'a',
        branch: 'b',
        root: folder,
        files: [`mark-of-file-${label}.ts`],
      });
    }
    await sleep(2);
    sessions.poll();
  }
}

async function alternate(): Promise<void> {
  for (let round = 0; !existsSync(stop); round++) {
    try {
      const { state } = await (round % 2 === 0 ? opened.sealing.seal() : opened.sealing.unseal());
      writeSync(1, `${state}\n`);
    } catch (error) {
      if (!(error instanceof BusyError || error instanceof StoreError)) throw error;
      writeSync(1, `failed ${error.message}\n`);
    }
    await sleep(20);
  }
}

await (role === 'write' ? write() : alternate());
await opened.close();
process.exit(0);
