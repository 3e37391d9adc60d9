/**
 * The arrows between the folders, as DESIGN draws them: doors → tools → domains → policy and git → journal.
 * Two domains meet only in the tools or in the app; `worker` composes what runs in the store's thread.
 */
const DOMAINS = 'memory|recall|session|todo|subagent|messaging';
/** What the host may know of the store's thread. */
const THREAD_API =
  '^src/worker/(api|auditApi|careApi|filesApi|recordsApi|retainSpoolApi|sealingApi|sessionApi|sessionFoldApi|sessionLookApi|client|messages|garbage)\\.ts$';

/** What runs spawned sessions. */
const SPAWNING = '^src/messaging/(child(ren|Run)|attachments|attachmentName)\\.ts$';

/**
 * What doors may use behind the registry: it has no memory, transcript or artifact of its own to show. Words and shapes
 * of messages; the loop of a chat with @lodeline and the view of a chat with the managed model, whose turns get the
 * level of their session; names and errors; single files
 * that are no part of the store.
 */
const HARMLESS = [
  'journal/(disk|errors|folder|liveness)',
  'memory/(capture|entry|line|newFile|ttl)',
  'messaging/messageText',
  'session/(agentLoop|chatModel|managedView|messages|overflow|presencePath|sessionId|shownMessage|turnCalls)',
  'session/(compaction/(choose|summaryCompactor)|folding/folding)',
  'subagent/workspace/(names|tools|workspace)',
  'worker/api',
].map((names) => `^src/${names}\\.ts$`);
/** Hooks run without an app: they write down what they are told, and raise sessions; they show nothing of the store. */
const HOOKS = '^src/cli/hook[A-Za-z]*\\.ts$';
const FOR_HOOKS =
  '^src/(journal/(keys|sealSwitch|sealedFile)|session/(observedTranscript|observedTranscriptLines|presence|toldHolders)|policy/(auditLog|taint))\\.ts$';
/** Benchmarks measure what lies behind the registry, in folders of their own. */
const BENCHES = '^src/cli/bench[A-Za-z]*\\.ts$';
/** The app, which hands doors no store, transcript or artifact. */
const COMPOSING = '^src/(app|appStore|backends|news|storeKey)\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
// biome-ignore lint/style/noDefaultExport: dependency-cruiser looks for it
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '\\.d\\.ts$' },
      to: {},
    },
    {
      name: 'found',
      comment: 'Every import leads somewhere; the editor provides its own.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^vscode$' },
    },
    {
      name: 'declared',
      comment: 'What ships is a dependency; types may come from a development dependency.',
      severity: 'error',
      from: { path: '^(src|webview)/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'vscode',
      },
    },
    {
      name: 'journal',
      severity: 'error',
      from: { path: '^src/journal/' },
      to: { path: '^(src|webview)/', pathNot: '^src/journal/' },
    },
    {
      name: 'policy-and-git',
      severity: 'error',
      from: { path: '^src/(policy|git)/' },
      to: { path: '^(src|webview)/', pathNot: '^src/($1|journal)/' },
    },
    {
      name: 'domains',
      comment: 'subagent and messaging run sessions; a domain may use the types of what the thread answers.',
      severity: 'error',
      from: { path: `^src/(${DOMAINS})/`, pathNot: SPAWNING },
      to: {
        path: '^(src|webview)/',
        pathNot:
          '^src/($1|policy|git|journal|session)/|^src/worker/(api|careApi|retainSpoolApi|sessionApi|sessionFoldApi|sessionLookApi)\\.ts$|^src/(ports|backendProtocol)\\.ts$',
      },
    },
    {
      name: 'spawning',
      comment: 'Spawned sessions wait for their turn, and get files into the folder, as subagents do.',
      severity: 'error',
      from: { path: SPAWNING },
      to: {
        path: '^(src|webview)/',
        pathNot:
          '^src/(messaging|policy|git|journal|session)/|^src/worker/(sessionApi|sessionLookApi)\\.ts$|^src/ports\\.ts$|^src/subagent/(limiter|workspace/(folder|names|tool))\\.ts$',
      },
    },
    {
      name: 'domains-without-session',
      severity: 'error',
      from: { path: '^src/(memory|recall|todo)/' },
      to: { path: '^src/session/' },
    },
    {
      name: 'domains-thread-types',
      severity: 'error',
      from: { path: `^src/(${DOMAINS})/` },
      to: {
        path: '^src/worker/(api|careApi|retainSpoolApi|sessionApi|sessionFoldApi|sessionLookApi)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'worker',
      severity: 'error',
      from: { path: '^src/worker/' },
      to: {
        path: '^(src|webview)/',
        pathNot:
          '^src/(worker|memory|recall|session|todo|policy|journal)/|^src/(protocol|memoryProtocol|planProtocol|subagentProtocol|sessionProtocol)\\.ts$',
      },
    },
    {
      name: 'thread',
      comment: "The store's code runs in its thread; the host's loop never waits for it.",
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/worker/' },
      to: { path: '^src/worker/', pathNot: THREAD_API },
    },
    {
      name: 'tools',
      severity: 'error',
      from: { path: '^src/tools/' },
      to: {
        path: '^(src|webview)/',
        pathNot: `^src/(tools|${DOMAINS}|policy|git|journal|worker)/|^src/(ports|protocol|backendProtocol|memoryProtocol|planProtocol|subagentProtocol|sessionProtocol)\\.ts$`,
      },
    },
    {
      name: 'doors',
      comment: 'Nothing behind the doors knows them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(vscode|mcp|cli)/|^src/extension\\.ts$' },
      to: { path: '^src/(vscode|mcp|cli)/|^src/extension\\.ts$' },
    },
    {
      name: 'gated',
      comment:
        'Doors reach memory, transcripts and artifacts through the registry alone, whose gate decides about every call.',
      severity: 'error',
      from: { path: '^src/(vscode|mcp|cli)/|^src/[^/]+\\.ts$', pathNot: [HOOKS, BENCHES, COMPOSING] },
      to: {
        path: `^src/(${DOMAINS}|worker|journal|policy/(taint|auditLog))[/.]`,
        pathNot: HARMLESS,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'gated-store',
      comment: 'Only benchmarks take the store out of an app.',
      severity: 'error',
      from: { path: '^(src|webview)/', pathNot: [BENCHES, COMPOSING] },
      to: { path: '^src/appStore\\.ts$' },
    },
    {
      name: 'gated-hooks',
      severity: 'error',
      from: { path: HOOKS },
      to: {
        path: `^src/(${DOMAINS}|worker|journal)/`,
        pathNot: [...HARMLESS, FOR_HOOKS],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'editor',
      severity: 'error',
      from: { pathNot: '^src/vscode/|^src/extension\\.ts$' },
      to: { path: '^vscode$|/@types/vscode/' },
    },
    {
      name: 'mcp-sdk',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/mcp/' },
      to: { path: '@modelcontextprotocol' },
    },
    {
      name: 'panels-and-host',
      comment:
        'Panels share with the host the types of their messages, and the words of memory: kinds and levels.',
      severity: 'error',
      from: { path: '^webview/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(protocol|backendProtocol|memoryProtocol|planProtocol|subagentProtocol|sessionProtocol|memory/entry|policy/level)\\.ts$',
      },
    },
    {
      name: 'panels-without-zod',
      severity: 'error',
      from: { path: '^webview/' },
      to: { path: '^src/(protocol|backendProtocol)\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    { name: 'host-without-panels', severity: 'error', from: { path: '^src/' }, to: { path: '^webview/' } },
    {
      name: 'kit',
      severity: 'error',
      from: { path: '^webview/kit/' },
      to: { path: '^webview/', pathNot: '^webview/kit/' },
    },
    {
      name: 'panels',
      severity: 'error',
      from: { path: '^webview/([^/]+)/', pathNot: '^webview/kit/' },
      to: { path: '^webview/', pathNot: '^webview/($1|kit)/' },
    },
    {
      name: 'toolkit',
      severity: 'error',
      from: { pathNot: '^webview/kit/' },
      to: { path: '@vscode/webview-ui-toolkit' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
};
