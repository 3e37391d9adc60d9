// @ts-check
/** Finds the texts that people read, so that none ships without its Korean. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import ts from 'typescript';

/**
 * The first arguments of all calls of a translating function in a folder.
 * @param {string} root
 * @param {string} folder
 * @param {RegExp} callee  matches the called expression, such as `t` or `vscode.l10n.t`
 * @returns {Promise<{ texts: Set<string>, problems: string[] }>}
 */
export async function findTexts(root, folder, callee) {
  const texts = new Set();
  const problems = /** @type {string[]} */ ([]);
  const names = await readdir(join(root, folder), { recursive: true });
  for (const name of names.filter((each) => each.endsWith('.ts')).sort()) {
    const file = join(root, folder, name);
    const source = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest);
    visit(source);

    /** @param {ts.Node} node */
    function visit(node) {
      if (ts.isCallExpression(node) && callee.test(node.expression.getText(source))) {
        const [text] = node.arguments;
        if (text !== undefined && ts.isStringLiteralLike(text)) texts.add(text.text);
        else {
          const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
          problems.push(`${relative(root, file)}:${line + 1}: a text to translate must be a literal`);
        }
      }
      ts.forEachChild(node, visit);
    }
  }
  return { texts, problems };
}

/**
 * What is missing from or left over in a translation, and placeholders that differ.
 * @param {string} file
 * @param {Set<string>} texts
 * @param {Record<string, string>} translations
 * @returns {string[]}
 */
export function compareTexts(file, texts, translations) {
  const problems = [];
  for (const text of texts) {
    if (!Object.hasOwn(translations, text)) problems.push(`${file}: no translation of "${text}"`);
    else if (placeholders(text) !== placeholders(translations[text] ?? ''))
      problems.push(`${file}: other placeholders in "${text}"`);
  }
  for (const text of Object.keys(translations)) {
    if (!texts.has(text)) problems.push(`${file}: nothing says "${text}"`);
  }
  return problems;
}

/** The `%keys%` that a manifest names. @param {unknown} value @returns {string[]} */
export function manifestKeys(value) {
  if (typeof value === 'string') return /^%(.+)%$/.exec(value)?.slice(1) ?? [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(manifestKeys) : [];
}

/** @param {string} text */
function placeholders(text) {
  return [...text.matchAll(/\{\d\}/g)]
    .map(([hole]) => hole)
    .sort()
    .join();
}
