import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ArtifactError,
  allocateArtifacts,
  indexArtifacts,
  listArtifacts,
  readArtifact,
  writeArtifact,
} from '../../../src/subagent/artifacts.ts';
import { isArtifactId, taskIdProblem } from '../../../src/subagent/ids.ts';
import { temporaryFolder } from '../support/folder.ts';

function folderWith(...names: string[]): string {
  const dir = join(temporaryFolder(), 'artifacts');
  mkdirSync(dir);
  for (const name of names) writeFileSync(join(dir, name), name);
  return dir;
}

const BAD_IDS = [
  '',
  '.',
  '..',
  '../x',
  'a/b',
  'a\\b',
  'a..b',
  '.a',
  'a.',
  'a\0',
  'a b',
  'é',
  'CON',
  'nul.0-A',
  'x'.repeat(201),
];

describe('ids of artifacts', () => {
  test('go on after the highest number in the folder', async () => {
    const dir = folderWith('0-Foo.md', '1-Bar.md', '2-Baz.md');
    expect(await allocateArtifacts(dir, ['Alpha', 'Beta'])).toEqual(['3-Alpha', '4-Beta']);
    expect(await allocateArtifacts(dir, ['Alpha'])).toEqual(['5-Alpha']);
  });

  test('begin at 0, in a folder that is made', async () => {
    const dir = join(temporaryFolder(), 'a', 'b');
    expect(await allocateArtifacts(dir, ['A', 'A'])).toEqual(['0-A', '1-A']);
    if (process.platform !== 'win32') expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  test('count below their parent', async () => {
    const dir = folderWith('0-Parent.md', '0-Parent.4-Old.jsonl', '7-Other.md', '0-Parents.9-X.md');
    expect(await allocateArtifacts(dir, ['Child'], '0-Parent')).toEqual(['0-Parent.5-Child']);
    expect(await allocateArtifacts(dir, ['Child'], '7-Other')).toEqual(['7-Other.0-Child']);
    expect(await allocateArtifacts(dir, ['Next'])).toEqual(['8-Next']);
    expect(await allocateArtifacts(dir, ['Deep'], '0-Parent.5-Child')).toEqual(['0-Parent.5-Child.0-Deep']);
  });

  test.each(['jsonl', 'patch', 'json'])('are taken where there is only a .%s', async (kind) => {
    const dir = folderWith(`0-Foo.${kind}`);
    const [first, second] = await Promise.all([
      allocateArtifacts(dir, ['Foo']),
      allocateArtifacts(dir, ['Foo']),
    ]);
    expect([first[0], second[0]].sort()).toEqual(['1-Foo', '2-Foo']);
  });

  test('have different numbers in many calls at once', async () => {
    const dir = folderWith();
    const given = await Promise.all(
      Array.from({ length: 20 }, (_, n) => allocateArtifacts(dir, [`T${n}`, 'Same'])),
    );
    expect(new Set(given.flat().map((id) => id.split('-')[0])).size).toBe(40);
  });

  test('have different numbers in many processes', async () => {
    const dir = folderWith();
    const program = join(temporaryFolder(), 'allocate.mjs');
    const module = fileURLToPath(new URL('../../../src/subagent/artifacts.ts', import.meta.url));
    const contents = `import { allocateArtifacts } from ${JSON.stringify(module)};
      const names = Array.from({ length: 25 }, () => 'Same');
      allocateArtifacts(process.argv[2], names).then((ids) => console.log(JSON.stringify(ids)));`;
    await build({
      stdin: { contents, resolveDir: '.' },
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
    const given = await Promise.all(
      Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, [program, dir])),
    );
    const ids = given.flatMap(({ stdout }) => JSON.parse(stdout) as string[]);
    expect(new Set(ids).size).toBe(75);
  });

  test('are not given for names that cannot be part of a path', async () => {
    const dir = folderWith();
    for (const name of ['../x', 'a.b', '', '-x', 'CON', 'x'.repeat(49)])
      await expect(allocateArtifacts(dir, [name])).rejects.toThrow(ArtifactError);
    for (const parent of BAD_IDS)
      await expect(allocateArtifacts(dir, ['A'], parent)).rejects.toThrow(ArtifactError);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('are not longer than file systems allow', async () => {
    const parent = ['0-', '.0-', '.0-', '.0-'].map((part) => part + 'x'.repeat(40)).join('');
    await expect(allocateArtifacts(folderWith(), ['y'.repeat(40)], parent)).rejects.toThrow(/too deep/);
  });

  test('of all task ids can be part of a path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(), (name, number) => {
        if (taskIdProblem(name) === undefined) expect(isArtifactId(`${number}-${name}`)).toBe(true);
        else expect(taskIdProblem(name)).toMatch(/^(is|may)/);
        if (isArtifactId(name))
          expect(join('/a', `${name}.md`)).toBe(`/a/${name}.md`.replaceAll('/', join('/')));
      }),
    );
  });
});

describe('an artifact', () => {
  test('is written whole, for its owner only, in the place of an earlier one', async () => {
    const dir = join(temporaryFolder(), 'artifacts');
    await writeArtifact(dir, '0-A', 'first');
    const file = await writeArtifact(dir, '0-A', '가\uD800');
    expect(file).toBe(join(dir, '0-A.md'));
    expect(readFileSync(file, 'utf8')).toBe('가\uFFFD');
    expect(await readArtifact(dir, '0-A')).toBe('가\uFFFD');
    expect(readdirSync(dir)).toEqual(['0-A.md']);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    await writeArtifact(dir, '0-A', 'diff', 'patch');
    expect(await readArtifact(dir, '0-A', 'patch')).toBe('diff');
  });

  test('leaves nothing behind when it cannot be written', async () => {
    const dir = folderWith();
    mkdirSync(join(dir, '0-A.md'));
    await expect(writeArtifact(dir, '0-A', 'x')).rejects.toThrow();
    expect(readdirSync(dir)).toEqual(['0-A.md']);
  });

  test.each(BAD_IDS)('has no id such as %j', async (id) => {
    const dir = folderWith();
    await expect(writeArtifact(dir, id, 'x')).rejects.toThrow(ArtifactError);
    await expect(readArtifact(dir, id)).rejects.toThrow(ArtifactError);
    expect(readdirSync(dir)).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('is not read through a link', async () => {
    const dir = folderWith('0-A.md');
    writeFileSync(join(dir, '..', 'secret'), 'secret');
    symlinkSync('../secret', join(dir, '1-B.md'));
    await expect(readArtifact(dir, '1-B')).rejects.toThrow('Not found: 1-B');
  });

  test('that is a folder, or not text, or not there, is told', async () => {
    const dir = folderWith();
    mkdirSync(join(dir, '0-A.md'));
    writeFileSync(join(dir, '1-B.md'), Buffer.from([0xff]));
    await expect(readArtifact(dir, '0-A')).rejects.toThrow(/not a regular file/);
    await expect(readArtifact(dir, '1-B')).rejects.toThrow(/UTF-8/);
    await expect(readArtifact(dir, '2-C')).rejects.toThrow('Not found: 2-C');
  });

  test('is listed by its number, without what is no output', async () => {
    const dir = folderWith(
      '10-B.md',
      '9-A.md',
      '9-A.0-X.md',
      '1-C.jsonl',
      '.2',
      '.x.tmp',
      'bad name.md',
      'free.md',
    );
    expect(await listArtifacts(dir)).toEqual(['9-A', '9-A.0-X', '10-B', 'free']);
    expect(await listArtifacts(join(dir, 'nowhere'))).toEqual([]);
  });
});

describe('looking for an artifact', () => {
  async function indexOf(own: string[], parents: string[][] = [], others: string[][] = []) {
    const folder = (ids: string[]) => folderWith(...ids.map((id) => `${id}.md`));
    const places = { own: folder(own), parents: parents.map(folder), others: others.map(folder) };
    return { places, index: await indexArtifacts(places) };
  }

  test('takes the own one, then that of the nearest parent, then another', async () => {
    const { places, index } = await indexOf(
      ['0-A'],
      [
        ['0-A', '0-B'],
        ['0-B', '0-C'],
      ],
      [['0-C', '0-D']],
    );
    expect(index.get('0-A').dir).toBe(places.own);
    expect(index.get('0-B').dir).toBe(places.parents[0]);
    expect(index.get('0-C').dir).toBe(places.parents[1]);
    expect(index.get('0-D').dir).toBe(places.others[0]);
  });

  test('fails with a list when several others have it', async () => {
    const { places, index } = await indexOf([], [], [['0-A'], ['0-A'], ['0-B']]);
    expect(() => index.get('0-A')).toThrow(ArtifactError);
    expect(() => index.get('0-A')).toThrow(join(places.others[0] ?? '', '0-A.md'));
    expect(() => index.get('0-A')).toThrow(join(places.others[1] ?? '', '0-A.md'));
    expect(index.get('0-B').id).toBe('0-B');
  });

  test('takes a name without numbers when it is the only one', async () => {
    const { index } = await indexOf(['0-Foo', '1-Bar', '3-Bar', '0-Foo.0-Kid'], [], [['9-Baz']]);
    expect(index.get('Foo').id).toBe('0-Foo');
    expect(index.get('Baz').id).toBe('9-Baz');
    expect(index.get('Kid').id).toBe('0-Foo.0-Kid');
    expect(index.get('Foo.Kid').id).toBe('0-Foo.0-Kid');
    expect(() => index.get('Bar')).toThrow(/several artifacts: 1-Bar, 3-Bar/);
  });

  test('takes an exact id anywhere before a name without numbers', async () => {
    const { index } = await indexOf(['1-0-A'], [], [['0-A']]);
    expect(index.get('0-A').id).toBe('0-A');
  });

  test('fails with what there is', async () => {
    const { index } = await indexOf(['analysis']);
    expect(() => index.get('missing')).toThrow(/^Not found: missing\nAvailable: analysis$/);
    expect(() => index.get('Analysis')).toThrow(/Not found/);
    expect(() => index.get('x\ny')).toThrow(/^Not found: "x\\ny"\nAvailable/);
    expect(() => index.get('constructor')).toThrow(/Not found/);
    const { index: empty } = await indexOf([]);
    expect(() => empty.get('x')).toThrow('Not found: x\nAvailable: none');
    const { index: many } = await indexOf(Array.from({ length: 53 }, (_, n) => `${n}-A`));
    expect(() => many.get('x')).toThrow(/49-A, … \(3 more\)$/);
  });

  test('leaves out other places that cannot be read', async () => {
    const own = folderWith('0-A.md');
    const index = await indexArtifacts({ own, others: [join(own, '0-A.md')] });
    expect(index.get('0-A').dir).toBe(own);
  });
});
