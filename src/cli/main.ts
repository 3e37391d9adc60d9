#!/usr/bin/env node
/** `node dist/cli.js`: Lodeline for shells. Each command is a module of its own, loaded when it is called for. */
import { version } from '../../package.json';
import { runProgram, UsageError } from '../terminal.ts';

const HELP = `Usage: lodeline COMMAND [options]

  init [--agent NAME]...       make the project's vocabulary, set up agents (lodeline init --help)
  uninstall [--agent NAME]...  undo what init has set up
  status                       the store, who is at work on which files, the settings in force
  mcp                          serve memory to an agent over MCP (lodeline mcp --help)
  stats                        count what is remembered
  encrypt, decrypt             whether what is kept of a folder is encrypted (lodeline encrypt --help)
  import KIND [PATH]           take in what other tools remember (lodeline import --help)
  export toon [PATH]           write memory into a file of toon-memory
  export [--out FILE]          every entry with its history as JSON, to standard output or a file; of an encrypted
                               folder it is encrypted, unless with --clear, which export toon needs there too
  export --open FILE           the JSON of an export that was encrypted
  hook                         what hooks of agents run (lodeline hook --help)
  bench retrieval DIR...       how well memory is found, beside other engines (lodeline bench --help)
  bench scale --entries N      how fast memory is with N entries
  bench isolation              what work trees for tasks cost, beside git's own
  call TOOL [JSON]             call one of the agents' tools: lodeline call memory_recall '{"query":"auth"}'

  --root DIR                   the workspace folder (default: the current one)
  --classification LEVEL       highest level it may read: PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED
                               (default: the folder's)
  --help, --version`;

async function main([command, ...args]: readonly string[]): Promise<void> {
  switch (command) {
    case undefined:
    case 'help':
    case '--help':
    case '-h':
      console.log(HELP);
      return;
    case '--version':
    case '-v':
      console.log(version);
      return;
    case 'mcp':
      return (await import('../mcp/serve.ts')).serve(args);
    case 'hook':
      return (await import('./hook.ts')).runHook(args);
    case 'bench':
      return (await import('./bench.ts')).runBench(args);
    case 'init':
      return (await import('./init.ts')).runInit(args);
    case 'uninstall':
      return (await import('./uninstall.ts')).runUninstall(args);
    case 'status':
      return (await import('./status.ts')).runStatus(args);
    case 'stats':
      return (await import('./stats.ts')).runStats(args);
    case 'encrypt':
    case 'decrypt':
      return (await import('./encrypt.ts')).runEncrypt(command, args);
    case 'import':
      return (await import('./importing.ts')).runImporting(command, args);
    case 'export':
      if (args[0] === 'toon') return (await import('./importing.ts')).runImporting(command, args);
      return (await import('./tools.ts')).runTool(command, args);
    case 'call':
      return (await import('./tools.ts')).runTool(command, args);
    default:
      throw new UsageError(`There is no command "${command}".`);
  }
}

await runProgram(() => main(process.argv.slice(2)));
