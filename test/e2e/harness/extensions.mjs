// @ts-check
/** Installs extensions into one editor's extensions folder: packed ones through its CLI, folders by copying. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { run } from './install.mjs';

/**
 * @param {import('./install.mjs').Editor} editor
 * @param {string[]} folders  the CLI's own folder options
 * @param {string[]} vsix
 * @param {NodeJS.ProcessEnv} env
 */
export async function installPacked(editor, folders, vsix, env) {
  if (vsix.length === 0) return;
  const wanted = vsix.flatMap((file) => ['--install-extension', resolve(file)]);
  const { code, output } = await run(editor.node, [editor.entry, ...folders, ...wanted], { env });
  // The CLI ends with 0 even when it could not install one of several.
  if (code !== 0 || /failed installing|error while installing/i.test(output)) {
    throw new Error(`Installing ${vsix.join(', ')} failed:\n${output}`);
  }
}

/**
 * Puts an unpacked extension where the editor looks, and into the list of what is installed.
 * @param {string} folder
 * @param {string} extensionsDir
 * @returns {Promise<string>} where it was put
 */
export async function installFolder(folder, extensionsDir) {
  const { publisher, name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const id = `${publisher}.${name}`.toLowerCase();
  const relativeLocation = `${id}-${version}`;
  const target = join(extensionsDir, relativeLocation);
  await cp(folder, target, { recursive: true });

  const list = join(extensionsDir, 'extensions.json');
  /** @type {{ identifier: { id: string } }[]} */
  const installed = JSON.parse(await readFile(list, 'utf8').catch(() => '[]'));
  const others = installed.filter((one) => one.identifier.id.toLowerCase() !== id);
  const location = { $mid: 1, path: target, scheme: 'file' };
  const entry = { identifier: { id }, version, location, relativeLocation, metadata: { source: 'vsix' } };
  await writeFile(list, JSON.stringify([...others, entry]));
  return target;
}
