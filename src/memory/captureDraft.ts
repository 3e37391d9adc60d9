/** What a captured action is worth as a memory. Fixed rules, no model. */
import { createHash } from 'node:crypto';
import type { CapturedDraft } from '../worker/careApi.ts';
import type { Capture } from './capture.ts';

/** How much each sign says for or against an action being worth remembering; toon-memory's rules. */
const START = 0.5;
const LENGTH = { from: 40, to: 300, gain: 0.1 };
const FILE = 0.15;
const MADE = { tools: /edit|write|create|replace|patch|insert|bash|shell|terminal|git|npm/i, gain: 0.1 };
const LOOKED = { tools: /read|grep|glob|search|\bls\b|list|view|fetch/i, loss: 0.15 };
const TROUBLE = {
  words: /error|fail|fix|bug|crash|exception|오류|에러|버그|실패|수정|고침|고쳤/iu,
  gain: 0.1,
};
const KEY_WORDS = 4;
const KEY_LENGTH = 40;

/** A captured action as a draft. Words of every script stay in its key. */
export function draftOf({ tool, file, summary, level }: Capture): CapturedDraft {
  const text = summary.trim();
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const digest = createHash('sha256').update(`${tool}\0${file}\0${text}`).digest('hex').slice(0, 4);
  const name = [...words.slice(0, KEY_WORDS).join('-')].slice(0, KEY_LENGTH).join('');
  return {
    level,
    key: `${name || 'captured'}-${digest}`,
    category: TROUBLE.words.test(text) ? 'bug' : 'knowledge',
    content: text,
    file: file === '' ? undefined : file,
    tags: ['captured'],
    origin: 'inferred',
    confidence: worthOf(tool, file, text),
  };
}

/** 0.05–1; 0.1 for nothing. */
function worthOf(tool: string, file: string, text: string): number {
  if (text === '') return 0.1;
  const length = [...text].length;
  const signs = [
    length < LENGTH.from ? -LENGTH.gain : length <= LENGTH.to ? LENGTH.gain : 0,
    file === '' ? 0 : FILE,
    MADE.tools.test(tool) ? MADE.gain : LOOKED.tools.test(tool) ? -LOOKED.loss : 0,
    TROUBLE.words.test(text) ? TROUBLE.gain : 0,
  ];
  const sum = signs.reduce((total, sign) => total + sign, START);
  // In hundredths, so that 0.5 + 0.15 is 0.65.
  return Math.min(1, Math.max(0.05, Math.round(sum * 100) / 100));
}
