// @ts-check
/**
 * VS Code takes a display language only when a language pack for it is installed. Its own Korean pack
 * comes from the marketplace, which a test must not need; an empty one is enough: the workbench stays
 * English, `vscode.env.language` is `ko`, and extensions show their own Korean strings.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installFolder } from './extensions.mjs';

const MANIFEST = {
  publisher: 'lodeline-test',
  name: 'language-pack-ko',
  version: '0.0.1',
  engines: { vscode: '^1.106.0' },
  categories: ['Language Packs'],
  contributes: {
    localizations: [
      {
        languageId: 'ko',
        languageName: 'Korean',
        localizedLanguageName: '한국어',
        translations: [{ id: 'vscode', path: './main.i18n.json' }],
      },
    ],
  },
};

/** @param {string} userDataDir @param {string} extensionsDir */
export async function installKoreanPack(userDataDir, extensionsDir) {
  const folder = await mkdtemp(join(tmpdir(), 'lodeline-ko-'));
  try {
    await writeFile(join(folder, 'package.json'), JSON.stringify(MANIFEST));
    await writeFile(join(folder, 'main.i18n.json'), JSON.stringify({ version: '1.0.0', contents: {} }));
    const target = await installFolder(folder, extensionsDir);

    // The editor writes this list itself, but only after a start; the first window must be Korean already.
    const extensionIdentifier = { id: `${MANIFEST.publisher}.${MANIFEST.name}` };
    const pack = {
      hash: 'lodeline-ko',
      label: '한국어',
      extensions: [{ extensionIdentifier, version: MANIFEST.version }],
      translations: { vscode: join(target, 'main.i18n.json') },
    };
    await mkdir(userDataDir, { recursive: true });
    await writeFile(join(userDataDir, 'languagepacks.json'), JSON.stringify({ ko: pack }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
