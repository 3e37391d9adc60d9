/**
 * Writes THIRD_PARTY_NOTICES.md: the licences of every package whose code is in a bundle. `--check` compares instead.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from './build.mjs';
import { buildWebview } from './build-webview.mjs';

const FILE = 'THIRD_PARTY_NOTICES.md';

/** Folders of the packages that the bundles hold code of. */
async function bundledPackages() {
  const node = await bundle({ minify: true, write: false });
  const outdir = await mkdtemp(join(tmpdir(), 'lodeline-notices-'));
  const webview = await buildWebview({ outdir });
  await rm(outdir, { recursive: true });
  const inputs = [node, webview].flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) => Object.entries(output.inputs)),
  );
  const folders = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)];
}

/** @param {string} folder */
async function describe(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${name} names no licence in its package.json`);
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const holder = typeof author === 'string' ? author : author?.name;
  const text =
    texts.length > 0
      ? texts.map((one) => one.trim()).join('\n\n')
      : `${license}. Copyright ${holder ?? `the authors of ${name}`}.`;
  return { name, version, license, text: text.replaceAll('\r\n', '\n').replace(/[ \t]+$/gm, '') };
}

async function notices() {
  const packages = await Promise.all((await bundledPackages()).map(describe));
  packages.sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'));
  const sections = packages.map(
    ({ name, version, license, text }) =>
      `## ${name} ${version}\n\n${license}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`,
  );
  return [
    '# Third-party notices\n',
    'Lodeline contains code of the packages below, and SQLite (in the public domain) compiled to WebAssembly by sql.js. `node scripts/notices.mjs` writes this file.\n',
    ...sections,
  ].join('\n');
}

const text = await notices();
if (!process.argv.includes('--check')) {
  await writeFile(FILE, text);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
  console.error(`${FILE} does not match what is bundled: run "node scripts/notices.mjs".`);
  process.exitCode = 1;
}
