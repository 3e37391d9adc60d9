import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type AttachmentInput,
  checkAttachments,
  removeAttachments,
  stageAttachments,
} from '../../../src/messaging/attachments.ts';
import { temporaryFolder } from '../support/folder.ts';

const MIB = 1024 * 1024;
const ID = '0b8e3a52-5a39-4c0f-9d0c-1f2e3d4c5b6a';
/** Permissions mean nothing on Windows. */
const onPosix = it.skipIf(process.platform === 'win32');

function check(...attachments: AttachmentInput[]): string {
  try {
    checkAttachments(attachments);
    return 'ok';
  } catch (error) {
    return (error as Error).message;
  }
}

const named = (name: string) => check({ name, content: 'x' });

describe('names of attachments', () => {
  it.each(['a/b', '..', '.manifest.json', '', 'x\u0001'])('O-AT-01: refuses %j', (name) => {
    expect(named(name)).toMatch(/^attachments_invalid_name /);
  });

  it.each([
    ...['a\\b', '.', '.MANIFEST.json', '/etc/passwd', 'C:\\x', 'c:x', 'a:b', 'x\0'],
    ...['CON', 'con.txt', 'Nul.tar.gz', 'COM1', 'lpt9.md', 'aux ', 'name.', ' name', 'a?b', 'a*b', 'a|b'],
    ...['.git', '.GIT', 'git~1', '.lodeline', '.gitignore', 'store', '.g\u200bit'],
    ...['a\u202egpj.exe', 'half\ud800', 'line\u2028', 'a'.repeat(256), '가'.repeat(86)],
  ])('refuses %j', (name) => {
    expect(named(name)).toMatch(/^attachments_invalid_name /);
  });

  it.each(['a.txt', '.env.example', '설계.md', 'a b.txt', 'CONSOLE.txt', 'stores', 'name..txt', '~x'])(
    'takes %j',
    (name) => {
      expect(named(name)).toBe('ok');
    },
  );

  it.each([
    ['a.txt', 'A.TXT'],
    ['설계.md'.normalize('NFC'), '설계.md'.normalize('NFD')],
    ['É', 'e\u0301'],
    ['straße', 'STRASSE'],
    ['same', 'same'],
  ])('takes %j and %j for one file', (one, two) => {
    expect(check({ name: one, content: '' }, { name: two, content: '' })).toMatch(
      /^attachments_duplicate_name /,
    );
  });
});

describe('content of attachments', () => {
  it.each(['YQ', 'YQ=', 'YQ===', 'YR==', 'Y Q=', 'YQ==\n', 'YW-_', 'data:;base64,YQ==', '=', 'é==='])(
    'refuses %j as base64',
    (content) => {
      expect(check({ name: 'a', content, encoding: 'base64' })).toMatch(
        /^attachments_invalid_base64_or_too_large /,
      );
    },
  );

  it.each(['', 'YQ==', 'YWI=', 'YWJj', '+/+/'])('takes %j as base64', (content) => {
    const [file] = checkAttachments([{ name: 'a', content, encoding: 'base64' }]);
    expect(Buffer.from(file?.bytes ?? []).toString('base64')).toBe(content);
  });

  it('refuses half a character, which would be another text on disk', () => {
    expect(check({ name: 'a', content: 'x\ud83d' })).toMatch(/^attachments_invalid_utf8 /);
  });

  it('counts bytes, not characters, in each file and in all', () => {
    const korean = '가'.repeat(Math.floor(MIB / 3) + 1);
    expect(check({ name: 'a', content: korean })).toMatch(/^attachments_file_bytes_exceeded /);
    expect(check({ name: 'a', content: 'a'.repeat(MIB) })).toBe('ok');
    const base64 = Buffer.alloc(MIB + 1).toString('base64');
    expect(check({ name: 'a', content: base64, encoding: 'base64' })).toMatch(
      /^attachments_invalid_base64_or_too_large /,
    );
    const full = Array.from({ length: 5 }, (_, at) => ({ name: `${at}`, content: 'a'.repeat(MIB) }));
    expect(check(...full)).toBe('ok');
    expect(check(...full, { name: 'more', content: 'b' })).toBe(
      `attachments_total_bytes_exceeded (maxTotalBytes=${5 * MIB})`,
    );
  });

  it('O-AT-03: takes 50 files and says the most for 51', () => {
    const files = Array.from({ length: 51 }, (_, at) => ({ name: `${at}`, content: '' }));
    expect(check(...files.slice(1))).toBe('ok');
    expect(check(...files)).toBe('attachments_file_count_exceeded (maxFiles=50)');
  });
});

describe('laying attachments down', () => {
  const checked = () =>
    checkAttachments([
      { name: 'a.txt', content: 'alpha', mimeType: 'text/plain' },
      { name: 'b.bin', content: 'AAEC', encoding: 'base64' },
    ]);

  it('writes each file once and answers a receipt that the files prove', async () => {
    const root = temporaryFolder();
    const receipt = await stageAttachments(root, ID, checked());
    expect(receipt).toMatchObject({ count: 2, totalBytes: 8, relDir: `.lodeline/attachments/${ID}` });
    for (const { name, bytes, sha256 } of receipt.files) {
      const content = readFileSync(join(root, receipt.relDir, name));
      expect(content.length).toBe(bytes);
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    }
    const manifest = JSON.parse(readFileSync(join(root, receipt.relDir, '.manifest.json'), 'utf8'));
    expect(manifest).toEqual({ ...receipt, mimeTypes: { 'a.txt': 'text/plain' } });
    expect(readFileSync(join(root, '.lodeline/attachments/.gitignore'), 'utf8')).toBe('*\n');
  });

  onPosix('keeps them to the user', async () => {
    const root = temporaryFolder();
    const { relDir } = await stageAttachments(root, ID, checked());
    expect(statSync(join(root, relDir, 'a.txt')).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, relDir)).mode & 0o777).toBe(0o700);
  });

  it('never writes into a folder that is there already', async () => {
    const root = temporaryFolder();
    const folder = join(root, '.lodeline/attachments', ID);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'mine'), 'mine');
    await expect(stageAttachments(root, ID, checked())).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['mine']);
  });

  onPosix.each(['.lodeline', '.lodeline/attachments'])(
    'does not follow a link in the place of %s',
    async (link) => {
      const root = temporaryFolder();
      const outside = temporaryFolder();
      if (link.includes('/')) mkdirSync(join(root, '.lodeline'));
      symlinkSync(outside, join(root, link));
      await expect(stageAttachments(root, ID, checked())).rejects.toThrow();
      await expect(removeAttachments(root, ID)).rejects.toThrow();
      expect(readdirSync(outside)).toEqual([]);
    },
  );

  it('leaves nothing behind when a file cannot be written', async () => {
    const root = temporaryFolder();
    const [file] = checked();
    // The system refuses this name, however it came here.
    const bad = { ...(file as NonNullable<typeof file>), name: 'x'.repeat(300) };
    await expect(stageAttachments(root, ID, [...checked(), bad])).rejects.toThrow();
    expect(existsSync(join(root, '.lodeline/attachments', ID))).toBe(false);
    await stageAttachments(root, ID, checked());
  });

  it('removes what it laid down and nothing else', async () => {
    const root = temporaryFolder();
    const { relDir } = await stageAttachments(root, ID, checked());
    const other = await stageAttachments(root, 'other', checked());
    await removeAttachments(root, ID);
    expect(existsSync(join(root, relDir))).toBe(false);
    expect(existsSync(join(root, other.relDir, 'a.txt'))).toBe(true);
    await removeAttachments(root, ID);
  });
});
