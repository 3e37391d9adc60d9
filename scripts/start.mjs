// @ts-check
/**
 * `npm start`: builds the extension and opens it in a real editor on a demo project, with a demo model
 * that needs no account. Where that editor cannot be installed, an installed VS Code is started instead.
 * `--smoke`: only see that the editor comes up.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Nothing but node's own modules up here: on a fresh clone there is nothing else yet.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DEMO_MODEL = join(ROOT, 'test', 'e2e', 'models', 'demo');
const smoke = process.argv.includes('--smoke');

/** @param {string} line */
const say = (line) => console.log(`[lodeline] ${line}`);

process.chdir(ROOT);
prepare();
const temp = realpathSync(mkdtempSync(join(tmpdir(), 'lodeline-demo-')));
process.on('exit', () => rmSync(temp, { recursive: true, force: true, maxRetries: 3 }));
const workspace = demoWorkspace(join(temp, 'tidewatch'));
await open();

function prepare() {
  /** @param {string} path */
  const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (modified(join('node_modules', '.package-lock.json')) < modified('package-lock.json')) npm('ci');
  npm('run', 'build');
  npm('run', 'package');
}

/** @param {string[]} args */
function npm(...args) {
  say(`npm ${args.join(' ')}`);
  // npm is a batch file on Windows, which only a shell starts.
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

/** @returns {string} the newest packed extension */
function newestVsix() {
  const [newest] = readdirSync(ROOT)
    .filter((name) => name.endsWith('.vsix'))
    .map((name) => join(ROOT, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (!newest) throw new Error('npm run package left no .vsix in the root of the repository.');
  return newest;
}

/** A repository of its own, so that its memory lives in its own .git. @param {string} folder */
function demoWorkspace(folder) {
  cpSync(join(ROOT, 'demo'), folder, { recursive: true });
  /** @param {string[]} args */
  const git = (...args) => {
    const { error, status } = spawnSync('git', args, { cwd: folder, stdio: 'ignore' });
    if (error || status !== 0) say(`git ${args[0]} did not work; the demo goes on without it.`);
  };
  git('init', '--initial-branch=main');
  git('add', '.');
  git(
    '-c',
    'user.name=Demo',
    '-c',
    'user.email=demo@localhost',
    '-c',
    'commit.gpgsign=false',
    'commit',
    '-m',
    'Tidewatch',
  );
  return folder;
}

async function open() {
  const { editorObstacle, EditorUnavailable } = await import('../test/e2e/harness/install.mjs');
  let reason = editorObstacle();
  if (!reason) {
    try {
      return await openInBrowser();
    } catch (error) {
      if (!(error instanceof EditorUnavailable)) throw error;
      reason = error.message;
    }
  }
  say(reason);
  openInstalled();
}

async function openInBrowser() {
  const { startEditor } = await import('../test/e2e/harness/editor.mjs');
  const editor = await startEditor({ workspace, vsix: [newestVsix()], extensions: [DEMO_MODEL], log: say });
  let ending = false;
  const end = async (code = 0) => {
    ending = true;
    await editor.dispose();
    process.exit(code);
  };
  process.once('SIGINT', () => void end());
  process.once('SIGTERM', () => void end());

  console.log(
    `\n  Lodeline runs at  ${editor.urlOf()}\n  README.md there says what to try. Ctrl+C ends it.\n`,
  );
  // startEditor returns when the address has answered.
  if (smoke) return await end();
  openBrowser(editor.urlOf());
  await editor.exited;
  if (ending) return;
  console.error(editor.output().slice(-2000));
  await end(1);
}

/** @param {string} url */
function openBrowser(url) {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (CI || (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY)) return;
  const opener = 'xdg-open';
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

/** The same in the person's own VS Code, with a profile of its own. */
function openInstalled() {
  const shell = process.platform === 'win32';
  if (spawnSync('code', ['--version'], { stdio: 'ignore', shell }).status !== 0) {
    say('There is no `code` command either. Install Visual Studio Code 1.106 or newer from');
    say(
      'https://code.visualstudio.com, run "Shell Command: Install \'code\' command in PATH" in it, and try again.',
    );
    process.exit(1);
  }
  const profile = join(temp, 'profile');
  if (!existsSync(profile)) mkdirSync(join(profile, 'User'), { recursive: true });
  const settings = { 'chat.allowAnonymousAccess': true, 'security.workspace.trust.enabled': false };
  writeFileSync(join(profile, 'User', 'settings.json'), JSON.stringify(settings));
  say('Starting your installed VS Code on the demo project instead. Close its window to end.');
  const args = [
    '--new-window',
    '--wait',
    ...['--user-data-dir', profile],
    `--extensionDevelopmentPath=${ROOT}`,
    `--extensionDevelopmentPath=${DEMO_MODEL}`,
    workspace,
  ];
  if (smoke) process.exit(0);
  const { status } = spawnSync(
    'code',
    args.map((arg) => (shell ? `"${arg}"` : arg)),
    { stdio: 'inherit', shell },
  );
  process.exit(status ?? 1);
}
