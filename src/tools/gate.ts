import type { Ports, Settings } from '../ports.ts';
import type { Phrase } from '../protocol.ts';
import { phrase } from '../worker/api.ts';
import { type Approval, type ToolCall, type ToolDefinition, ToolError } from './tool.ts';

/** Whether destructive calls may run where nobody can be asked. Only the person's own settings can allow it. */
const UNATTENDED_SETTING = 'approval.unattended';

/** What a call may not do. The message is for whoever called; the rule is for the audit log. */
export class Denial extends ToolError {
  readonly rule: string;

  constructor(rule: string, message: string | Phrase) {
    super(message);
    this.rule = rule;
  }
}

/** A question to the person whose answer decides. */
export type Question = Approval & { readonly undoable: boolean };

/**
 * Decides whether a call may run: workspace trust, then the tool's own rules. (What a call may see is decided by its
 * level, inside every query of the store.)
 * @returns what the person has to agree to first, for `ask`.
 * @throws Denial that says what to do.
 */
export function decide(
  tool: ToolDefinition,
  input: Record<string, unknown>,
  call: ToolCall,
  ports: Ports,
): Question | undefined {
  if ((tool.effectOf?.(input) ?? tool.effect) === 'read') return undefined;
  if (!ports.trusted()) {
    throw new Denial(
      'trust',
      tool.family === 'subagent' || tool.effect === 'execute'
        ? phrase(
            '{0} starts agents that change files, or acts on what they did, and this folder is not trusted yet: only reading works. Ask the person to trust the folder ("Workspaces: Manage Workspace Trust"), then call {0} again.',
            tool.name,
          )
        : `${tool.name} changes memory, and this folder is not trusted yet: only reading works. Ask the person to trust the folder ("Workspaces: Manage Workspace Trust"), then call ${tool.name} again.`,
    );
  }
  const refusal = tool.refuse?.(input, call);
  if (refusal !== undefined) throw new Denial('refused', refusal);
  return tool.confirm?.(input);
}

/** Asks the person. Throws a `Denial` unless they agree, or may be taken to. */
export async function ask(
  tool: string,
  question: Question,
  call: Pick<ToolCall, 'approve'>,
  settings: Settings,
): Promise<void> {
  const answer = await call.approve(question);
  if (answer === 'approved') return;
  if (answer === 'declined')
    throw new Denial(
      'approval:declined',
      `The person declined: ${question.title}. Nothing was changed. Do not try again unless they ask for it.`,
    );
  if (question.undoable || settings.get(UNATTENDED_SETTING) === 'allow') return;
  throw new Denial(
    'approval:nobody-to-ask',
    `${tool} needs the person's approval and nobody can be asked here. Nothing was changed. The setting "${UNATTENDED_SETTING}": "allow" permits it without asking.`,
  );
}
