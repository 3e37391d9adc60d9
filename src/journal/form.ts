/** In which form, plain or sealed, a record has to stand in the journal at this moment. */
import type { JournalContext } from './context.ts';
import {
  boxText,
  isOp,
  type JournalRecord,
  type Line,
  openLine,
  plainJson,
  sealedJson,
  wrappedJson,
} from './record.ts';

type FormContext = Pick<JournalContext, 'keys' | 'sealed' | 'random'>;

/**
 * The JSON of a record, sealed where its level or the store's switch asks for it.
 * @throws KeyError when it must be sealed and the key is not here.
 */
export function recordJson(record: JournalRecord, { keys, sealed, random }: FormContext): string {
  return sealed(record.level) ? sealedJson(record, keys, random) : plainJson(record);
}

/** Whether a line stands in a form that no longer counts, and can be put into the one that does. */
function isMisfit(line: Line, { keys, sealed }: FormContext): boolean {
  if (!isOp(line)) return false;
  if (line.kind === 'plain') return sealed(line.level);
  if (line.kind === 'opaque') return keys.sealsAll();
  return line.whole && !keys.sealsAll() && keys.find(line.keyId) !== undefined;
}

/**
 * The JSON of a line in the form that counts; `body`: as it stands. What cannot be opened stays as it is.
 * @param key tells the line from others, see `lineKey`
 * @throws KeyError when it must be sealed and the key is not here.
 */
export function fitting(line: Line, body: Buffer, key: string, context: FormContext): Buffer {
  if (!isOp(line) || !isMisfit(line, context)) return body;
  const { keys, random } = context;
  if (line.kind === 'opaque') return Buffer.from(wrappedJson(key, body, keys, random), 'utf8');
  if (line.kind === 'sealed' && line.wrapped) return Buffer.from(boxText(line, keys) ?? body);
  const record = openLine(line, keys);
  return typeof record === 'string' ? body : Buffer.from(recordJson(record, context), 'utf8');
}
