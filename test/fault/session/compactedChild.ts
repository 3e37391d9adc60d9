/** A process that goes on with a long session until it is done or killed. Run by compacted.test.ts. */
import { writeSync } from 'node:fs';
import { KeyRing } from '../../../src/journal/keys.ts';
import { runTurn } from '../../../src/session/agentLoop.ts';
import { compactorFor } from '../../../src/session/compaction/choose.ts';
import { SessionService } from '../../../src/worker/sessions.ts';
import { ID, KEY } from './common.ts';
import { FactModel, promptOf, workTools } from './factModel.ts';

const { dir, keys, from, turns } = JSON.parse(process.argv[2] ?? '') as {
  dir: string;
  keys: string;
  from: number;
  turns: number;
};

const sessions = new SessionService({
  ...{ dir, id: ID, keys: new KeyRing({ dir: keys }), defaultLevel: 'PUBLIC', now: Date.now },
});
const model = new FactModel({ tells: from % 2 === 0 });
const tools = workTools();
const settings = { get: (key: string) => (key === 'compaction.maxOutputTokens' ? 8_000 : undefined) };

for (let turn = from; turn < turns; turn++) {
  const { reason, detail } = await runTurn({
    ...{ sessions, prompt: promptOf(turn), model, system: 'You are a coding agent.', tools },
    owner: { key: KEY, kind: 'participant', source: 'test', level: 'PUBLIC' },
    signal: new AbortController().signal,
    reminders: 0,
    compactor: compactorFor({ settings, key: KEY }),
    onText: () => {},
  });
  if (reason !== 'completed') throw new Error(`turn ${turn}: ${reason} ${detail}`);
  writeSync(1, `${JSON.stringify({ turn: turn + 1, longest: model.longest, summaries: model.summaries })}\n`);
}
sessions.close();
