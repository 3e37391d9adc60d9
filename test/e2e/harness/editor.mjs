// @ts-check
/** Starts the real editor on a free port, with its own home, and opens windows of it in Chromium. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ensureChromium } from './chromium.mjs';
import { installFolder, installPacked } from './extensions.mjs';
import { ensureEditor } from './install.mjs';
import { installKoreanPack } from './locale.mjs';
import { freePort, supervise } from './processes.mjs';
import { userSettings } from './settings.mjs';

/**
 * @typedef {object} EditorOptions
 * @property {string} workspace        the folder that windows open on
 * @property {string[]} [vsix]         packed extensions to install
 * @property {string[]} [extensions]   folders of unpacked extensions to install by copying
 * @property {Record<string, unknown>} [settings]  user settings on top of the harness's own
 * @property {boolean} [trust]         turn workspace trust on (the workspace then starts untrusted)
 * @property {'en' | 'ko'} [locale]
 * @property {string} [home]           HOME of the editor; a temporary folder unless given
 * @property {string} [userDataDir]
 * @property {string} [extensionsDir]
 * @property {Record<string, string | undefined>} [env]
 * @property {(line: string) => void} [log]
 */

/**
 * @typedef {object} WindowOptions
 * @property {string} [folder]
 * @property {number} [width]
 * @property {number} [height]
 * @property {import('playwright-core').Page} [beside]  share the browser profile of this window: what the
 *   editor keeps in the browser (trust, layout). Closing one of two such windows while its first webview
 *   is loading leaves the other's webviews empty (Chromium's service worker queue), so it is not the rule.
 */

/**
 * @typedef {object} RunningEditor
 * @property {string} url
 * @property {string} home
 * @property {string} userDataDir
 * @property {string} extensionsDir
 * @property {(folder?: string) => string} urlOf
 * @property {(options?: WindowOptions) => Promise<import('playwright-core').Page>} openWindow
 * @property {import('./settings.mjs').Settings} settings
 * @property {() => string} output        what the server has printed
 * @property {Promise<number | null>} exited
 * @property {() => Promise<void>} dispose
 */

const BASE_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.colorTheme': 'Dark Modern',
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'chat.allowAnonymousAccess': true,
  // Titles and summaries would be asked of the test's own model, or the chat would ask for a model for them.
  'chat.utilityModel': 'none/none',
  'chat.utilitySmallModel': 'none/none',
  'chat.tools.riskAssessment.enabled': false,
  // An answer keeps showing the tool calls that led to it.
  'chat.agent.collapseCompletedResponses': false,
  'chat.agent.thinking.collapsedTools': 'off',
  // Asked in every window, so that a test knows that it will be; "once" depends on the browser's state.
  'security.workspace.trust.startupPrompt': 'always',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  // Whatever else listens on this machine, the editor would tell of it across the chat.
  'remote.autoForwardPorts': false,
};

const BRIDGE = fileURLToPath(new URL('./bridge', import.meta.url));

const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @param {EditorOptions} options @returns {Promise<RunningEditor>} */
export async function startEditor(options) {
  const editor = await ensureEditor(options.log ? { log: options.log } : {});
  const temp = await realpath(await mkdtemp(join(tmpdir(), 'lodeline-editor-')));
  /** @type {(() => unknown)[]} in the order in which they must be undone, last first */
  const undo = [() => rm(temp, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })];
  // Asked twice, the second one waits for the same end.
  const dispose = once(async () => {
    for (const step of undo.reverse()) await step();
  });

  try {
    const userDataDir = options.userDataDir ?? join(temp, 'data');
    const extensionsDir = options.extensionsDir ?? join(temp, 'extensions');
    const home = options.home ?? join(temp, 'home');
    for (const dir of [join(userDataDir, 'User'), extensionsDir, home]) await mkdir(dir, { recursive: true });

    const trust = options.trust ?? false;
    const settingsPath = join(userDataDir, 'User', 'settings.json');
    const requestsPath = join(temp, 'settings-request.json');
    let windows = 0;
    const settings = userSettings(settingsPath, requestsPath, () => windows > 0);
    await settings.update({
      ...BASE_SETTINGS,
      'security.workspace.trust.enabled': trust,
      ...options.settings,
    });

    const env = cleanEnv(home, editor.node, { LODELINE_EDITOR_SETTINGS: requestsPath, ...options.env });
    const folders = ['--user-data-dir', userDataDir, '--extensions-dir', extensionsDir];
    await installPacked(editor, folders, options.vsix ?? [], env);
    for (const folder of [BRIDGE, ...(options.extensions ?? [])]) await installFolder(folder, extensionsDir);
    if (options.locale === 'ko') await installKoreanPack(userDataDir, extensionsDir);

    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const server = supervise(
      editor.node,
      [
        editor.entry,
        ...['--bind-addr', `127.0.0.1:${port}`, '--auth', 'none'],
        ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
        ...(trust ? [] : ['--disable-workspace-trust']),
        ...(options.locale ? ['--locale', options.locale] : []),
        ...folders,
      ],
      env,
    );
    undo.push(async () => {
      server.kill();
      await server.exited;
    });
    await untilAnswers(url, server);

    const browser = once(async () => {
      const started = await startBrowser();
      undo.push(() => started.close());
      return started;
    });
    const urlOf = (folder = options.workspace) => `${url}?folder=${encodeURI(resolve(folder))}`;

    return {
      url,
      home,
      userDataDir,
      extensionsDir,
      urlOf,
      settings,
      output: server.output,
      exited: server.exited,
      dispose,
      async openWindow({ folder, width = 1280, height = 800, beside } = {}) {
        const context = beside?.context() ?? (await newProfile(await browser(), options.locale));
        const page = await context.newPage();
        windows += 1;
        page.once('close', () => (windows -= 1));
        await page.setViewportSize({ width, height });
        await page.goto(urlOf(folder), { waitUntil: 'domcontentloaded' });
        await page
          .locator('.monaco-workbench .activitybar .action-label')
          .first()
          .waitFor({ timeout: 60_000 });
        return page;
      },
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/**
 * The person's own folders stay out of reach, and so does anything that says "inside another VS Code".
 * @param {string} home @param {string} node @param {Record<string, string | undefined>} [extra]
 */
function cleanEnv(home, node, extra) {
  const foreign = /^(VSCODE_|XDG_|ELECTRON_|CODE_SERVER_|NODE_OPTIONS$|npm_|VITEST|PORT$|PASSWORD$)/;
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => !foreign.test(key)));
  return { ...inherited, HOME: home, PATH: `${dirname(node)}:${process.env.PATH}`, ...extra };
}

/** @param {string} url @param {import('./processes.mjs').Supervised} server */
async function untilAnswers(url, server) {
  let ended = false;
  void server.exited.then(() => (ended = true));
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(100)) {
    if (ended) break;
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (response?.ok) return;
  }
  throw new Error(`The editor did not come up at ${url}:\n${server.output()}`);
}

async function startBrowser() {
  const [{ chromium }, executablePath] = await Promise.all([import('playwright-core'), ensureChromium()]);
  return await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
}

/** @param {import('playwright-core').Browser} browser @param {string} [locale] */
async function newProfile(browser, locale) {
  const context = await browser.newContext({
    locale: locale === 'ko' ? 'ko-KR' : 'en-US',
    // Nothing that is tested moves, and moving pictures are much of what a window costs.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  // The machine may be busy: what is waited for may take its time.
  context.setDefaultTimeout(60_000);
  return context;
}

/** @template T @param {() => Promise<T>} start @returns {() => Promise<T>} */
function once(start) {
  /** @type {Promise<T> | undefined} */
  let started;
  return () => (started ??= start());
}
