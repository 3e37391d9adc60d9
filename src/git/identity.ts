/** What a repository is called, wherever it was cloned to. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { GitLayout } from './layout.ts';

/**
 * The name of a repository: owner and name of where `origin` leads, else the folder of its first work tree. Read from
 * files: no git process runs. No name or password that stands in an address becomes part of it.
 */
export function repositoryName({ commonDir, workTree }: GitLayout): string {
  const named = nameIn(originOf(commonDir));
  if (named !== '') return named.normalize('NFC');
  // Linked work trees share the git folder of the first one.
  const first = basename(commonDir) === '.git' ? dirname(commonDir) : workTree;
  return basename(first)
    .replace(/\.git$/, '')
    .normalize('NFC');
}

function originOf(commonDir: string): string {
  try {
    const config = readFileSync(join(commonDir, 'config'), 'utf8');
    const section = /^\s*\[remote "origin"\]\s*$([\s\S]*?)(?=^\s*\[|$(?![\s\S]))/m.exec(config)?.[1] ?? '';
    return /^\s*url\s*=\s*"?(.+?)"?\s*$/m.exec(section)?.[1] ?? '';
  } catch {
    return '';
  }
}

/** `owner-name` of `https://host/owner/name.git`, `git@host:owner/name` or a path. */
function nameIn(url: string): string {
  const path = url
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*\//i, '')
    .replace(/^[^/\\]+@[^/\\:]+:/, '')
    .replace(/[?#].*$/, '');
  const parts = path.replace(/\.git\/?$/, '').split(/[\\/]+/);
  return parts
    .filter((part) => part !== '' && part !== '.')
    .slice(-2)
    .join('-');
}
