import { z } from 'zod';
import type { Settings } from '../../ports.ts';
import { commandEvidence } from './commandEvidence.ts';
import { checkCommand, environmentOf, isAllowed } from './commandPolicy.ts';
import { type CommandEnd, runCommand } from './process.ts';
import type { RunningCommands } from './running.ts';
import { type Approve, orAborted, WorkspaceError, type WorkspaceTool, workspaceTool } from './tool.ts';
import type { Workspace } from './workspace.ts';

/** `ask` (default) or `never`. */
export const RUN_MODE = 'task.run.mode';
/** Commands that run without a question. Counts from the person's own settings only. */
const RUN_ALLOW = 'task.run.allow';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 600;

export interface RunPorts {
  readonly approve: Approve;
  readonly settings: Settings;
  readonly running?: RunningCommands | undefined;
}

/** Runs a command that the person approves. It is not sandboxed: it may do what the person may do. */
export function runTool(workspace: Workspace, { approve, settings, running }: RunPorts): WorkspaceTool {
  return workspaceTool({
    name: 'run',
    description:
      'Run one command line in the shell, in the workspace folder, and answer its output and exit code. The person is asked first, unless they allowed the command. It is not sandboxed: change nothing outside the folder. No input can be given to it, and what it leaves in the background is ended with it.',
    exclusive: true,
    effect: 'execute',
    input: z.object({
      command: z.string().describe('For example "npm test".'),
      timeout: z.int().min(1).max(MAX_SECONDS).optional().describe('Seconds, 120 unless given.'),
    }),
    async evidence({ command }) {
      return { command: await commandEvidence(command, workspace.root) };
    },
    async run({ command, timeout = DEFAULT_SECONDS }, signal, call = '') {
      if (settings.get(RUN_MODE) === 'never')
        throw new WorkspaceError(`The setting "${RUN_MODE}": "never" lets no subagent run commands.`);
      checkCommand(command);
      if (!isAllowed(command, settings.get(RUN_ALLOW)))
        await askFor(command, workspace.root, approve, signal);
      const options = { cwd: workspace.root, env: environmentOf(process.env), timeout: timeout * 1000 };
      let note: string | undefined;
      try {
        const end = await runCommand(command, options, signal, (pid) => {
          note = running?.began({ pid, call, command });
        });
        return describe(end, timeout);
      } finally {
        if (note !== undefined) running?.ended(note);
      }
    },
  });
}

async function askFor(command: string, root: string, approve: Approve, signal: AbortSignal): Promise<void> {
  const question = { title: 'Let a subagent run this command?', detail: `${command}\n\nIn ${root}` };
  const answer = await orAborted(approve(question), signal);
  if (answer === 'approved') return;
  throw new WorkspaceError(
    answer === 'declined'
      ? 'The person declined this command. It did not run. Do not try it in another form; go on without it, or say in your result that it is needed.'
      : `The command needs the person's approval and nobody can be asked here. It did not run. Go on without it. The person can allow it with the setting "${RUN_ALLOW}".`,
  );
}

function describe({ output, code, timedOut }: CommandEnd, seconds: number): string {
  const end = timedOut
    ? `Ended after ${seconds} seconds, before it was done. Give a longer timeout (at most ${MAX_SECONDS}) or a smaller command.`
    : typeof code === 'number'
      ? `Exit code ${code}.`
      : `Ended by ${code ?? 'the system'}.`;
  return output === '' ? `${end} No output.` : `${output.replace(/\n$/, '')}\n(${end})`;
}
