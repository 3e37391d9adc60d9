// @ts-check
/**
 * Writes what package.json contributes for the tools, their English titles and the merged Korean bundle.
 * `--check` changes nothing and fails when one of them has drifted, or when a text, key or command lacks its twin.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { checkTools, contributionOf, coreTokens, readTools } from './lib/toolContributions.mjs';
import { compareTexts, findTexts, manifestKeys } from './lib/translations.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CHECK = process.argv.includes('--check');

const problems = /** @type {string[]} */ ([]);
const tools = await readTools(ROOT);
problems.push(...checkTools(tools));

const manifest = await readJson('package.json');
manifest.contributes.languageModelTools = tools.map(contributionOf);
await put('package.json', manifest);

const english = await readJson('package.nls.json');
for (const key of Object.keys(english)) if (key.startsWith('tool.')) delete english[key];
for (const { name, title, description } of tools) {
  english[`tool.${name}.title`] = title;
  english[`tool.${name}.description`] = firstSentence(description);
}
await put('package.nls.json', english);

const keys = new Set(manifestKeys(manifest));
problems.push(...compareTexts('package.nls.json', keys, english).map(asKey));
problems.push(...compareTexts('package.nls.ko.json', keys, await readJson('package.nls.ko.json')).map(asKey));

const bundle = {
  ...(await translationsOf('src/vscode', /^(vscode\.)?l10n\.t$/)),
  ...(await translationsOf('src', /^phrase$/)),
  ...(await translationsOf('webview', /^t$/)),
};
await put(
  'l10n/bundle.l10n.ko.json',
  Object.fromEntries(Object.entries(bundle).sort(([a], [b]) => (a < b ? -1 : 1))),
);

problems.push(...(await checkCommands()));

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${tools.length} tools; the core ones take ${coreTokens(tools)} tokens`);

/** The Korean of a folder's texts, which stands beside them. @param {string} folder @param {RegExp} callee */
async function translationsOf(folder, callee) {
  const file = `${folder}/strings.ko.json`;
  const [found, translations] = [await findTexts(ROOT, folder, callee), await readJson(file)];
  problems.push(...found.problems, ...compareTexts(file, found.texts, translations));
  return translations;
}

/** Every declared command is registered, and every registered one declared. */
async function checkCommands() {
  const source = await readFile(join(ROOT, 'src/vscode/commands.ts'), 'utf8');
  const registered = new Set([...source.matchAll(/^ {2}'(lodeline\.\w+)':/gm)].map(([, id]) => id));
  const declared = new Set(
    manifest.contributes.commands.map((/** @type {{ command: string }} */ { command }) => command),
  );
  return [
    ...[...declared].filter((id) => !registered.has(id)).map((id) => `${id} is declared and not registered`),
    ...[...registered].filter((id) => !declared.has(id)).map((id) => `${id} is registered and not declared`),
  ];
}

/** Writes a file, or says that it has drifted. @param {string} file @param {object} value */
async function put(file, value) {
  const before = await readJson(file).catch(() => undefined);
  // The order of keys is for readers; only what they hold counts as drift.
  if (isDeepStrictEqual(before, JSON.parse(JSON.stringify(value)))) return;
  if (CHECK) problems.push(`${file} is not what the sources say: run "node scripts/contributions.mjs"`);
  else await writeFile(join(ROOT, file), `${JSON.stringify(value, null, 2)}\n`);
}

/** @param {string} file */
async function readJson(file) {
  return JSON.parse(await readFile(join(ROOT, file), 'utf8'));
}

/** People read one sentence; models read all of it. @param {string} text */
function firstSentence(text) {
  return /^.+?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}

/** @param {string} problem */
function asKey(problem) {
  return problem.replace('no translation of', 'no key');
}
