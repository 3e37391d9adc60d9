/** The memory of a user, which folders of different default levels share, as the built command line leaves it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bytesUnder } from '../unit/support/files.ts';
import { newPlace } from './mcp/support.ts';
import { NOTE, run } from './sealingKit.ts';

it('is sealed above PUBLIC, whatever the default level of the folder that writes there', () => {
  const place = newPlace();
  mkdirSync(join(place.home, '.lodeline'), { recursive: true });
  writeFileSync(
    join(place.home, '.lodeline', 'config.json'),
    JSON.stringify({ 'classification.defaultLevel': 'CONFIDENTIAL' }),
  );
  expect(run(place, ['call', 'memory_remember', JSON.stringify(NOTE)]).status).toBe(0);
  expect(run(place, ['call', 'memory_export_global']).stdout).toContain('1 entry new');
  expect(bytesUnder(join(place.home, '.lodeline'))).not.toContain('quietword');
  expect(run(place, ['call', 'memory_import_global']).stdout).toContain('1 unchanged');
});
