/** The settings of subagents, with the seed's defaults (seed 000). */
import type { Settings } from '../ports.ts';
import { TASK_MODES, type TaskMode } from './batch.ts';
import type { TaskLimits } from './limits.ts';

export interface TaskSettings {
  readonly mode: TaskMode;
  readonly disabled: readonly string[];
  readonly maxDepth: number;
  readonly background: boolean;
  /** Whether tasks can be isolated at all. */
  readonly isolation: boolean;
  /** Whether work that can land does so by itself, or waits for a person. */
  readonly landing: 'auto' | 'review';
  readonly limits: TaskLimits;
}

/** Reads them anew: they count from the next call on. */
export function taskSettings(settings: Settings): TaskSettings {
  const mode = TASK_MODES.find((one) => one === settings.get('task.simple')) ?? 'default';
  return {
    mode,
    disabled: texts(settings.get('task.disabledAgents')),
    maxDepth: whole(settings.get('task.maxRecursionDepth'), 2, -1),
    background: settings.get('async.enabled') === true,
    isolation: settings.get('task.isolation.mode') !== 'none',
    landing: settings.get('task.isolation.landing') === 'review' ? 'review' : 'auto',
    limits: {
      steps: whole(settings.get('agents.maxSteps'), 200, 1),
      minutes: number(settings.get('task.maxMinutes'), 0),
      tokens: whole(settings.get('task.maxTokens'), 0, 0),
    },
  };
}

/** How isolated tasks get their work trees, and how their work comes back. */
export interface IsolationSettings {
  readonly mode: 'worktree' | 'fuse-overlay' | 'fuse-projfs';
  /** `patch`: into files. `branch`: as commits. */
  readonly merge: 'patch' | 'branch';
  /** Bytes of untracked files that a task carries. */
  readonly untrackedLimit: number;
}

const MODES = ['worktree', 'fuse-overlay', 'fuse-projfs'] as const;

/** `task.isolation.mode`, `task.isolation.merge` and `task.isolation.maxUntrackedMb` (200). */
export function isolationSettings(settings: Settings): IsolationSettings {
  return {
    mode: MODES.find((one) => one === settings.get('task.isolation.mode')) ?? 'worktree',
    merge: settings.get('task.isolation.merge') === 'branch' ? 'branch' : 'patch',
    untrackedLimit: whole(settings.get('task.isolation.maxUntrackedMb'), 200, 0) * 1024 * 1024,
  };
}

/** `task.maxConcurrency`: 32, 0 for no limit. */
export function maxConcurrency(settings: Settings): number {
  return whole(settings.get('task.maxConcurrency'), 32, 0);
}

/** The models that a person gives to the roles of agents, `agents.models`: `{ "smol": "gpt-4o-mini" }`. */
export function modelOfRole(settings: Settings, role: string): string | undefined {
  const models = settings.get('agents.models');
  if (typeof models !== 'object' || models === null || !Object.hasOwn(models, role)) return undefined;
  const name: unknown = Reflect.get(models, role);
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : undefined;
}

function whole(value: unknown, fallback: number, least: number): number {
  return Number.isSafeInteger(value) && Number(value) >= least ? Number(value) : fallback;
}

function number(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : fallback;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
