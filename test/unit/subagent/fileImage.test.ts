import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imageAt, placeOf } from '../../../src/subagent/fileImage.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lodeline-image-'));
  writeFileSync(join(root, 'file'), 'a file\n');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a path below what is a file', () => {
  it.each(['file/one', 'file/one/two', 'file/one/two/three'])('%s has a place with nothing in it', (path) => {
    expect(placeOf(root, path)).toBe(join(root, path));
    expect(imageAt(placeOf(root, path))).toEqual({ kind: 'absent' });
  });
});
