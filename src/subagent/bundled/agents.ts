import type { AgentDefinition } from '../agentFile.ts';
import { DESIGNER } from './designer.ts';
import { EXPLORE } from './explore.ts';
import { LIBRARIAN } from './librarian.ts';
import { PLAN } from './plan.ts';
import { REVIEWER } from './reviewer.ts';
import { QUICK_TASK, TASK } from './workers.ts';

/** The agents of seed 000, in its order. */
export const BUNDLED_AGENTS: readonly AgentDefinition[] = [
  EXPLORE,
  PLAN,
  DESIGNER,
  REVIEWER,
  TASK,
  QUICK_TASK,
  LIBRARIAN,
];
