/** Generated states of a person's repository, and what generated tasks do in their work trees. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { git, lines, newRepo, put } from '../../unit/git/repo.ts';
import { calmly, DIRT, KEPT, KEPT_FILES, type Kind, LINES, PLACES } from './kinds.ts';

export interface Dice {
  /** 0 up to, and without, `below`. */
  roll(below: number): number;
  chance(of: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** The same numbers for the same seed (mulberry32). */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const roll = (below: number) => Math.floor(next() * below);
  return {
    roll,
    chance: (of) => next() < of,
    pick: (from) => from[roll(from.length)] as (typeof from)[number],
  };
}

const NAMES = [
  'a.txt',
  'b.txt',
  'src/c.txt',
  'src/deep/d.txt',
  // Outside of a sparse checkout.
  'other/e.txt',
  '한글.txt',
  'with blank.txt',
  'new\nline.txt',
  '-q',
];
const FRESH = [
  'fresh.txt',
  'src/fresh.txt',
  '새/파일.txt',
  'tab\there.txt',
  'c.log',
  'deep/er/x.bin',
  'x.lock',
];

/** Which kind a state must be of, besides those it happens to be of: each in its turn. */
export function kindOf(seed: number): Kind {
  const all = [...PLACES, ...DIRT];
  return all[seed % all.length] as Kind;
}

/** How many states have been of every kind. */
export const KINDS = PLACES.length + DIRT.length;

/**
 * A repository whose work tree is in one of many states.
 * @returns the folder that tasks start from.
 */
export function parentOf(dice: Dice, must: Kind): string {
  const files: Record<string, string | Buffer> = { ...KEPT_FILES, '.gitignore': '*.log\n' };
  for (const name of NAMES) files[name] = lines(LINES);
  let root = newRepo(files);
  chmodSync(join(root, 'b.txt'), 0o755);
  symlinkSync('a.txt', join(root, 'link'));
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'second');
  const make = (kinds: readonly Kind[]) => {
    for (const kind of kinds) if (kind === must || dice.chance(kind.chance)) root = kind.make(root) ?? root;
  };
  make(PLACES);
  soil(root, dice, 1 + dice.roll(6), 'mine');
  make(DIRT);
  return root;
}

/** What a person does beside the tasks. */
export function soil(root: string, dice: Dice, times: number, who: string): void {
  for (let at = 0; at < times; at++) {
    change(root, dice, who, isOthers);
    const name = anyFile(root, dice, isOthers);
    const how = dice.roll(10);
    if (how < 3) calmly(root, 'add', '-A', '--sparse', '--', ...tracked(root));
    else if (how === 3) calmly(root, 'add', '-A', '--sparse');
    else if (how === 4 && name !== undefined)
      calmly(root, 'rm', '-qf', '--cached', '--sparse', '--ignore-unmatch', '--', name);
    else if (how === 5 && tracked(root).length > 0)
      calmly(
        root,
        'update-index',
        dice.pick(['--assume-unchanged', '--skip-worktree']),
        '--',
        dice.pick(tracked(root)),
      );
    else if (how === 6) {
      put(root, { 'soon.txt': 'announced\n' });
      calmly(root, 'add', '--sparse', '--intent-to-add', 'soon.txt');
    } else if (how === 7) put(root, { 'ignored.log': 'i\n' });
  }
}

/** Not what the kinds of state are made of. */
function isOthers(name: string): boolean {
  return !name.startsWith(`${KEPT}/`);
}

function tracked(root: string): string[] {
  return git(root, 'ls-files', '-z')
    .split('\0')
    .filter(
      (name) =>
        name !== '' && isOthers(name) && lstatSync(join(root, name), { throwIfNoEntry: false }) !== undefined,
    );
}

/** What a task does: it changes files, and perhaps commits in between, also in the repository inside. */
export function labour(path: string, dice: Dice, who: string): void {
  const times = 1 + dice.roll(5);
  for (let at = 0; at < times; at++) {
    change(path, dice, `${who} ${at}`);
    if (dice.chance(0.25)) commit(path, `${who} ${at}`);
    if (dice.chance(0.25) && existsSync(join(path, 'inner/.git'))) commit(join(path, 'inner'), 'inside');
  }
  if (dice.chance(0.2)) put(path, { '.tool.lock': 'left behind' });
}

function commit(path: string, message: string): void {
  const there = tracked(path);
  if (there.length > 0) calmly(path, 'add', '-A', '--sparse', '--', ...there);
  calmly(path, 'commit', '-q', '--allow-empty', '-m', message);
}

function change(root: string, dice: Dice, who: string, fits?: (name: string) => boolean): void {
  const name = anyFile(root, dice, fits);
  const place = name === undefined ? undefined : join(root, name);
  const fresh = join(root, dice.pick(FRESH));
  const text = `${who}\n`;
  switch (dice.roll(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      if (place !== undefined && lstatSync(place).isFile()) {
        const content = readFileSync(place, 'utf8').split('\n');
        content[dice.roll(Math.max(1, content.length - 1))] = who;
        writeFileSync(place, content.join('\n'));
      }
      return;
    case 5:
    case 6:
      if (existsSync(fresh) || fileAbove(root, fresh)) return;
      mkdirSync(dirname(fresh), { recursive: true });
      writeFileSync(fresh, dice.chance(0.3) ? Buffer.from([0, 255, 13, 10, dice.roll(256)]) : text);
      return;
    case 7:
      if (place !== undefined) rmSync(place);
      return;
    case 8:
      if (place !== undefined && !existsSync(fresh) && !fileAbove(root, fresh)) {
        mkdirSync(dirname(fresh), { recursive: true });
        renameSync(place, fresh);
      }
      return;
    case 9:
      if (place !== undefined && lstatSync(place).isFile())
        chmodSync(place, dice.chance(0.5) ? 0o755 : 0o644);
      return;
    case 10:
      if (place === undefined) return;
      rmSync(place);
      if (dice.chance(0.5)) symlinkSync(dice.pick(['b.txt', '/etc/hostname', 'nowhere']), place);
      else put(root, { [`${name}/inside`]: text });
      return;
    default:
      if (existsSync(join(root, 'inner/i.txt')))
        put(root, { 'inner/i.txt': lines(LINES, { [3 + dice.roll(20)]: who }) });
  }
}

/** Whether a part of the way to a place is no folder. */
function fileAbove(root: string, place: string): boolean {
  for (let folder = dirname(place); folder.length > root.length; folder = dirname(folder)) {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) return true;
  }
  return false;
}

function anyFile(root: string, dice: Dice, fits: (name: string) => boolean = () => true): string | undefined {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^(\.git|inner|lib)/.test(name) && fits(name))
    .filter((name) => !lstatSync(join(root, name)).isDirectory())
    .sort();
  return names.length === 0 ? undefined : dice.pick(names);
}
