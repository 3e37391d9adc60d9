// @ts-check
'use strict';
/** A stand-in for a language model, for `npm start`: rules.js decides, this speaks to the editor. */
const vscode = require('vscode');
const { answerPrompt, answerResult } = require('./rules.js');

const MODEL = {
  id: 'lodeline-demo',
  name: 'Lodeline demo',
  family: 'lodeline-demo',
  version: '1',
  maxInputTokens: 1_000_000,
  maxOutputTokens: 16_000,
  isUserSelectable: true,
  capabilities: { toolCalling: true },
};

let calls = 0;

/** @param {vscode.ExtensionContext} context */
exports.activate = (context) => {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider('lodeline-demo', {
      provideLanguageModelChatInformation: async () => [MODEL],
      provideTokenCount: async (_model, text) => Math.ceil(JSON.stringify(text).length / 4),
      provideLanguageModelChatResponse: async (_model, messages, options, progress) => {
        const available = new Set((options.tools ?? []).map((tool) => tool.name));
        progress.report(respond(messages, available));
      },
    }),
  );
};

/**
 * @param {readonly vscode.LanguageModelChatRequestMessage[]} messages
 * @param {Set<string>} available
 */
function respond(messages, available) {
  const result = newestResult(messages);
  if (result) return new vscode.LanguageModelTextPart(answerResult(result.tool, result.text));
  const answer = answerPrompt(newestPrompt(messages));
  if ('text' in answer) return new vscode.LanguageModelTextPart(answer.text);
  if (!available.has(answer.tool)) {
    return new vscode.LanguageModelTextPart(
      `The tool ${answer.tool} is not offered here. Is the chat in agent mode?`,
    );
  }
  calls += 1;
  return new vscode.LanguageModelToolCallPart(`demo-${calls}`, answer.tool, answer.input);
}

/** The result of the call just made, if the last thing said is one. @param {readonly vscode.LanguageModelChatRequestMessage[]} messages */
function newestResult(messages) {
  const parts = messages.flatMap((message) => [...message.content]);
  const result = parts.findLast(
    (part) => part instanceof vscode.LanguageModelToolResultPart || isPrompt(part),
  );
  if (!(result instanceof vscode.LanguageModelToolResultPart)) return undefined;
  const call = parts.find(
    (part) => part instanceof vscode.LanguageModelToolCallPart && part.callId === result.callId,
  );
  const tool = call instanceof vscode.LanguageModelToolCallPart ? call.name : '';
  return { tool, text: result.content.map(textOf).join('\n') };
}

/** @param {readonly vscode.LanguageModelChatRequestMessage[]} messages */
function newestPrompt(messages) {
  const text = textOf(messages.flatMap((message) => [...message.content]).findLast(isPrompt));
  return /<userRequest>\s*([\s\S]*?)\s*<\/userRequest>/.exec(text)?.[1] ?? text;
}

/** Copilot wraps what the person wrote in this. @param {unknown} part */
function isPrompt(part) {
  return textOf(part).includes('<userRequest>');
}

/** @param {unknown} part @returns {string} */
function textOf(part) {
  const value = /** @type {{ value?: unknown } | undefined} */ (part)?.value;
  return typeof value === 'string' ? value : '';
}
