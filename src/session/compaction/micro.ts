/** Old results of tools that can be called again are left out of what a model is shown. The records stay. */
import type { Block, Message, ToolUseBlock } from '../messages.ts';
import { isSkillCall } from './skills.ts';

/** So many of the newest results stay (Norma). */
const KEPT = 5;
export const LEFT_OUT =
  '[An older result was left out here to save room. Call the tool again if you need it.]';
/** Shorter results are not worth a hole in the conversation. In UTF-16 units. */
const SHORT = 300;

/** The same message gives the same object, so that what was measured of it need not be measured again. */
const made = new WeakMap<Message, { readonly key: string; readonly message: Message }>();

/** Ours, the reference's and Copilot's, without case and what joins words: all can be called again. */
const COMPACTABLE: ReadonlySet<string> = new Set([
  ...['read', 'run', 'search', 'find', 'list', 'fetch', 'edit', 'write', 'diagnostics'],
  ...['bash', 'grep', 'glob', 'ls', 'multiedit', 'webfetch', 'websearch', 'notebookread', 'notebookedit'],
  ...['readfile', 'createfile', 'replacestringinfile', 'multireplacestringinfile', 'inserteditintofile'],
  ...['applypatch', 'editfile', 'editfiles', 'findfiles', 'filesearch', 'findtextinfiles', 'grepsearch'],
  ...['listdir', 'listdirectory', 'codebase', 'semanticsearch', 'searchcodebase', 'listcodeusages'],
  ...['runinterminal', 'getterminaloutput', 'runtask', 'gettaskoutput', 'runtests', 'geterrors'],
  ...['getchangedfiles', 'fetchwebpage', 'githubrepo', 'readnotebookcelloutput', 'getnotebooksummary'],
  ...['editnotebookfile', 'runnotebookcell', 'textsearch', 'testsearch', 'searchworkspacesymbols'],
  ...['readprojectstructure', 'findtestfiles', 'githubtextsearch', 'terminallastcommand'],
]);

/** Whether a tool's old results may be left out. */
function isCompactable(name: string): boolean {
  return COMPACTABLE.has(
    name
      .toLowerCase()
      .replace(/^(?:copilot|vscode)_/, '')
      .replace(/[^a-z]/g, ''),
  );
}

/** The messages with all but the newest five results of such tools left out; those without stay the same objects. */
export function microCompact(messages: readonly Message[]): readonly Message[] {
  return leaveOut(messages, oldCalls(messages));
}

/** Ids of the calls whose results are old. What a skill says stays. */
export function oldCalls(messages: readonly Message[]): ReadonlySet<string> {
  const calls = messages.flatMap(({ content }) =>
    content.filter(
      (block): block is ToolUseBlock =>
        block.type === 'tool_use' && isCompactable(block.name) && !isSkillCall(block),
    ),
  );
  return new Set(calls.slice(0, -KEPT).map(({ id }) => id));
}

/** The messages without the results of these calls. */
export function leaveOut(messages: readonly Message[], calls: ReadonlySet<string>): readonly Message[] {
  if (calls.size === 0) return messages;
  const left = messages.map((message) => leaveOutOf(message, calls));
  return left.every((message, at) => message === messages[at]) ? messages : left;
}

function leaveOutOf(message: Message, calls: ReadonlySet<string>): Message {
  const holes = message.content.flatMap((block, at) => (isLeftOut(block, calls) ? [at] : []));
  if (holes.length === 0) return message;
  const key = holes.join();
  const before = made.get(message);
  if (before?.key === key) return before.message;
  const content = message.content.map((block, at) =>
    holes.includes(at) ? { ...block, content: [{ type: 'text', text: LEFT_OUT } as const] } : block,
  ) as Block[];
  const left = { role: message.role, content };
  made.set(message, { key, message: left });
  return left;
}

function isLeftOut(block: Block, calls: ReadonlySet<string>): boolean {
  return (
    block.type === 'tool_result' &&
    calls.has(block.tool_use_id) &&
    block.content.reduce((size, part) => size + (part.type === 'text' ? part.text.length : 0), 0) > SHORT
  );
}
