import { defineConfig } from 'vitest/config';

/** Tests that put something in place of a module, each of which needs modules of its own. */
const MOCKING = ['test/unit/vscode/**/*.test.ts', 'test/unit/policy/redactSecretlint.test.ts'];
/**
 * Tests that start git hundreds of times. To start a process takes longer the more memory the one that does holds, and
 * one that has run all other tests holds several times as much.
 */
const GIT = [
  'test/unit/subagent/**/*.test.ts',
  'test/unit/git/**/*.test.ts',
  'test/unit/worker/*Git.test.ts',
];
/** The machine may be busy: what is waited for may take its time. */
const PATIENT = { expect: { poll: { timeout: 20_000 } } };
/** Loading the same modules for each file took longer than most tests do. */
const SHARED = { ...PATIENT, isolate: false };

// biome-ignore lint/style/noDefaultExport: vitest looks for it
export default defineConfig({
  test: {
    // Most tests wait for the disk or for git: one at a time would leave the machine idle.
    maxWorkers: 2,
    projects: [
      // Long, because every save is synced to disk and the machine may be busy: no test here measures time.
      {
        test: {
          ...SHARED,
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: [...MOCKING, ...GIT],
          testTimeout: 60_000,
        },
      },
      { test: { ...SHARED, name: 'git', include: GIT, testTimeout: 60_000 } },
      { test: { ...PATIENT, name: 'mocking', include: MOCKING, testTimeout: 60_000 } },
      // What is built: run `npm run build` first.
      {
        test: { ...SHARED, name: 'contract', include: ['test/contract/**/*.test.ts'], testTimeout: 60_000 },
      },
      {
        test: {
          ...SHARED,
          name: 'webview',
          include: ['test/webview/**/*.test.{ts,mjs}'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'fault',
          include: ['test/fault/**/*.test.ts'],
          // `npm run soak` runs the full counts.
          testTimeout: process.env.LODELINE_SOAK === '1' ? 3_600_000 : 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          // Two whole editors with their windows share the machine here.
          expect: { poll: { timeout: 60_000 } },
          name: 'e2e',
          include: ['test/e2e/**/*.test.{ts,mjs}'],
          // Editors of two files at a time, and nothing else beside them.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
