import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest looks for it
export default defineConfig({
  test: {
    // Most tests wait for the disk or for git: one at a time would leave the machine idle.
    maxWorkers: 2,
    projects: [
      // Long, because every save is synced to disk and the machine may be busy: no test here measures time.
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 60_000 } },
      // What is built: run `npm run build` first.
      { test: { name: 'contract', include: ['test/contract/**/*.test.ts'], testTimeout: 60_000 } },
      { test: { name: 'webview', include: ['test/webview/**/*.test.{ts,mjs}'], testTimeout: 60_000 } },
      {
        test: {
          name: 'fault',
          include: ['test/fault/**/*.test.ts'],
          // `npm run soak` runs the full counts.
          testTimeout: process.env.LODELINE_SOAK === '1' ? 3_600_000 : 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.{ts,mjs}'],
          // One editor at a time, and nothing beside it.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
