import {
  chmodSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refitFile, restore } from '../../../src/journal/refitFile.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A file in a folder of its own; its other form is in capital letters. */
function fileOf(text: string) {
  const dir = temporaryFolder();
  const file = join(dir, 'a.txt');
  writeFileSync(file, text);
  return { dir, file, text: () => readFileSync(file, 'utf8'), names: () => readdirSync(dir) };
}

function capitals(bytes: Buffer): Buffer | undefined {
  const text = bytes.toString();
  return text === text.toUpperCase() ? undefined : Buffer.from(text.toUpperCase());
}

/** Moves a file aside as one does who is about to put it into another form, and dies. */
function moveAside(file: string): void {
  try {
    refitFile(file, () => {
      throw new Error('died');
    });
  } catch {
    renameSync(file, `${file}.lodeline-aside`);
  }
}

describe('a file that is put into another form', () => {
  it('has its permissions, and nothing is left beside it', () => {
    const { file, text, names } = fileOf('one');
    chmodSync(file, 0o640);
    refitFile(file, capitals);
    expect(text()).toBe('ONE');
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(names()).toEqual(['a.txt']);
  });

  it('is left alone where it is in that form', () => {
    const { file, text } = fileOf('ONE');
    const before = statSync(file).ino;
    refitFile(file, capitals);
    expect([text(), statSync(file).ino]).toEqual(['ONE', before]);
  });

  it('says what somebody put there at the same moment, in the other form', () => {
    const { dir, file, text, names } = fileOf('one');
    let done = 0;
    refitFile(file, (bytes) => {
      // As all do who write there: whole, with one rename.
      if (done++ < 3) {
        writeFileSync(join(dir, 'draft'), `newer ${done}`);
        renameSync(join(dir, 'draft'), file);
      }
      return capitals(bytes);
    });
    expect(text()).toBe('NEWER 3');
    expect(names()).toEqual(['a.txt']);
  });

  it('stays away when somebody removes it at the same moment', () => {
    const { file, names } = fileOf('one');
    refitFile(file, (bytes) => {
      rmSync(file);
      return capitals(bytes);
    });
    expect(names()).toEqual([]);
  });

  it('is as it was when it cannot be put into the other form', () => {
    const { file, text, names } = fileOf('one');
    expect(() =>
      refitFile(file, () => {
        throw new Error('no key');
      }),
    ).toThrow('no key');
    expect(text()).toBe('one');
    expect(names()).toEqual(['a.txt']);
  });

  it('comes back, in the other form, when a process died that had moved it aside', () => {
    const { file, text, names } = fileOf('one');
    moveAside(file);
    expect(existsSync(file)).toBe(false);
    refitFile(file, capitals);
    expect(text()).toBe('ONE');
    expect(names()).toEqual(['a.txt']);
  });

  it('is found by a reader meanwhile, whose look takes nothing from whoever moved it', () => {
    const { file, text } = fileOf('one');
    moveAside(file);
    restore(file);
    expect(text()).toBe('one');
    refitFile(file, capitals);
    expect(text()).toBe('ONE');
  });

  it('is the newer one of two when one is aside', () => {
    const { file, text, names } = fileOf('older');
    moveAside(file);
    writeFileSync(file, 'newer');
    restore(file);
    refitFile(file, capitals);
    expect(text()).toBe('NEWER');
    expect(names()).toEqual(['a.txt']);
  });

  it('is no link, which stays as it is with what it leads to', () => {
    const { dir, file, text } = fileOf('one');
    symlinkSync(file, join(dir, 'b.txt'));
    refitFile(join(dir, 'b.txt'), capitals);
    expect(text()).toBe('one');
    expect(readlinkSync(join(dir, 'b.txt'))).toBe(file);
  });

  it('leaves the same file under another name as it was', () => {
    const { dir, file, text } = fileOf('one');
    linkSync(file, join(dir, 'b.txt'));
    refitFile(join(dir, 'b.txt'), capitals);
    expect(text()).toBe('one');
    expect(readFileSync(join(dir, 'b.txt'), 'utf8')).toBe('ONE');
  });
});
