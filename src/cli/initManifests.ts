/** What a project is called and what it is built with, as the manifests at its top say. */
import { join } from 'node:path';
import { messageOf } from '../journal/errors.ts';
import { readConfigFile } from './agentConfigFile.ts';
import { jsonValue, parseJson } from './agentConfigJson.ts';
import { isTable, parseToml } from './initToml.ts';

/** A name as a manifest has it, and as people call it. */
export interface ProjectName {
  readonly name: string;
  readonly short: string;
}

/** The manifests that were found, and the names in them. */
export interface Manifests {
  readonly files: readonly string[];
  readonly names: readonly ProjectName[];
}

type Reader = (text: string) => ProjectName[];

const READERS: Readonly<Record<string, Reader>> = {
  'package.json': npmNames,
  'Cargo.toml': cargoNames,
  'requirements.txt': requirementNames,
  'pyproject.toml': pythonNames,
  'go.mod': goNames,
};

/** Reads the manifests at the top of a folder. @throws when one of them cannot be made out, since names would be lost. */
export function readManifests(root: string): Manifests {
  const files: string[] = [];
  const names: ProjectName[] = [];
  for (const [file, read] of Object.entries(READERS)) {
    try {
      const { text } = readConfigFile(join(root, file), root);
      if (text === undefined) continue;
      names.push(...read(text));
      files.push(file);
    } catch (error) {
      throw new Error(`${file} cannot be made out: ${messageOf(error)}. Put it right, then try again`);
    }
  }
  return { files, names };
}

function npmNames(text: string): ProjectName[] {
  const manifest = jsonValue(parseJson(text));
  const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
  return [
    ...textsOf(memberOf(manifest, 'name')),
    ...kinds.flatMap((kind) => keysOf(memberOf(manifest, kind))),
  ]
    .filter((name) => !name.startsWith('@types/'))
    .map((name) => ({ name, short: name.replace(/^@/, '').replaceAll('/', '-') }));
}

const CARGO_KINDS = ['dependencies', 'dev-dependencies', 'build-dependencies'];

function cargoNames(text: string): ProjectName[] {
  const manifest = parseToml(text);
  const targets = valuesOf(manifest.target);
  return [
    ...textsOf(memberOf(manifest.package, 'name')),
    ...keysOf(memberOf(manifest.workspace, 'dependencies')),
    ...[manifest, ...targets].flatMap((table) =>
      CARGO_KINDS.flatMap((kind) => keysOf(memberOf(table, kind))),
    ),
  ].map(asItIs);
}

function requirementNames(text: string): ProjectName[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap(requirement);
}

function pythonNames(text: string): ProjectName[] {
  const manifest = parseToml(text);
  const project = memberOf(manifest, 'project');
  const poetry = memberOf(memberOf(manifest, 'tool'), 'poetry');
  const groups = valuesOf(memberOf(poetry, 'group'));
  const requirements = [
    ...textsOf(memberOf(project, 'name')),
    ...textsOf(memberOf(poetry, 'name')),
    ...textsOf(memberOf(project, 'dependencies')),
    ...valuesOf(memberOf(project, 'optional-dependencies')).flatMap(textsOf),
    ...valuesOf(manifest['dependency-groups']).flatMap(textsOf),
    ...[poetry, ...groups].flatMap((table) =>
      ['dependencies', 'dev-dependencies'].flatMap((kind) => keysOf(memberOf(table, kind))),
    ),
  ];
  return requirements.filter((name) => name !== 'python').flatMap(requirement);
}

/** The package of a requirement such as `uvicorn[standard]>=0.2; python_version > "3"`; none for options and addresses. */
function requirement(line: string): ProjectName[] {
  const found = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:$|[[(<>=!~;@#,])/.exec(line)?.[1];
  return found === undefined ? [] : [asItIs(found)];
}

function goNames(text: string): ProjectName[] {
  const paths: string[] = [];
  let block = '';
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    // What only dependencies need is nothing that a project's memories speak of.
    if (/\/\/\s*indirect\b/.test(line)) continue;
    const words = line
      .replace(/\/\/.*$/, '')
      .trim()
      .split(/\s+/);
    if (block !== '') {
      if (words[0] === ')') block = '';
      else if (block === 'require') paths.push(words[0] ?? '');
    } else if (words[1] === '(') block = words[0] ?? '';
    else if (words[0] === 'module' || words[0] === 'require') paths.push(words[1] ?? '');
  }
  return paths
    .map((path) => path.replace(/^["`]|["`]$/g, ''))
    .filter((path) => path !== '')
    .map(goName);
}

/** `github.com/gin-gonic/gin/v2` is called gin, and `gopkg.in/yaml.v3` yaml. */
function goName(name: string): ProjectName {
  const parts = name.split('/').filter((part, index) => index === 0 || !/^v\d+$/.test(part));
  return { name, short: parts.at(-1)?.replace(/\.v\d+$/, '') ?? name };
}

function asItIs(name: string): ProjectName {
  return { name, short: name };
}

function memberOf(value: unknown, name: string): unknown {
  return isTable(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function keysOf(value: unknown): string[] {
  return isTable(value) ? Object.keys(value) : [];
}

function valuesOf(value: unknown): unknown[] {
  return isTable(value) ? Object.values(value) : [];
}

/** The texts among one value or a list of them. */
function textsOf(value: unknown): string[] {
  return [value].flat().filter((each) => typeof each === 'string');
}
