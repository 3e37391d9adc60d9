import { inScope } from '../memory/filter.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import type { EntrySignals } from '../recall/ranking.ts';
import { scriptOf } from '../recall/script.ts';
import type { RecallInput } from './api.ts';

/** How near an entry is to the question and to what the session works on. `script`: of the question. */
export function closeness(
  entry: FoldedEntry,
  script: string,
  { session, currentFile }: RecallInput,
): Pick<EntrySignals, 'sameScript' | 'inSession' | 'inFolder'> {
  return {
    sameScript: script !== '' && script === scriptOf(entry.content),
    inSession:
      session !== undefined &&
      ((session.branch !== '' && session.branch === entry.branch) ||
        session.files.some((file) => inScope({ file: entry.file, pathScope: '' }, file))),
    inFolder:
      currentFile !== undefined &&
      entry.pathScope !== '' &&
      inScope({ file: currentFile, pathScope: '' }, entry.pathScope),
  };
}
