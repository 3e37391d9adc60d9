/** What leaves an encrypted folder through the built command line, and what hooks leave in it. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isSealedFile } from '../../src/journal/sealedFile.ts';
import { bytesUnder } from '../unit/support/files.ts';
import type { Place } from './mcp/support.ts';
import { NOTE, run, storeOf, withNote } from './sealingKit.ts';

function encrypted(): Place {
  const place = withNote();
  expect(run(place, ['encrypt']).status).toBe(0);
  return place;
}

it('an export is encrypted, is opened with the key, and is in the clear when that is asked for', () => {
  const place = encrypted();
  const file = join(place.root, 'export.json');
  expect(run(place, ['export', '--out', file]).status).toBe(0);
  expect(readFileSync(file, 'utf8')).not.toContain('quietword');
  const opened = run(place, ['export', '--open', file]);
  expect(JSON.parse(opened.stdout).entries).toMatchObject([NOTE]);
  expect(JSON.parse(run(place, ['export', '--clear']).stdout).entries).toMatchObject([NOTE]);
  const wrong = run(place, ['call', '--clear', 'memory_stats']);
  expect([wrong.status, wrong.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('--clear belongs'),
  ]);
  expect(wrong.status).not.toBe(0);
});

it('a .toon file is not written in the clear unless that is asked for', () => {
  const place = encrypted();
  const refused = run(place, ['export', 'toon']);
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toContain('would hold it in the clear. Nothing was written');
  expect(bytesUnder(place.root)).not.toContain('quietword');
  expect(run(place, ['export', 'toon', '--clear']).status).toBe(0);
  expect(readFileSync(join(place.root, '.toon-memory', 'memory', 'data.toon'), 'utf8')).toContain(
    'quietword',
  );
});

it('hooks leave nothing in the clear, in the store or beside it, and go nowhere with ids that lead elsewhere', () => {
  const place = encrypted();
  const root = realpathSync(place.root);
  const told = join(root, '.toon-memory', 'memory', 'sessions');
  mkdirSync(told, { recursive: true });
  writeFileSync(join(root, 'quietfile.ts'), '');
  const now = new Date().toISOString();
  writeFileSync(
    join(told, 'peer.json'),
    JSON.stringify({
      ...{ id: 'peer', agent: 'opencode', pid: process.pid, branch: 'foo', startedAt: now, lastSeen: now },
      ...{ ended: false, files: { 'quietfile.ts': now } },
    }),
  );
  const event = (name: string, id: string) => ({
    ...{ hook_event_name: name, session_id: id, cwd: root, timestamp: now, tool_name: 'replace_string' },
    ...{
      tool_use_id: 'c1',
      tool_input: { filePath: join(root, 'quietfile.ts') },
      tool_response: 'quietanswer',
    },
  });
  const before = readdirSync(root).sort();
  const warned = run(place, ['hook'], {}, event('PreToolUse', 'chat-1'));
  expect(warned.stdout).toContain('opencode@foo');
  // Once in a while is enough, which the file in the store remembers.
  expect(run(place, ['hook'], {}, event('PreToolUse', 'chat-1')).stdout).not.toContain('opencode@foo');
  for (const id of ['chat-1', '../../../evil'])
    expect(run(place, ['hook'], {}, event('PostToolUse', id)).status).toBe(0);
  const store = storeOf(place);
  const [name = ''] = readdirSync(join(store, 'warned'));
  expect(isSealedFile(readFileSync(join(store, 'warned', name)))).toBe(true);
  expect(bytesUnder(store)).not.toMatch(/quietfile|quietanswer|chat-1/);
  expect(readdirSync(told)).toEqual(['peer.json']);
  expect(readdirSync(root).sort()).toEqual(before);
  expect(readdirSync(place.root, { recursive: true, encoding: 'utf8' }).join()).not.toContain('evil');
});
