/** A transcript's messages as the panel's reader shows them: tool calls are folded into what made them. */
import { PERSON, spokenText } from '../../messaging/messageText.ts';
import { redactSecrets } from '../../policy/redact.ts';
import { textOf } from '../../session/messages.ts';
import type { HistoryCall, HistoryLine } from '../../sessionProtocol.ts';
import type { PageMessage } from '../../worker/sessionLookApi.ts';

const CALL = 2_000;

/** Lines of a page, oldest first. Messages that hold nothing to read have none. */
export async function historyLines(
  messages: readonly PageMessage[],
  names: ReadonlyMap<string, string>,
): Promise<readonly HistoryLine[]> {
  const results = new Map<string, Result>();
  for (const block of messages.flatMap(({ message }) => message.content)) {
    if (block.type !== 'tool_result') continue;
    const text = block.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    results.set(block.tool_use_id, { result: await short(text), isError: block.is_error === true });
  }
  const lines: HistoryLine[] = [];
  for (const message of messages) {
    const line = await lineOf(message, results, names);
    if (line.text.trim() !== '' || line.calls.length > 0) lines.push(line);
  }
  return lines;
}

type Result = Pick<HistoryCall, 'result' | 'isError'>;

async function lineOf(
  { uuid, at, message, provenance }: PageMessage,
  results: ReadonlyMap<string, Result>,
  names: ReadonlyMap<string, string>,
): Promise<HistoryLine> {
  const key = provenance?.sourceSessionKey;
  const isPerson = key === PERSON;
  const from = key === undefined || isPerson ? null : { key, name: names.get(key) ?? key };
  const said = textOf(message);
  const { text } = await redactSecrets(provenance === undefined ? said : spokenText(said));
  const calls: HistoryCall[] = [];
  for (const block of message.content) {
    if (block.type !== 'tool_use') continue;
    const result = results.get(block.id) ?? { result: '', isError: false };
    calls.push({ name: block.name, input: await short(JSON.stringify(block.input)), ...result });
  }
  return { uuid, at, role: isPerson ? 'user' : message.role, text, calls, from };
}

/** A secret that the end would cut in two is not known for one: first it is taken out, then the text is cut. */
async function short(text: string): Promise<string> {
  return (await redactSecrets(text.slice(0, 2 * CALL).toWellFormed())).text.slice(0, CALL).toWellFormed();
}
