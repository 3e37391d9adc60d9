/** What @lodeline is told about saving without being asked. */
import { join } from 'node:path';
import type { App } from '../appApi.ts';
import { savingAdvice } from '../tools/memory/proactive.ts';
import { readSpine, SPINE_FILE } from '../tools/memory/spine.ts';

/**
 * Lines for the system prompt; empty where the person switched it off.
 * @param trusted whether the folder is: else its SPINE.md is not read
 * @param shows called with the path of SPINE.md before its text is used, so that its level counts; throws what may not be shown
 */
export async function savingPrompt(
  { root, settings }: Pick<App, 'root' | 'settings'>,
  trusted: boolean,
  shows: (path: string) => Promise<unknown>,
): Promise<string> {
  const spine =
    trusted && savingAdvice(settings, undefined) !== undefined ? await readSpine(root) : undefined;
  if (spine !== undefined) await shows(join(root, SPINE_FILE));
  return savingAdvice(settings, spine) ?? '';
}
