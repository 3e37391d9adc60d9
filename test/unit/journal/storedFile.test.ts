import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { missingKeyOf, placesAround, SealedAway, sealPlace } from '../../../src/journal/sealedPlaces.ts';
import { SealSwitch } from '../../../src/journal/sealSwitch.ts';
import { copyOut, keepCopy, putStored, readStored } from '../../../src/journal/storedFile.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A store whose files are sealed where it is. */
function placed(value?: string) {
  const folder = temporaryFolder();
  const store = join(folder, 'store');
  const keysDir = join(folder, 'keys');
  mkdirSync(store);
  sealPlace({ dir: store, name: '', of: { store, keysDir, value } });
  const seals = new SealSwitch(store);
  const switchTo = (state: 'sealed' | 'plain') =>
    seals.put({ state, key: new KeyRing({ dir: keysDir, value }).newStoreKey().id });
  return { folder, store, keysDir, switchTo, file: join(store, 'batches', 'a.json') };
}

describe('a file of a store', () => {
  it('is in the clear while the store is, and sealed while it is sealed', () => {
    const { file, switchTo } = placed();
    putStored(file, Buffer.from('one'));
    expect(readFileSync(file, 'utf8')).toBe('one');
    switchTo('sealed');
    expect(readStored(file).toString()).toBe('one');
    putStored(file, Buffer.from('two'));
    expect(readFileSync(file, 'utf8')).not.toContain('two');
    expect(readStored(file).toString()).toBe('two');
    switchTo('plain');
    expect(readStored(file).toString()).toBe('two');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('does not open in the place of another', () => {
    const { store, file, switchTo } = placed();
    switchTo('sealed');
    putStored(file, Buffer.from('one'));
    const other = join(store, 'patches', 'a.json');
    mkdirSync(join(store, 'patches'));
    copyFileSync(file, other);
    expect(() => readStored(other)).toThrow(SealedAway);
  });

  it('opens again after its key was put back, and says which until then', () => {
    const { store, keysDir, file, switchTo } = placed();
    switchTo('sealed');
    putStored(file, Buffer.from('one'));
    const [name = ''] = readdirSync(keysDir);
    const key = readFileSync(join(keysDir, name));
    rmSync(join(keysDir, name));
    // Another process, which has not read the key before.
    const elsewhere = join(store, '..', 'keys-elsewhere');
    sealPlace({ dir: store, name: '', of: { store, keysDir: elsewhere } });
    expect(() => readStored(file)).toThrow(new RegExp(`sealed with the key ${name.slice(0, 8)}`));
    expect(() => putStored(file, Buffer.from('two'))).toThrow(/LODELINE_KEY/);
    expect(missingKeyOf(store)).toMatch(/LODELINE_KEY/);
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, name), key);
    expect(missingKeyOf(store)).toBeUndefined();
    expect(readStored(file).toString()).toBe('one');
  });

  it('is not read with the key of another store', () => {
    const { store, file, switchTo } = placed('1'.repeat(64));
    switchTo('sealed');
    putStored(file, Buffer.from('one'));
    sealPlace({ dir: store, name: '', of: { store, keysDir: join(store, 'none'), value: '2'.repeat(64) } });
    expect(() => readStored(file)).toThrow(/LODELINE_KEY holds another key/);
    expect(() => putStored(file, Buffer.from('two'))).toThrow(/sealed with the key/);
    sealPlace({ dir: store, name: '', of: { store, keysDir: join(store, 'none'), value: '1'.repeat(64) } });
    expect(readStored(file).toString()).toBe('one');
  });

  it('tells of a value that is no key when it is needed, not before', () => {
    const { file, store, switchTo } = placed();
    switchTo('sealed');
    sealPlace({ dir: store, name: '', of: { store, keysDir: join(store, 'none'), value: 'short' } });
    expect(() => putStored(file, Buffer.from('one'))).toThrow(/64 hexadecimal digits/);
    expect(missingKeyOf(store)).toMatch(/64 hexadecimal digits/);
  });

  it('keeps a copy of a file with its permissions, and gives it back in the clear', () => {
    const { folder, store, switchTo } = placed();
    const person = join(folder, 'run.sh');
    writeFileSync(person, 'echo', { mode: 0o755 });
    const kept = join(store, 'landings', 'l', 'before', '0');
    for (const state of ['plain', 'sealed'] as const) {
      switchTo(state);
      keepCopy(person, kept, 0o755);
      expect(readFileSync(kept, 'utf8') === 'echo').toBe(state === 'plain');
      expect(statSync(kept).mode & 0o777).toBe(0o755);
      copyOut(kept, join(folder, 'out'));
      expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('echo');
    }
  });

  it('is an ordinary one anywhere else', () => {
    const { folder, switchTo } = placed();
    switchTo('sealed');
    putStored(join(folder, 'a.txt'), Buffer.from('one'));
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one');
  });

  it('belongs to folders that others are told of, above and below', () => {
    const { folder, store } = placed();
    const dirs = (around: string) => placesAround(around).map(({ dir }) => dir);
    expect(dirs(folder)).toEqual([store]);
    expect(dirs(join(store, 'sessions'))).toEqual([store]);
    expect(dirs(join(folder, 'storefront'))).toEqual([]);
  });
});
