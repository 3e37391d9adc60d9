/** Memories on a Hindsight server, which a team can share. */
import { randomUUID } from 'node:crypto';
import type { BackendView, Phrase } from '../../backendProtocol.ts';
import { canFlowTo, type Level } from '../../policy/level.ts';
import { redactSecrets } from '../../policy/redact.ts';
import type { RetainSpoolApi } from '../../worker/retainSpoolApi.ts';
import type {
  BackendCall,
  BackendHit,
  MemoryBackend,
  Reflection,
  RetainItem,
  RetainOutcome,
} from '../backend.ts';
import { Connection } from './connection.ts';
import type { DocumentPage } from './documents.ts';
import { highestOf, type SpoolItem } from './item.ts';
import { RetainQueue } from './queue.ts';
import type { HindsightServer } from './server.ts';
import { type BackendSettings, bankAt, banksUpTo } from './settings.ts';
import { BackendError, fill, phrase } from './texts.ts';

/** Where a memory comes from that says nothing of it. */
const CONTEXT = 'lodeline';
/** No token is longer, on average, in characters: so much is shown of a server that gives more than it was asked for. */
const TOKEN = 8;
/** In characters; an honest answer is far shorter. */
const LONGEST_REFLECTION = 50_000;
/** So long an end waits for what can still be sent, in milliseconds. */
const LAST_PATIENCE = 4_000;

export interface HindsightParts {
  readonly settings: BackendSettings;
  readonly server: HindsightServer;
  readonly spool: RetainSpoolApi;
  /** The folder's or repository's name; empty: unknown. */
  readonly project: string;
  readonly defaultLevel: Level;
  /** Up to here memories may leave as things are now; undefined where the person has chosen another backend. */
  maxLevel(): Level | undefined;
  now(): number;
  random(): number;
  /** What is for the log alone. */
  log(message: string): void;
}

export class HindsightBackend implements MemoryBackend {
  readonly #parts: HindsightParts;
  readonly #queue: RetainQueue;
  readonly #changes = new Set<() => void>();
  readonly #warnings = new Set<(warning: Phrase) => void>();
  readonly #connection: Connection;

  constructor(parts: HindsightParts) {
    this.#parts = parts;
    const changed = (): void => {
      for (const listener of this.#changes) listener();
    };
    this.#connection = new Connection({ ...parts, changed });
    this.#queue = new RetainQueue({
      spool: parts.spool,
      server: parts.settings.url,
      now: parts.now,
      random: parts.random,
      send: (bank, items, signal) => this.#send(bank, items, signal),
      maxLevel: parts.maxLevel,
      warn: (warning) => {
        parts.log(fill(warning));
        for (const listener of this.#warnings) listener(warning);
      },
      changed,
    });
  }

  async recall(query: string, call: BackendCall): Promise<readonly BackendHit[]> {
    const asked = await this.#leaving(query, call);
    const { types, maxTokens, budget } = this.#parts.settings;
    const hits: BackendHit[] = [];
    for (const bank of this.#readable(call))
      hits.push(
        ...(await this.#connection.ask(bank, call.author.level, call.signal, (server) =>
          server.recall(
            bank,
            { query: asked, types: [...types], max_tokens: maxTokens, budget, ...this.#match() },
            call.signal,
          ),
        )),
      );
    return withinTokens(hits, maxTokens);
  }

  async reflect(query: string, context: string | undefined, call: BackendCall): Promise<Reflection> {
    const asked = await this.#leaving(query, call);
    const said = context === undefined ? undefined : (await redactSecrets(context)).text;
    const { budget } = this.#parts.settings;
    const texts: string[] = [];
    for (const bank of this.#readable(call)) {
      const text = await this.#connection.ask(bank, call.author.level, call.signal, (server) =>
        server.reflect(
          bank,
          { query: asked, ...(said !== undefined && { context: said }), budget, ...this.#match() },
          call.signal,
        ),
      );
      if (text.trim() !== '') texts.push(cutAt(text.trim(), LONGEST_REFLECTION));
    }
    return { text: texts.join('\n\n'), sources: [] };
  }

  async retain(items: readonly RetainItem[], { author }: BackendCall): Promise<RetainOutcome> {
    const { level } = author;
    this.#mustMayLeave(level);
    const { now } = this.#parts;
    const { bank, tags = [] } = this.#connection.scope;
    const redacted = new Set<string>();
    const clean = async (text: string): Promise<string> => {
      const { text: cleaned, found } = await redactSecrets(text);
      for (const kind of found) redacted.add(kind);
      return cleaned.toWellFormed();
    };
    const queued: SpoolItem[] = [];
    for (const { content, context, documentId } of items)
      queued.push({
        key: randomUUID(),
        documentId: documentId ?? randomUUID(),
        bank: bankAt(bank, level),
        server: this.#parts.settings.url,
        level,
        content: await clean(content),
        context: context === undefined ? CONTEXT : await clean(context),
        tags,
        metadata: { session_id: await clean(author.session) },
        at: now(),
      });
    await this.#queue.add(queued);
    return { state: 'queued', count: queued.length, redacted: [...redacted] };
  }

  async documents(offset: number, { author, signal }: BackendCall): Promise<DocumentPage> {
    const { tags } = this.#connection.scope;
    const bank = bankAt(this.#connection.scope.bank, author.level);
    return this.#connection.ask(bank, author.level, signal, (server) =>
      server.documents(bank, { offset, tags }, signal),
    );
  }

  async status(reader: Level = 'RESTRICTED'): Promise<BackendView> {
    const { spool } = this.#parts;
    const { waiting, locked, oldest } = await spool.spoolLook(reader);
    const { refused, nextTry, error } = this.#queue.state(reader);
    // Whoever looks at it wants to know how it is.
    this.#connection.lookAround();
    const lockedError = phrase('{0} are sealed with a key that is not here.', locked);
    const view = this.#connection.view(reader);
    return {
      ...view,
      kind: 'hindsight',
      queue: {
        waiting,
        refused: Math.min(waiting, refused + locked),
        ...(oldest !== undefined && { oldest }),
        ...(nextTry !== undefined && waiting > 0 && { nextTry }),
        ...(error !== undefined ? { error } : locked > 0 && { error: lockedError }),
      },
    };
  }

  async retryNow(isForAll = true): Promise<void> {
    await this.#connection.look();
    await this.#queue.retry(isForAll);
  }

  onChange(listener: () => void): () => void {
    this.#changes.add(listener);
    return () => this.#changes.delete(listener);
  }

  onWarning(listener: (warning: Phrase) => void): () => void {
    this.#warnings.add(listener);
    return () => this.#warnings.delete(listener);
  }

  async flush(signal: AbortSignal): Promise<void> {
    await this.#queue.flush(signal);
  }

  /** Sends what waits for the timer. */
  hasten(): void {
    this.#queue.hasten();
  }

  /**
   * Goes on with what was left to send.
   * @param own also by a backend of this process that was there before
   */
  async start(own = false): Promise<void> {
    await this.#queue.takeOver(own);
  }

  /** What waits is not to be sent any more; it is removed from disk. @returns how many items that were */
  async erase(): Promise<number> {
    this.#queue.clear();
    return this.#parts.spool.spoolErase();
  }

  /** Ends without sending anything more, where the person wants another backend: what waits is that one's. */
  async leave(): Promise<void> {
    await this.#queue.leave();
    await this.#close();
  }

  async dispose(): Promise<void> {
    await this.#queue.dispose(LAST_PATIENCE);
    await this.#close();
  }

  async #close(): Promise<void> {
    await this.#connection.dispose();
    this.#changes.clear();
    this.#warnings.clear();
  }

  /** Tagged memories and those that have no tag. */
  #match() {
    const { tags } = this.#connection.scope;
    return tags === undefined ? {} : { tags: [...tags], tags_match: 'any' as const };
  }

  #readable({ author }: BackendCall): readonly string[] {
    return banksUpTo(this.#connection.scope.bank, author.level);
  }

  /** What is asked leaves the machine, too. */
  async #leaving(text: string, { author }: BackendCall): Promise<string> {
    this.#mustMayLeave(author.level);
    return (await redactSecrets(text)).text.toWellFormed();
  }

  #mustMayLeave(level: Level): void {
    const maxLevel = this.#parts.maxLevel() ?? this.#parts.settings.maxLevel;
    if (canFlowTo(level, maxLevel)) return;
    throw new BackendError(
      phrase(
        'This session is at {0}, and only what is up to {1} may leave this machine for the memory server. Nothing was sent. Use memory_remember and memory_recall, which keep memories here; the person can allow it with the setting "hindsight.maxLevel".',
        level,
        maxLevel,
      ),
    );
  }

  async #send(bank: string, items: readonly SpoolItem[], signal: AbortSignal): Promise<void> {
    await this.#connection.ask(bank, highestOf(items), signal, (server) =>
      server.retain(
        bank,
        items.map(({ content, context, metadata, documentId, tags, at }) => ({
          ...{ content, context, metadata, document_id: documentId },
          ...(tags.length > 0 && { tags }),
          timestamp: new Date(at).toISOString(),
        })),
        signal,
      ),
    );
  }
}

/** The first hits, as far as they fit; what is above that is cut. */
function withinTokens(hits: readonly BackendHit[], maxTokens: number): readonly BackendHit[] {
  let left = maxTokens * TOKEN;
  return hits.flatMap((hit) => {
    if (left <= 0) return [];
    const text = cutAt(hit.text, left);
    left -= hit.text.length;
    return [{ ...hit, text }];
  });
}

function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}\n(cut: ${text.length} characters)`;
}
