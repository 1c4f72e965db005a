import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Files run side by side, each on databases of its own; within a file the tests share them and take turns.
    pool: 'forks',
    maxWorkers: '100%',
    testTimeout: 20_000,
    // A shared machine stalls now and then; the drills, which kill real processes, get a second try there.
    retry: process.env.CI ? 1 : 0,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});
