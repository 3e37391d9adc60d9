/** What the person set about the server. `HINDSIGHT_…` of the environment wins over settings. */
import { createHash } from 'node:crypto';
import { canFlowTo, LEVELS, type Level, maxLevel, parseLevel } from '../../policy/level.ts';
import type { Settings } from '../../ports.ts';

const SCOPINGS = ['global', 'per-project', 'per-project-tagged'] as const;
export type Scoping = (typeof SCOPINGS)[number];

const KINDS = ['local', 'hindsight', 'off'] as const;
export type BackendKind = (typeof KINDS)[number];

const BUDGETS = ['low', 'mid', 'high'] as const;
export type Budget = (typeof BUDGETS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

const URL_DEFAULT = 'http://localhost:8888';
/** The bank of a person who names none. */
const BANK = 'lodeline';
/** Seed 000. */
const MAX_TOKENS = 1024;
const TYPES = ['world', 'experience'];
const EVERY_TURNS = 3;

export interface BackendSettings {
  readonly kind: BackendKind;
  /** Without a slash at its end. */
  readonly url: string;
  readonly bankId: string;
  readonly prefix: string;
  readonly scoping: Scoping;
  readonly byRepository: boolean;
  readonly bankMission: string;
  readonly retainMission: string;
  readonly autoRecall: boolean;
  readonly autoRetain: boolean;
  readonly retainEveryTurns: number;
  readonly budget: Budget;
  readonly maxTokens: number;
  readonly types: readonly string[];
  readonly models: boolean;
  readonly seedModels: boolean;
  /** Up to here memories may leave the machine. */
  readonly maxLevel: Level;
}

/** Where `recall`, `retain` and `reflect` keep memories. What is none of the choices means the default. */
function backendKind(settings: Pick<Settings, 'get'>): BackendKind {
  return choice(KINDS, settings.get('memory.backend'), 'local');
}

/**
 * What counts at this moment; what is no valid value means the default.
 * @param env whose `HINDSIGHT_…` variables win over settings, where they are not empty
 * @param defaultLevel the folder's: up to it memories may always leave
 */
export function readBackendSettings(
  settings: Pick<Settings, 'get'>,
  env: Environment,
  defaultLevel: Level,
): BackendSettings {
  const get = (key: string, variable?: string): unknown =>
    (variable === undefined ? undefined : env[`HINDSIGHT_${variable}`] || undefined) ??
    settings.get(`hindsight.${key}`);
  const text = (key: string, variable?: string): string => String(get(key, variable) ?? '').trim();
  const chosen = parseLevel(text('maxLevel'));
  return {
    kind: backendKind(settings),
    url: (text('apiUrl', 'API_URL') || URL_DEFAULT).replace(/\/+$/, ''),
    bankId: text('bankId', 'BANK_ID') || BANK,
    prefix: text('bankIdPrefix'),
    scoping: choice(SCOPINGS, get('scoping', 'SCOPING'), 'per-project-tagged'),
    byRepository: get('identity') === 'repository',
    bankMission: text('bankMission', 'BANK_MISSION'),
    retainMission: text('retainMission'),
    autoRecall: isTrue(get('autoRecall', 'AUTO_RECALL')),
    autoRetain: isTrue(get('autoRetain', 'AUTO_RETAIN')),
    retainEveryTurns: count(get('retainEveryNTurns', 'RETAIN_EVERY_N_TURNS'), EVERY_TURNS),
    budget: choice(BUDGETS, get('recallBudget', 'RECALL_BUDGET'), 'mid'),
    maxTokens: count(get('recallMaxTokens', 'RECALL_MAX_TOKENS'), MAX_TOKENS),
    types: typesOf(get('recallTypes')),
    models: get('mentalModelsEnabled') !== false,
    seedModels: get('mentalModelAutoSeed') !== false,
    maxLevel: chosen === undefined ? defaultLevel : maxLevel(defaultLevel, chosen),
  };
}

/** Whether a text can be a server's address: http or https, without a password, a query or a fragment. */
export function isServerUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
}

/** A bank, and the tag that what is kept in it gets and what is found has, or nothing. */
export interface BankScope {
  readonly bank: string;
  readonly tags?: readonly string[] | undefined;
}

/** Where a project's memories go to and are found. @param project the folder's or repository's name; empty: unknown */
export function scopeOf(
  { bankId, prefix, scoping }: Pick<BackendSettings, 'bankId' | 'prefix' | 'scoping'>,
  project: string,
): BankScope {
  const base = prefix === '' ? bankId : `${prefix}-${bankId}`;
  const name = project || 'unknown';
  switch (scoping) {
    case 'global':
      return { bank: base };
    case 'per-project':
      return { bank: `${base}-${name}` };
    case 'per-project-tagged':
      return { bank: base, tags: [`project:${name}`] };
  }
}

/** A project may be called so. */
const LEVELLED = new RegExp(`-(?:${LEVELS.join('|')})$`, 'i');

/**
 * The bank of a level: each above the lowest has one of its own, whatever the folder's default level is. Folders of
 * other defaults, and other people, may use the same bank.
 */
export function bankAt(bank: string, level: Level): string {
  return level === LEVELS[0] && !LEVELLED.test(bank) ? bank : `${bank}-${level.toLowerCase()}`;
}

/** The banks that a session at `level` may look into. */
export function banksUpTo(bank: string, level: Level): readonly string[] {
  return LEVELS.filter((each) => canFlowTo(each, level)).map((each) => bankAt(bank, each));
}

/** Lower-case letters, digits and hyphens that stand for a name, and for no other one. */
export function slugOf(name: string): string {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  if (slug === name) return slug;
  const digest = createHash('sha256').update(name.normalize('NFC')).digest('hex').slice(0, 8);
  return `${slug.replace(/^-+|-+$/g, '').slice(0, 40)}-${digest}`.replace(/^-/, '');
}

function choice<T extends string>(of: readonly T[], value: unknown, otherwise: T): T {
  return of.find((each) => each === value) ?? otherwise;
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === '1';
}

function count(value: unknown, otherwise: number): number {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 1 ? number : otherwise;
}

function typesOf(value: unknown): readonly string[] {
  const types = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  return types.length > 0 ? types : TYPES;
}
