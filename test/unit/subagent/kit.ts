/** Tests of whole batches: a folder with the tool layer, perhaps a repository, and a model with a mind. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonValue } from '../../../src/journal/record.ts';
import type { Level } from '../../../src/policy/level.ts';
import type { ChatModel, ModelPart, ModelRequest } from '../../../src/session/chatModel.ts';
import { textOf } from '../../../src/session/messages.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

/** What the model does at a step of a task; `step` counts its answers in the task from 0. */
export type Mind = (task: string, step: number, request: ModelRequest) => readonly ModelPart[];

/** A model that knows by a task's assignment what to do. */
class MindModel implements ChatModel {
  readonly name = 'mind';
  readonly requests: ModelRequest[] = [];
  readonly #mind: Mind;
  /** Called before each answer. */
  before: (request: ModelRequest, signal: AbortSignal) => Promise<void> = async () => {};

  constructor(mind: Mind) {
    this.#mind = mind;
  }

  async *send(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    this.requests.push(request);
    await this.before(request, signal);
    const first = request.messages.find(({ role }) => role === 'user');
    const step = request.messages.filter(({ role }) => role === 'assistant').length;
    yield* this.#mind(first === undefined ? '' : textOf(first), step, request);
    yield {
      type: 'usage',
      usage: { input_tokens: 10, output_tokens: 5, cache_read_tokens: 0, cache_write_tokens: 0 },
    };
  }
}

export function say(text: string): ModelPart {
  return { type: 'text', text };
}

export function use(name: string, input: JsonValue): ModelPart {
  return { type: 'tool_use', id: `${name}-${JSON.stringify(input).length}`, name, input };
}

export function hand(data: JsonValue): ModelPart {
  return use('yield', { result: { data } });
}

/** The tool layer with a model, over a folder that holds these files; with `git`, committed to a repository. */
export function openTasks(
  mind: Mind,
  {
    files = {},
    git = false,
    settings = {},
    defaultLevel,
  }: {
    files?: Record<string, string>;
    git?: boolean;
    settings?: Record<string, unknown>;
    defaultLevel?: Level | undefined;
  } = {},
) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const run = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=T', '-c', 'user.email=t@localhost', '-c', 'commit.gpgsign=false', ...args],
      {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
  if (git) {
    run('init', '-q', '-b', 'main');
    // What the tool layer keeps is not part of the project.
    writeFileSync(join(folder, '.git', 'info', 'exclude'), '/store/\n/keys/\n/home/\n');
    run('add', '.');
    run('commit', '-q', '-m', 'Start');
  }
  const tools = openTestTools(folder, undefined, settings, { defaultLevel });
  const model = new MindModel(mind);
  tools.models.model = model;
  return { ...tools, model, git: run };
}

/** The tasks of a call, whose names are also their assignments. */
export function named(...names: string[]) {
  return names.map((id) => ({ id, description: '', assignment: id }));
}
