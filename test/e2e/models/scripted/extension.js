// @ts-check
'use strict';
/**
 * A model that says what a test wrote down. LODELINE_SCRIPT names a JSON file that the test may rewrite
 * at any time; every request is appended to LODELINE_SCRIPT_LOG, one line of JSON each.
 *
 * The script is a list of rules, the first that fits answers:
 *   { "when": { "lastUserIncludes": "…", "lastNoteIncludes": "…", "afterToolResult": "…" }, "reply": [{ "text": "…" }], "repeat": false }
 * A note is what neither the person nor the model said, such as a message of another session.
 * A rule is used once unless it repeats. In `text`, {{toolResult}} stands for the newest tool result. A reply
 * { "untilCancelled": true } says nothing more until the request is cancelled, and then leaves the file
 * LODELINE_SCRIPT.cancelled; { "delay": 500 } says nothing for so many milliseconds or until then; { "error": "…" } fails
 * as a model does that refuses a request.
 */
const fs = require('node:fs');
const vscode = require('vscode');

/**
 * @typedef {{ text: string } | { toolCall: { name: string, input: object } } | { untilCancelled: true } | { delay: number } | { error: string }} Reply
 * @typedef {{ when?: { lastUserIncludes?: string, lastNoteIncludes?: string, afterToolResult?: string }, reply: Reply[], repeat?: boolean }} Rule
 * @typedef {{ tool: string, text: string }} ToolResult
 */

const MODEL = {
  id: 'scripted',
  name: 'Scripted',
  family: 'scripted',
  version: '1',
  maxInputTokens: 1_000_000,
  maxOutputTokens: 16_000,
  isUserSelectable: true,
  capabilities: { toolCalling: true },
};

/** @param {vscode.ExtensionContext} context */
exports.activate = (context) => {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider('scripted', {
      provideLanguageModelChatInformation: async () => [MODEL],
      provideTokenCount: async (_model, text) => Math.ceil(JSON.stringify(text).length / 4),
      provideLanguageModelChatResponse: async (_model, messages, options, progress, token) =>
        await answer(messages, options, progress, token),
    }),
  );
};

let calls = 0;

/**
 * @param {readonly vscode.LanguageModelChatRequestMessage[]} messages
 * @param {vscode.ProvideLanguageModelChatResponseOptions} options
 * @param {vscode.Progress<vscode.LanguageModelResponsePart>} progress
 * @param {vscode.CancellationToken} token
 */
async function answer(messages, options, progress, token) {
  const flat = flatten(messages);
  const rule = takeRule(flat);
  log({
    time: Date.now(),
    window: process.pid,
    matched: rule?.when ?? (rule ? {} : null),
    messages: flat.messages,
    lastUser: flat.lastUser,
    toolResult: flat.toolResult ?? null,
    tools: (options.tools ?? []).map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
  });
  const replies = rule?.reply ?? [{ text: 'The script has no rule for this.' }];
  for (const reply of replies) {
    if ('text' in reply) {
      const text = reply.text.replaceAll('{{toolResult}}', () => flat.toolResult?.text ?? '');
      progress.report(new vscode.LanguageModelTextPart(text));
    } else if ('untilCancelled' in reply) {
      await cancelled(token);
      fs.writeFileSync(`${process.env.LODELINE_SCRIPT}.cancelled`, '');
    } else if ('error' in reply) {
      throw vscode.LanguageModelError.Blocked(reply.error);
    } else if ('delay' in reply) {
      await cancelled(token, reply.delay);
    } else {
      calls += 1;
      const { name, input } = reply.toolCall;
      progress.report(new vscode.LanguageModelToolCallPart(`call-${process.pid}-${calls}`, name, input));
    }
  }
}

/** @param {vscode.CancellationToken} token @param {number} [longest]  milliseconds @returns {Promise<void>} */
function cancelled(token, longest) {
  return new Promise((resolve) => {
    if (longest !== undefined) setTimeout(resolve, longest);
    if (token.isCancellationRequested) resolve();
    else token.onCancellationRequested(() => resolve());
  });
}

/** @param {readonly vscode.LanguageModelChatRequestMessage[]} messages */
function flatten(messages) {
  /** @type {Map<string, string>} */
  const toolNames = new Map();
  let lastUser = '';
  /** The newest note, until something else is said. */
  let lastNote = '';
  /** @type {ToolResult | undefined} the newest one, but only when nothing was said since */
  let toolResult;
  const flat = messages.map(({ role, content }) => {
    const parts = content.map((part) => {
      if (part instanceof vscode.LanguageModelToolCallPart) {
        toolNames.set(part.callId, part.name);
        return `[call ${part.name} ${JSON.stringify(part.input)}]`;
      }
      if (part instanceof vscode.LanguageModelToolResultPart) {
        toolResult = { tool: toolNames.get(part.callId) ?? '', text: part.content.map(textOf).join('\n') };
        return `[result ${toolResult.tool}] ${toolResult.text}`;
      }
      return textOf(part);
    });
    const text = parts.join('\n');
    const isResult = content.some((part) => part instanceof vscode.LanguageModelToolResultPart);
    // What @lodeline adds to a conversation by itself is not what the person said.
    const isReminder = text.startsWith('<system-');
    if (isReminder) lastNote = text;
    else if (role !== vscode.LanguageModelChatMessageRole.Assistant && !isResult) lastNote = '';
    const isUser = role === vscode.LanguageModelChatMessageRole.User && !isResult && !isReminder;
    if (isUser && text.trim() !== '') {
      // Copilot wraps what the person wrote in its own instructions, which would fit many a rule by accident.
      lastUser = /<userRequest>\s*([\s\S]*?)\s*<\/userRequest>/.exec(text)?.[1] ?? text;
      toolResult = undefined;
    }
    return { role: roleName(role), text };
  });
  return { messages: flat, lastUser, lastNote, toolResult };
}

/** @param {unknown} part */
function textOf(part) {
  if (typeof part === 'string') return part;
  const value = /** @type {{ value?: unknown }} */ (part)?.value;
  return typeof value === 'string' ? value : '';
}

/** @param {number} role */
function roleName(role) {
  if (role === vscode.LanguageModelChatMessageRole.User) return 'user';
  return role === vscode.LanguageModelChatMessageRole.Assistant ? 'assistant' : 'system';
}

/** @param {ReturnType<typeof flatten>} flat @returns {Rule | undefined} */
function takeRule(flat) {
  const file = process.env.LODELINE_SCRIPT;
  if (!file) return undefined;
  /** @type {Rule[]} */
  const rules = JSON.parse(fs.readFileSync(file, 'utf8'));
  // Which rules are used up is kept beside the script: several windows share one script.
  const usedFile = `${file}.used`;
  const script = JSON.stringify(rules);
  const used = readUsed(usedFile, script);
  const index = rules.findIndex((rule, at) => !used.includes(at) && fits(rule, flat));
  if (index < 0) return undefined;
  if (!rules[index].repeat) fs.writeFileSync(usedFile, JSON.stringify({ script, used: [...used, index] }));
  return rules[index];
}

/** @param {string} file @param {string} script @returns {number[]} */
function readUsed(file, script) {
  try {
    const saved = JSON.parse(fs.readFileSync(file, 'utf8'));
    return saved.script === script ? saved.used : [];
  } catch {
    return [];
  }
}

/** @param {Rule} rule @param {ReturnType<typeof flatten>} flat */
function fits({ when = {} }, { lastUser, lastNote, toolResult }) {
  // A rule that names no tool result opens a turn; it must not answer in the middle of one.
  if (when.afterToolResult === undefined ? toolResult : toolResult?.tool !== when.afterToolResult)
    return false;
  if (when.lastNoteIncludes !== undefined && !lastNote.includes(when.lastNoteIncludes)) return false;
  return when.lastUserIncludes === undefined || lastUser.includes(when.lastUserIncludes);
}

/** @param {object} line */
function log(line) {
  const file =
    process.env.LODELINE_SCRIPT_LOG ?? (process.env.LODELINE_SCRIPT && `${process.env.LODELINE_SCRIPT}.log`);
  if (file) fs.appendFileSync(file, `${JSON.stringify(line)}\n`);
}
