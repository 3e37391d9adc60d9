import { readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryDecrypt, memoryEncrypt } from '../../../src/tools/memory/encrypt.ts';
import type { ToolCall, ToolContext } from '../../../src/tools/tool.ts';
import { bytesUnder } from '../support/files.ts';
import { openTestTools } from '../support/folder.ts';

const APPROVED = { approve: async () => 'approved' as const };

describe('encryption', () => {
  it('needs the person, and says nothing of the key but where it is', async () => {
    const { call, folder } = openTestTools();
    await call('memory_remember', { category: 'bug', key: 'a', content: 'the text of an entry' });
    expect((await call('memory_encrypt')).text).toMatch(/approval and nobody can be asked/);
    expect(bytesUnder(join(folder, 'store'))).toContain('the text of an entry');
    const { text, data } = await call('memory_encrypt', {}, APPROVED);
    expect(text).toMatch(/^🔐 Encryption enabled\n.*\.key/);
    const { key } = data as { key: string };
    const file = join(folder, 'keys', `${key}.key`);
    const bytes = readFileSync(file, 'utf8').trim();
    expect(bytes).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.stringify([text, data])).not.toContain(bytes);
    const stored = bytesUnder(join(folder, 'store'));
    expect(stored).not.toContain('the text of an entry');
    expect(stored).not.toContain(bytes);
    expect((await call('memory_encrypt', {}, APPROVED)).text).toBe('Encryption is already enabled');
  });

  it('goes on as before: saving, recalling, forgetting, backups and restoring', async () => {
    const { call, folder } = openTestTools();
    await call('memory_encrypt', {}, APPROVED);
    await call('memory_remember', { category: 'bug', key: 'a', content: 'redis keeps sessions' });
    expect((await call('memory_recall', { query: 'redis' })).text).toContain('redis keeps sessions');
    await call('memory_backup');
    await call('memory_forget', { key: 'a' });
    await call('memory_forget', { key: 'a', action: 'restore' });
    expect((await call('memory_recall', { query: 'redis' })).text).toContain('redis keeps sessions');
    expect(bytesUnder(join(folder, 'store'))).not.toContain('redis keeps sessions');
  });

  it('is not passed by through the user-wide memory', async () => {
    const { call, folder } = openTestTools();
    await call('memory_remember', { category: 'bug', key: 'a', content: 'the text of an entry' });
    await call('memory_encrypt', {}, APPROVED);
    const { text, isError } = await call('memory_export_global');
    expect(isError).toBe(true);
    expect(text).toMatch(/would stand in the clear. Nothing was copied/);
    expect(bytesUnder(folder)).not.toContain('the text of an entry');
  });

  it('is told to the person alone', async () => {
    const { call } = openTestTools();
    expect((await call('seal_show')).isError).toBe(true);
    expect((await call('seal_show', {}, { actor: 'person' })).data).toMatchObject({ state: 'plain' });
    const { data } = await call('memory_encrypt', {}, APPROVED);
    const { key } = data as { key: string };
    expect((await call('seal_show', {}, { actor: 'person' })).data).toMatchObject({ state: 'sealed', key });
  });

  it('is undone without an argument', async () => {
    const { call, folder } = openTestTools();
    expect((await call('memory_decrypt', {}, APPROVED)).text).toBe('Encryption is not enabled');
    await call('memory_remember', { category: 'bug', key: 'a', content: 'the text of an entry' });
    await call('memory_encrypt', {}, APPROVED);
    expect((await call('memory_decrypt', {}, APPROVED)).text).toBe('🔓 Encryption disabled');
    expect(bytesUnder(join(folder, 'store'))).toContain('the text of an entry');
  });

  it('is locked without its key, says where that is looked for, and opens again once it is there', async () => {
    const { call, folder } = openTestTools();
    const person = { actor: 'person', ...APPROVED } as const;
    await call('memory_remember', { category: 'bug', key: 'a', content: 'the text of an entry' });
    const { data } = await call('memory_encrypt', {}, APPROVED);
    const { key } = data as { key: string };
    const file = join(folder, 'keys', `${key}.key`);
    renameSync(file, `${file}.away`);
    const locked = openTestTools(folder);
    // Whatever looked before remembers that the key was not there.
    for (let twice = 0; twice < 2; twice++) {
      expect((await locked.call('seal_show', {}, person)).data).toMatchObject({
        state: 'sealed',
        locked: { file, otherGiven: false },
      });
      const recalled = await locked.call('memory_recall', { query: 'text' });
      expect(recalled).toMatchObject({ isError: true, text: expect.stringContaining(key) });
      const decrypted = await locked.call('memory_decrypt', {}, person);
      expect(decrypted).toMatchObject({
        isError: true,
        text: expect.stringContaining('Nothing was changed'),
      });
    }
    expect((await locked.call('memory_encrypt', {}, person)).text).toMatch(
      new RegExp(`^Encryption is already enabled\\. .*${key}, which is not here`),
    );
    renameSync(`${file}.away`, file);
    expect((await locked.call('seal_show', {}, person)).data).toMatchObject({ locked: null });
    expect((await locked.call('memory_recall', { query: 'text' })).text).toContain('the text of an entry');
    expect((await locked.call('memory_decrypt', {}, person)).text).toMatch(/^🔓 Encryption disabled/);
  });

  it.each([memoryEncrypt, memoryDecrypt])(
    '$name that is cancelled while the store opens changes nothing',
    async (tool) => {
      const given = new AbortController();
      const switched: string[] = [];
      const sealing = {
        sealStatus: async () => given.abort(),
        seal: async () => void switched.push('seal'),
        unseal: async () => void switched.push('unseal'),
      };
      const call = { signal: given.signal } as ToolCall;
      const ran = tool.run({}, call, { sealing, settings: { get() {} } } as unknown as ToolContext);
      await expect(ran).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
      expect(switched).toEqual([]);
    },
  );
});
