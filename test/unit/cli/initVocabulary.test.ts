import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialize } from '../../../src/cli/init.ts';
import { readManifests } from '../../../src/cli/initManifests.ts';
import { vocabularyOf } from '../../../src/cli/initVocabulary.ts';
import { uninstall } from '../../../src/cli/uninstall.ts';
import { inferTags } from '../../../src/memory/vocabulary.ts';
import { temporaryFolder } from '../support/folder.ts';

function project(files: Readonly<Record<string, string>>) {
  const all = realpathSync(temporaryFolder());
  const place = { root: join(all, 'root'), home: join(all, 'home'), env: {}, platform: 'linux' as const };
  mkdirSync(join(place.root, '.lodeline'), { recursive: true });
  mkdirSync(place.home);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place.root, name), text);
  const config = join(place.root, '.lodeline', 'config.json');
  return { ...place, config, vocab: () => JSON.parse(readFileSync(config, 'utf8')).vocab };
}

const shortNames = (files: Readonly<Record<string, string>>) =>
  readManifests(project(files).root).names.map(({ short }) => short);

it.each([
  [
    'package.json',
    '{"name": "@acme/shop", "scripts": {"build": "x"}, "dependencies": {"react": "^19", "@angular/core": "1"}, "devDependencies": {"@types/node": "1", "vitest": "4"}, "peerDependencies": {"zod": "4"}, "optionalDependencies": {"fsevents": "2"}}',
    ['acme-shop', 'react', 'angular-core', 'vitest', 'zod', 'fsevents'],
  ],
  ['package.json', '\uFEFF{"dependencies": null, "name": 3}', []],
  ['package.json', '[]', []],
  [
    'Cargo.toml',
    '[package]\nname = "shop"\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n[dependencies.tokio]\nversion = "1"\n[dev-dependencies]\nproptest = "1"\n[build-dependencies]\ncc = "1"\n[target.\'cfg(unix)\'.dependencies]\nnix = "0"\n[workspace.dependencies]\nanyhow = "1"\n',
    ['shop', 'anyhow', 'serde', 'tokio', 'proptest', 'cc', 'nix'],
  ],
  [
    'requirements.txt',
    '# c\nDjango==5\r\nuvicorn[standard]>=0.2 ; python_version > "3" # c\n-r other.txt\n--index-url https://x\n-e .\ngit+https://github.com/x/y\nhttps://x/z.whl\nblack @ https://x/b.whl\nscikit-learn\n\n',
    ['Django', 'uvicorn', 'black', 'scikit-learn'],
  ],
  [
    'pyproject.toml',
    '[project]\nname = "shop"\ndependencies = ["httpx>=0.2", "rich"]\n[project.optional-dependencies]\ndev = ["pytest"]\n[dependency-groups]\nlint = ["ruff", {include-group = "dev"}]\n[tool.poetry.dependencies]\npython = "^3"\nflask = "^3"\n[tool.poetry.group.docs.dependencies]\nsphinx = "*"\n',
    ['shop', 'httpx', 'rich', 'pytest', 'ruff', 'flask', 'sphinx'],
  ],
  [
    'go.mod',
    'module github.com/acme/shop/v2\n\ngo 1.24\n\nrequire github.com/gin-gonic/gin v1.9.1\nrequire (\n\tgopkg.in/yaml.v3 v3.0.1 // direct\n\tgolang.org/x/sys v0.1.0 // indirect\n\tgithub.com/jackc/pgx/v5 v5.5.0\n)\nreplace (\n\tgithub.com/a/b => ../b\n)\n',
    ['shop', 'gin', 'yaml', 'pgx'],
  ],
])('finds the names in %s', (file, text, names) => {
  expect(shortNames({ [file]: text })).toEqual(names);
});

it.each([
  ['package.json', '{'],
  ['Cargo.toml', '[package'],
  ['pyproject.toml', 'a = '],
])('says that a broken %s is, and changes nothing, since names would be lost', async (file, text) => {
  const place = project({ 'package.json': '{"dependencies": {"react": "1"}}' });
  await initialize(place, []);
  const before = readFileSync(place.config, 'utf8');
  writeFileSync(join(place.root, file), text);
  const { vocabulary } = await initialize(place, []);
  expect(vocabulary).toMatchObject({ done: 'failed', note: expect.stringMatching(`^${file}.*line 1`) });
  expect(readFileSync(place.config, 'utf8')).toBe(before);
});

it('makes tags of names, by which memories that speak of them are found', () => {
  const { names } = readManifests(
    project({
      'package.json':
        '{"dependencies": {"@angular/core": "1", "Redis": "1", "x": "1", "__proto__": "1", "bad name;": "1", "": ""}}',
      'go.mod': 'module github.com/acme/shop',
      'requirements.txt': 'redis\nscikit-learn',
    }).root,
  );
  const vocabulary = Object.fromEntries(vocabularyOf(names));
  expect(vocabulary).toEqual({
    'angular-core': ['@angular/core'],
    redis: ['redis'],
    'scikit-learn': ['scikit-learn'],
    shop: ['github.com/acme/shop', 'shop'],
  });
  expect(inferTags('The Shop uses scikit-learn and @angular/core.', vocabulary)).toEqual([
    'angular-core',
    'scikit-learn',
    'shop',
  ]);
});

it('keeps to a bounded number of tags', () => {
  const names = Array.from({ length: 5000 }, (_, n) => ({ name: `package-${n}`, short: `package-${n}` }));
  expect(vocabularyOf(names).size).toBe(1000);
});

it('merges them beside other settings and the person’s own tags, refreshes only its own, and takes them out', async () => {
  const before =
    '{\r\n\t// ours\r\n\t"task.simple": "brief",\r\n\t"vocab": { "payments": ["invoice"], "react": ["리액트"] },\r\n\t"encrypted": true,\r\n}\r\n';
  const place = project({ 'package.json': '{"name": "shop", "dependencies": {"react": "1", "zod": "1"}}' });
  writeFileSync(place.config, before.replace('// ours', '').replace('true,', 'true'));
  const start = readFileSync(place.config, 'utf8');
  expect((await initialize(place, [])).vocabulary).toMatchObject({
    done: 'changed',
    tags: 3,
    manifests: ['package.json'],
  });
  expect(place.vocab()).toEqual({ payments: ['invoice'], react: ['리액트'], shop: ['shop'], zod: ['zod'] });

  writeFileSync(join(place.root, 'package.json'), '{"name": "shop", "dependencies": {"ajv": "1"}}');
  await initialize(place, []);
  expect(place.vocab()).toEqual({ payments: ['invoice'], react: ['리액트'], ajv: ['ajv'], shop: ['shop'] });
  expect(JSON.parse(readFileSync(place.config, 'utf8'))).toMatchObject({
    'task.simple': 'brief',
    encrypted: true,
  });

  rmSync(join(place.root, 'package.json'));
  expect((await initialize(place, [])).vocabulary).toMatchObject({ done: 'restored', tags: 0 });
  expect(readFileSync(place.config, 'utf8')).toBe(start);
  writeFileSync(join(place.root, 'package.json'), '{"name": "shop"}');
  await initialize(place, []);
  await uninstall(place, []);
  expect(readFileSync(place.config, 'utf8')).toBe(start);
});

it.each([
  ['{ "task.simple": ', /not valid JSON/],
  ['{ "vocab": [] }', /"vocab" is no object/],
])('never touches a settings file such as %s', async (text, problem) => {
  const place = project({ 'package.json': '{"name": "shop"}' });
  writeFileSync(place.config, text);
  expect((await initialize(place, [])).vocabulary).toMatchObject({
    done: 'failed',
    note: expect.stringMatching(problem),
  });
  expect(readFileSync(place.config, 'utf8')).toBe(text);
});

it('makes no settings file where there is nothing to say', async () => {
  const place = project({});
  expect((await initialize(place, [])).vocabulary).toMatchObject({ done: 'unchanged', tags: 0 });
  expect(() => readFileSync(place.config)).toThrow();
});
