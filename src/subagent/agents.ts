/** Which agents there are: the project's, the person's and the bundled ones. The first of a name wins. */
import { readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { errorCode } from '../journal/disk.ts';
import { messageOf } from '../journal/errors.ts';
import { type AgentDefinition, AgentFileError, type AgentSource, parseAgentFile } from './agentFile.ts';
import { BUNDLED_AGENTS } from './bundled/agents.ts';
import { FileProblem, readRegularFile } from './regularFile.ts';

/** Folders of a project, the one that wins first. */
const PROJECT_FOLDERS = [['agents'], ['.lodeline', 'agents'], ['.github', 'agents'], ['.claude', 'agents']];
const USER_FOLDER = ['.lodeline', 'agents'];

const FILE_BYTES = 256 * 1024;
const FILE_COUNT = 500;

export interface AgentPlaces {
  /** The workspace folder. */
  readonly root: string;
  /** The person's home folder. */
  readonly home: string;
  /** Whether the person trusts the workspace; otherwise its agents are not looked at. */
  readonly trusted: boolean;
}

/** A file that is left out, and why: `problem` continues the sentence that the file's name begins. */
export interface AgentFault {
  readonly file: string;
  readonly problem: string;
}

export interface FoundAgents {
  /** One of each name, the project's first. */
  readonly agents: readonly AgentDefinition[];
  readonly faults: readonly AgentFault[];
}

/** Reads the files of all agents anew. A faulty file is reported and harms no other. */
export async function findAgents({ root, home, trusted }: AgentPlaces): Promise<FoundAgents> {
  const search = new Search();
  if (trusted) {
    for (const folder of PROJECT_FOLDERS) await search.folder(join(root, ...folder), 'project', root);
  }
  await search.folder(join(home, ...USER_FOLDER), 'user');
  for (const agent of BUNDLED_AGENTS) search.add(agent);
  return { agents: [...search.agents.values()], faults: search.faults };
}

/** The agent of exactly this name. Names are compared in Unicode's composed form (NFC). */
export function agentNamed(agents: readonly AgentDefinition[], name: string): AgentDefinition | undefined {
  const wanted = name.normalize('NFC');
  return agents.find((agent) => agent.name === wanted);
}

class Search {
  readonly agents = new Map<string, AgentDefinition>();
  readonly faults: AgentFault[] = [];
  #left = FILE_COUNT;

  add(agent: AgentDefinition): void {
    if (!this.agents.has(agent.name)) this.agents.set(agent.name, agent);
  }

  /** Reads the agents in a folder, if there is one. Links that lead out of `within` are refused. */
  async folder(folder: string, source: AgentSource, within?: string): Promise<void> {
    let found: string[];
    try {
      const entries = await readdir(folder, { withFileTypes: true });
      found = entries
        .filter((entry) => !entry.isDirectory() && /\.md$/i.test(entry.name))
        .map(({ name }) => name);
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? ''))
        this.#fault(folder, `cannot be read: ${messageOf(error)}`);
      return;
    }
    if (found.length > this.#left)
      this.#fault(folder, `has too many agents: only ${FILE_COUNT} files are read over all folders`);
    const taken = found.sort().slice(0, this.#left);
    this.#left -= taken.length;
    for (const name of taken) await this.#file(join(folder, name), source, within);
  }

  async #file(file: string, source: AgentSource, within: string | undefined): Promise<void> {
    try {
      const real = await realpath(file);
      if (within !== undefined && !isInside(await realpath(within), real))
        throw new FileProblem('is a link that leads out of the project');
      this.add(parseAgentFile(await readRegularFile(real, FILE_BYTES), source, file));
    } catch (error) {
      const known = error instanceof AgentFileError || error instanceof FileProblem;
      this.#fault(file, known ? error.message : `cannot be read: ${messageOf(error)}`);
    }
  }

  #fault(file: string, problem: string): void {
    this.faults.push({ file, problem });
  }
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
