import { contributes } from '../../package.json';

const OWN = new Set(contributes.languageModelTools.map(({ name }) => name));
/** How the editor and Claude Code begin the names of tools of an MCP server named after us. */
const OUR_SERVER = /^mcp_.*lodeline/i;

/** Whether a tool is one of ours: its calls are recorded where they run, and what memory says is not kept elsewhere. */
export function isOwnTool(name: string): boolean {
  return OWN.has(name) || (OUR_SERVER.test(name) && [...OWN].some((own) => name.endsWith(`_${own}`)));
}
