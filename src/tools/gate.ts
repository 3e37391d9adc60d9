import type { Ports, Settings } from '../ports.ts';
import { phrase } from '../worker/api.ts';
import { type Approval, type ToolCall, type ToolDefinition, ToolError } from './tool.ts';

/** Whether destructive calls may run where nobody can be asked. Only the person's own settings can allow it. */
const UNATTENDED_SETTING = 'approval.unattended';

/**
 * Decides whether a call may run: workspace trust, then the person's approval of what destroys. (What a call may
 * see is decided by its level, inside every query of the store.) Throws a `ToolError` that says what to do.
 */
export async function admit(
  tool: ToolDefinition,
  input: Record<string, unknown>,
  call: ToolCall,
  ports: Ports,
): Promise<void> {
  if ((tool.effectOf?.(input) ?? tool.effect) === 'read') return;
  if (!ports.trusted()) {
    throw new ToolError(
      tool.family === 'subagent'
        ? phrase(
            '{0} starts agents that change files, or acts on what they did, and this folder is not trusted yet: only reading works. Ask the person to trust the folder ("Workspaces: Manage Workspace Trust"), then call {0} again.',
            tool.name,
          )
        : `${tool.name} changes memory, and this folder is not trusted yet: only reading works. Ask the person to trust the folder ("Workspaces: Manage Workspace Trust"), then call ${tool.name} again.`,
    );
  }
  const refusal = tool.refuse?.(input, call);
  if (refusal !== undefined) throw new ToolError(refusal);
  const question = tool.confirm?.(input);
  if (question !== undefined) await ask(tool.name, question, call, ports.settings);
}

/** Asks the person. Throws a `ToolError` unless they agree, or may be taken to. */
export async function ask(
  tool: string,
  question: Approval & { readonly undoable: boolean },
  call: Pick<ToolCall, 'approve'>,
  settings: Settings,
): Promise<void> {
  const answer = await call.approve(question);
  if (answer === 'approved') return;
  if (answer === 'declined')
    throw new ToolError(
      `The person declined: ${question.title}. Nothing was changed. Do not try again unless they ask for it.`,
    );
  if (question.undoable || settings.get(UNATTENDED_SETTING) === 'allow') return;
  throw new ToolError(
    `${tool} needs the person's approval and nobody can be asked here. Nothing was changed. The setting "${UNATTENDED_SETTING}": "allow" permits it without asking.`,
  );
}
