import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { buildWebview } from '../../../scripts/build-webview.mjs';
import type { BackendView } from '../../../src/backendProtocol.ts';
import type { Draft, Finding } from '../../../src/memoryProtocol.ts';
import type { CheckpointView, TodoView } from '../../../src/planProtocol.ts';
import type { InitMessage, Phrase } from '../../../src/protocol.ts';
import type {
  FileConflict,
  HistoryLine,
  MessageLine,
  SessionLine,
  TranscriptFound,
} from '../../../src/sessionProtocol.ts';
import type { BatchView, FileDiff, LeftView } from '../../../src/subagentProtocol.ts';
import { THEMES, type Theme, themeSheet } from './themes.ts';

export interface Setup extends Partial<Omit<InitMessage, 'type'>> {
  readonly panel?: 'memory' | 'todo' | 'checkpoint' | 'subagents' | 'sessions';
  /** What the session panels show; what it does not say is filled in. */
  readonly todo?: Partial<TodoView>;
  readonly checkpoint?: Partial<CheckpointView>;
  /** Batches, and the changes of files by path; what they do not say is filled in. */
  readonly subagents?: {
    readonly batches?: readonly DeepPartial<BatchView>[];
    readonly diffs?: Readonly<Record<string, Partial<FileDiff>>>;
    /** Work left behind, and its files by id. */
    readonly left?: readonly LeftView[];
    readonly leftFiles?: Readonly<Record<string, readonly object[]>>;
  };
  /** The sessions that are listed, what was said in them by key, and what happened to messages. */
  readonly messages?: {
    readonly sessions?: readonly (Pick<SessionLine, 'key'> & Partial<SessionLine>)[];
    readonly histories?: Readonly<
      Record<string, readonly (Pick<HistoryLine, 'uuid'> & Partial<HistoryLine>)[]>
    >;
    readonly timeline?: readonly MessageLine[];
    readonly conflicts?: readonly FileConflict[];
    readonly agents?: readonly string[];
    readonly hits?: readonly TranscriptFound[];
  };
  /** What the memory browser's other views show; what it does not say is filled in. */
  readonly care?: {
    readonly score?: number;
    readonly findings?: readonly (Pick<Finding, 'kind' | 'phrase'> & Partial<Finding>)[];
    readonly drafts?: readonly (Pick<Draft, 'key' | 'content'> & Partial<Draft>)[];
    /** Ids of entries that say nearly the same, and of those about an older version. */
    readonly similar?: readonly (readonly string[])[];
    readonly versions?: readonly (readonly string[])[];
  };
  /** Where memories are kept; in the folder when it does not say. */
  readonly backend?: Partial<BackendView>;
  /** Sessions that cannot be shown, and why. */
  readonly unreadable?: Readonly<Record<string, Phrase>>;
  /** How many generated entries there are. */
  readonly count?: number;
  /** Entries beside the generated ones; what they do not say is filled in. */
  readonly entries?: readonly ({ readonly id: string } & Record<string, unknown>)[];
  readonly delay?: number;
  readonly failing?: Readonly<Record<string, string>>;
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: Theme;
  readonly reducedMotion?: boolean;
}

const PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** One for all test files of a process. */
let built: Promise<string> | undefined;

async function build(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'lodeline-webview-'));
  await buildWebview({ outdir, minify: true });
  return outdir;
}

/** Serves the built panel the way the editor does, strict policy included, and opens it in Chromium. */
export class PanelHarness {
  readonly #server: Server;
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #pages: Page[] = [];

  private constructor(server: Server, browser: Browser, context: BrowserContext) {
    this.#server = server;
    this.#browser = browser;
    this.#context = context;
  }

  static async start(): Promise<PanelHarness> {
    built ??= build();
    const outdir = await built;
    const server = createServer(async (request, response) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const type = (name: string) => response.setHeader('content-type', name);
      if (/^\/(memory|todo|checkpoint|subagents|sessions)\.js$/.test(url.pathname)) {
        type('text/javascript');
        response.end(await readFile(join(outdir, url.pathname)));
      } else if (/^\/fake-(host|care|sessions|subagents|messages)\.js$/.test(url.pathname)) {
        type('text/javascript');
        response.end(await readFile(new URL(`.${url.pathname}`, import.meta.url)));
      } else if (url.pathname === '/theme.css') {
        type('text/css');
        response.end(themeSheet(asTheme(url.searchParams.get('theme')), url.searchParams.get('place') ?? ''));
      } else if (url.pathname === '/') {
        type('text/html; charset=utf-8');
        response.end(page(url, request.headers.host ?? ''));
      } else {
        response.statusCode = 404;
        response.end();
      }
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const executablePath = process.env.CHROME_PATH ?? PATHS.find(existsSync);
    if (executablePath === undefined) throw new Error('No Chromium was found. Set CHROME_PATH to one.');
    const browser = await chromium.launch({
      executablePath,
      // All pages in one process, which is faster than one for each.
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--process-per-site'],
    });
    const harness = new PanelHarness(server, browser, await browser.newContext({ timezoneId: 'UTC' }));
    // Keeps the process while no panel is open.
    await harness.#show(await harness.#context.newPage(), '/theme.css');
    return harness;
  }

  async open(setup: Setup = {}, options: OpenOptions = {}): Promise<Page> {
    const { width = 300, height = 640, theme = 'dark', reducedMotion = false } = options;
    const panel = await this.#context.newPage();
    this.#pages.push(panel);
    await panel.setViewportSize({ width, height });
    if (reducedMotion) await panel.emulateMedia({ reducedMotion: 'reduce' });
    panel.setDefaultTimeout(5_000);
    const errors: string[] = [];
    pageErrors.set(panel, errors);
    panel.on('pageerror', (error) => errors.push(String(error)));
    // Too long for an address: entries of 100 kB are among what is tried.
    await panel.addInitScript(`window.fakeSetup = ${JSON.stringify(setup)}`);
    const query = new URLSearchParams({
      theme,
      place: setup.place ?? 'sidebar',
      panel: setup.panel ?? 'memory',
    });
    await this.#show(panel, `/?${query}`);
    return panel;
  }

  async #show(panel: Page, path: string): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    await panel.goto(`http://127.0.0.1:${port}${path}`);
  }

  /** Closes the pages opened so far. */
  async closePages(): Promise<void> {
    await Promise.all(this.#pages.splice(0).map((panel) => panel.close()));
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

const pageErrors = new WeakMap<Page, string[]>();

/** Script errors so far. */
export function errorsOf(panel: Page): readonly string[] {
  return pageErrors.get(panel) ?? [];
}

export interface Call {
  readonly seq: number;
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

type DeepPartial<T> = T extends Phrase
  ? // The fake host makes a phrase of it.
    string
  : T extends readonly (infer Each)[]
    ? readonly DeepPartial<Each>[]
    : T extends object
      ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> }
      : T;

interface FakeHost {
  /** The batches, for a test to change; `answers` by tool name. */
  readonly subagents: {
    batches: (Record<string, unknown> & {
      id: string;
      tasks: (Record<string, unknown> & { id: string })[];
    })[];
    diffs: Record<string, unknown>;
    answers: Record<string, { text?: string; data?: unknown }>;
    add(batch: DeepPartial<BatchView>): void;
  };
  /** The truth of the sessions panel, for a test to change; `answers` by tool name. */
  readonly messages: {
    sessions: (Record<string, unknown> & { key: string })[];
    histories: Record<string, (Record<string, unknown> & { uuid: string })[]>;
    timeline: Record<string, unknown>[];
    conflicts: unknown[];
    hits: Record<string, unknown>[];
    answers: Record<string, unknown>;
    unreadable: Record<string, Phrase>;
  };
  /** The session panels' truth; the agent changes it. */
  readonly sessions: {
    todo: {
      sessions: unknown[];
      plans: Record<string, { name: string; tasks: Record<string, unknown>[] }[]>;
    };
    checkpoint: Record<string, unknown>;
    unreadable: Record<string, Phrase>;
  };
  /** Where memories are kept, for a test to change. */
  readonly backend: { -readonly [Key in keyof BackendView]: BackendView[Key] };
  readonly posted: readonly { readonly type: string; readonly [name: string]: unknown }[];
  readonly violations: readonly { readonly directive: string; readonly blocked: string }[];
  delay: number | ((call: { tool: string; input: Record<string, unknown> }) => number);
  readonly failing: Record<string, string>;
  readonly entries: Map<string, Record<string, unknown>>;
  changed(): void;
  write(id: string, change: Record<string, unknown>): void;
  notices(notices: readonly string[], seal?: InitMessage['seal']): void;
  show(show: unknown): void;
  calls(tool: string): readonly Call[];
}

declare global {
  interface Window {
    readonly fakeHost: FakeHost;
  }
}

/** The messages of one type that the panel has sent. */
export function posted(panel: Page, type: string): Promise<FakeHost['posted']> {
  return panel.evaluate((name) => window.fakeHost.posted.filter((message) => message.type === name), type);
}

/** The calls of one tool that the panel has made. */
export function calls(panel: Page, tool: string): Promise<readonly Call[]> {
  return panel.evaluate((name) => window.fakeHost.calls(name), tool);
}

function asTheme(name: string | null): Theme {
  return (Object.keys(THEMES) as Theme[]).find((theme) => theme === name) ?? 'dark';
}

function page(url: URL, host: string): string {
  const nonce = randomBytes(16).toString('base64');
  const source = `http://${host}`;
  const { kind } = THEMES[asTheme(url.searchParams.get('theme'))];
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}; font-src ${source}; img-src ${source} data:`;
  const panel =
    /^(todo|checkpoint|subagents|sessions)$/.exec(url.searchParams.get('panel') ?? '')?.[0] ?? 'memory';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width"><title>Memory</title><link rel="stylesheet" href="/theme.css${url.search}"></head>
    <body class="${kind}" data-vscode-theme-kind="${kind}"><lodeline-${panel}></lodeline-${panel}>
    <script nonce="${nonce}" src="/fake-sessions.js"></script><script nonce="${nonce}" src="/fake-subagents.js"></script><script nonce="${nonce}" src="/fake-messages.js"></script><script nonce="${nonce}" src="/fake-care.js"></script><script nonce="${nonce}" src="/fake-host.js"></script>
    <script type="module" nonce="${nonce}" src="/${panel}.js"></script></body></html>`;
}
