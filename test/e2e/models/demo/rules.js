// @ts-check
'use strict';
/** What the demo model makes of a prompt. Pure, so that it can be tested without an editor. */

const CAPABILITIES =
  'I am a demo without a real language model: tell me "Remember that …" and I save it with Lodeline, ' +
  'ask "Why …?" or "What do you know about …?" and I look it up. ' +
  'With a real model you would simply work, and it would use the same memory by itself.';

/** Words that carry no meaning of their own in a key. */
const FILLER = new Set(
  'a an and are as at be because but by do does for from has have if in is it its keep keeps most must never not of on only or our should so that the then there these this to use uses was we when with'.split(
    ' ',
  ),
);

/** The first that fits names the category. @type {[string, RegExp][]} */
const CATEGORIES = [
  ['warning', /\b(never|do not|don't|must not|avoid|warning)\b|하지 ?[마말]/i],
  ['bug', /\b(bug|crash|fails?|error|broken|leak|timeout)\b|버그|오류/i],
  ['pattern', /\b(always|pattern|convention|style)\b|항상|패턴/i],
  ['decision', /\b(decided|decision|because|chose|instead of|we use|at most|limit)\b|결정|때문/i],
];

/**
 * @typedef {{ tool: 'memory_remember', input: { category: string, key: string, content: string, file?: string } }
 *   | { tool: 'memory_recall', input: { query: string } }
 *   | { text: string }} Answer
 */

/** @param {string} prompt @returns {Answer} */
function answerPrompt(prompt) {
  const fact =
    /^\s*(?:please\s+)?remember\b(?:\s+(?:that|this))?[\s:,]*([\s\S]+)/i.exec(prompt)?.[1] ??
    /^([\s\S]+?)(?:는 (?:것을|걸|거))?\s*기억해/.exec(prompt)?.[1];
  if (fact) return { tool: 'memory_remember', input: entryOf(fact.trim()) };

  const topic = /what (?:do|did) (?:you|we) (?:know|remember|decide)\s*(?:about|on|of)?\s*([\s\S]*)/i.exec(
    prompt,
  )?.[1];
  const isQuestion = /^\s*why\b/i.test(prompt) || /왜|기억나|알고 있|뭐였/.test(prompt);
  if (topic !== undefined || isQuestion) {
    return { tool: 'memory_recall', input: { query: (topic || prompt).replace(/[?!.\s]+$/, '') } };
  }
  return { text: CAPABILITIES };
}

/** @param {string} fact */
function entryOf(fact) {
  const file = /[\w./-]+\.[a-z]{1,4}\b/i.exec(fact)?.[0];
  const content = fact.replace(/\s*\([\w./-]+\.[a-z]{1,4}\)/i, '').trim();
  const category = CATEGORIES.find(([, pattern]) => pattern.test(fact))?.[0] ?? 'knowledge';
  return { category, key: keyOf(content), content, ...(file ? { file } : {}) };
}

/** @param {string} content */
function keyOf(content) {
  const words = content.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const telling = words.filter((word) => !FILLER.has(word));
  return (telling.length > 0 ? telling : words).slice(0, 4).join('-').slice(0, 60) || 'note';
}

/** @param {string} tool @param {string} result @returns {string} */
function answerResult(tool, result) {
  const text = result.trim();
  if (tool === 'memory_remember')
    return `Done; it will be there in every later chat of this project.\n\n${quote(text)}`;
  if (tool === 'memory_recall') return `This is what the project's memory says:\n\n${quote(text)}`;
  return quote(text);
}

/** @param {string} text */
function quote(text) {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

module.exports = { answerPrompt, answerResult };
