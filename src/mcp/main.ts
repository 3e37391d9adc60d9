/** `node dist/mcp.js`: the MCP server as a program of its own. */
import { runProgram } from '../terminal.ts';
import { serve } from './serve.ts';

await runProgram(() => serve(process.argv.slice(2)));
