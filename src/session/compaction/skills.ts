/**
 * Skills: instructions that a model reads from a file `SKILL.md` when it needs them. They must survive a summary word
 * for word, as what they say is to be followed and not to be told about.
 */
import { type Message, type ToolUseBlock, textOf } from '../messages.ts';
import { clipText } from './clip.ts';
import { tokensOfText } from './estimate.ts';

/** Of one skill, and of all that a summary carries on, in tokens (Norma). */
const PER_SKILL = 5_000;
export const ALL_SKILLS = 25_000;
const HEADER = /^\[Skill ([^\n]{1,200}), as it was read earlier; it still applies\]\n/;

/** A tool that changes a skill's file answers something else than the skill. */
const CHANGES = /write|edit|create|replace|insert|patch|delete|remove|rename|move/i;

export interface Skill {
  readonly name: string;
  readonly text: string;
}

/** Whether a call reads a skill. */
export function isSkillCall(call: ToolUseBlock): boolean {
  return skillName(call) !== undefined;
}

/**
 * The latest copy of each skill in the messages, in the order of reading; where they are too many, the newest.
 * @param most tokens that all of them may take up
 * @param isSummary tells the messages that carry on skills: in others, the same words are only somebody's
 */
export function skillsIn(
  messages: readonly Message[],
  most: number,
  isSummary: (message: Message) => boolean,
): readonly Skill[] {
  const found = new Map<string, string>();
  const calls = new Map<string, string>();
  const put = (name: string, text: string) => {
    found.delete(name);
    found.set(name, text);
  };
  for (const message of messages) {
    const carries = isSummary(message);
    for (const block of message.content) {
      if (block.type === 'text') {
        if (!carries) continue;
        const [header, name] = HEADER.exec(block.text) ?? [];
        if (header !== undefined && name !== undefined) put(name, block.text.slice(header.length));
      } else if (block.type === 'tool_use') {
        const name = skillName(block);
        if (name !== undefined) calls.set(block.id, name);
      } else if (block.type === 'tool_result' && block.is_error !== true) {
        const name = calls.get(block.tool_use_id);
        if (name !== undefined) put(name, textOf({ role: 'user', content: block.content }));
      }
    }
  }
  const kept: Skill[] = [];
  let room = most;
  for (const [name, text] of [...found].toReversed()) {
    const skill = { name, text: clipText(text, Math.min(PER_SKILL, most)) };
    room -= tokensOfText(skillText(skill));
    if (room < 0) break;
    kept.push(skill);
  }
  return kept.toReversed();
}

/** As it stands after a summary. */
export function skillText({ name, text }: Skill): string {
  return `[Skill ${name}, as it was read earlier; it still applies]\n${text}`;
}

/** The last folder of the path of a `SKILL.md` that a call names. */
function skillName({ name: tool, input }: ToolUseBlock): string | undefined {
  if (CHANGES.test(tool)) return undefined;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  for (const value of Object.values(input)) {
    if (typeof value !== 'string' || value.length > 4_096) continue;
    const name = /([^/\\\p{C}]{1,200})[/\\]SKILL\.md$/u.exec(value)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}
