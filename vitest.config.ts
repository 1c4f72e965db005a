import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { createOutcomeReporter } from './scripts/testing/reporter.ts';

/** Files run side by side, each on databases of its own; within a file the tests share them and take turns. */
const common = { pool: 'forks', testTimeout: 60_000, hookTimeout: 60_000, retry: 0 } as const;

/** Each of these files starts whole services, and some a browser: one at a time on each core, before the others. */
const first = { maxWorkers: availableParallelism(), sequence: { groupOrder: 0 } };

/** scripts/test reads the counts, the skipped and the retried tests from this file. */
const { TEST_OUTCOME_FILE } = process.env;

export default defineConfig({
  test: {
    ...(TEST_OUTCOME_FILE ? { reporters: ['default', createOutcomeReporter(TEST_OUTCOME_FILE)] } : {}),
    globalSetup: ['test/support/global-setup.ts'],
    teardownTimeout: 30_000,
    projects: [
      {
        test: {
          ...common,
          name: 'drills',
          include: ['test/drills/**/*.test.ts'],
          ...first,
          // A shared machine stalls now and then; the drills, which kill real processes, get a second try there.
          retry: process.env.CI ? 1 : 0,
        },
      },
      { test: { ...common, name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...first, isolate: false } },
      {
        test: {
          ...common,
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: ['test/drills/**', 'test/e2e/**'],
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
          isolate: false,
        },
      },
    ],
  },
});
