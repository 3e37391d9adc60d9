// @ts-check
'use strict';
/**
 * In a browser the editor does not notice that settings.json was changed from outside. So a test writes
 * down what it wants, and this sets it from the inside.
 */
const fs = require('node:fs');
const vscode = require('vscode');

/** @param {vscode.ExtensionContext} context */
exports.activate = (context) => {
  const file = process.env.LODELINE_EDITOR_SETTINGS;
  if (!file) return;
  // What was asked for while this window was opened has still to be done; in each window, for each has its own.
  let done = read(`${file}.done`);
  let isBusy = false;
  const look = async () => {
    const request = read(file);
    if (isBusy || request === done) return;
    isBusy = true;
    try {
      for (const [key, value] of Object.entries(JSON.parse(request).changes)) {
        // null stands for "as if never set", which JSON cannot say otherwise.
        await vscode.workspace
          .getConfiguration()
          .update(key, value ?? undefined, vscode.ConfigurationTarget.Global);
      }
      // Extensions have them from now on.
      fs.writeFileSync(`${file}.done`, request);
      done = request;
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => look().catch((error) => console.error(error)), 100);
  context.subscriptions.push({ dispose: () => clearInterval(timer) });
};

/** @param {string} file */
function read(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}
