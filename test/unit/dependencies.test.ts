/** The rules about imports do fail where a door goes around the gate. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cruise, type IConfiguration } from 'dependency-cruiser';
import { expect, it } from 'vitest';
import { temporaryFolder } from './support/folder.ts';

const CONFIG = new URL('../../.dependency-cruiser.mjs', import.meta.url).href;
const { default: config } = (await import(CONFIG)) as { default: IConfiguration };
const RULES = ['gated', 'gated-store', 'gated-hooks'];

/** Which of the rules a file breaks that imports another. */
async function broken(from: string, to: string, how: 'import' | 'import type'): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const up = from
    .split('/')
    .slice(1)
    .map(() => '..')
    .join('/');
  const files = {
    [from]: `${how} { x } from '${up}/${to}';\nexport const y = {} as typeof x;\n`,
    [to]: 'export const x = 1;\n',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { tsConfig: _, ...options } = config.options ?? {};
  const forbidden = config.forbidden?.filter(({ name = '' }) => RULES.includes(name)) ?? [];
  expect(forbidden).toHaveLength(RULES.length);
  const { output } = await cruise([dirname(from)], {
    ...options,
    ...{ baseDir: folder, validate: true, ruleSet: { forbidden } },
  });
  if (typeof output === 'string') throw new Error(output);
  expect(output.summary.totalDependenciesCruised).toBe(1);
  return output.summary.violations.map(({ rule }) => rule.name);
}

it.each([
  ['src/vscode/planted.ts', 'src/memory/store.ts', ['gated']],
  ['src/mcp/planted.ts', 'src/worker/client.ts', ['gated']],
  ['src/cli/planted.ts', 'src/session/transcript.ts', ['gated']],
  ['src/vscode/planted.ts', 'src/subagent/artifacts.ts', ['gated']],
  ['src/vscode/planted.ts', 'src/journal/reader.ts', ['gated']],
  ['src/cli/hookPlanted.ts', 'src/session/transcript.ts', ['gated-hooks']],
  ['src/cli/hookPlanted.ts', 'src/policy/taint.ts', []],
  ['src/mcp/planted.ts', 'src/policy/taint.ts', ['gated']],
  ['src/cli/benchPlanted.ts', 'src/session/transcript.ts', []],
  ['src/planted.ts', 'src/session/transcript.ts', ['gated']],
  ['src/vscode/planted.ts', 'src/messaging/cron.ts', ['gated']],
  ['src/vscode/planted.ts', 'src/memory/line.ts', []],
  ['src/vscode/planted.ts', 'src/tools/registry.ts', []],
])('%s and %s: %j', async (from, to, rules) => {
  expect(await broken(from, to, 'import')).toEqual(rules);
  expect(await broken(from, to, 'import type')).toEqual([]);
});

it.each([
  ['src/mcp/planted.ts', ['gated-store']],
  ['src/planted.ts', ['gated-store']],
  ['src/tools/planted.ts', ['gated-store']],
  ['src/cli/hookPlanted.ts', ['gated-store']],
  ['src/cli/benchPlanted.ts', []],
  ['src/app.ts', []],
])('%s and the store behind the app: %j', async (from, rules) => {
  expect(await broken(from, 'src/appStore.ts', 'import')).toEqual(rules);
});
