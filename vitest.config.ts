import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { createOutcomeReporter } from './scripts/testing/reporter.ts';
import { PATIENCE_MS } from './test/support/patience.ts';

/** Files run side by side, each on databases of its own; within a file the tests share them and take turns. */
const common = {
  pool: 'forks',
  // Beyond the patience of `until` and of `expect.poll`, so that a test that waits in vain says for what.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: PATIENCE_MS } },
  retry: 0,
  // With the switch each file runs as Node reads it, so that coverage has the places of the sources (packages/mutation).
  ...(process.env.TEST_COVERAGE
    ? { setupFiles: ['packages/mutation/record-coverage.ts'], experimental: { viteModuleRunner: false } }
    : {}),
} as const;

/** scripts/test reads the counts, the skipped and the retried tests from this file. */
const { TEST_OUTCOME_FILE } = process.env;

/** The embedded MongoDB behaves as a mongod 8 to these (docs/stores.md): to all of them, or to the third of the day. */
const BEHIND_THE_FACE = filesBehindTheFace(process.env.MONGOD_FACE);

function filesBehindTheFace(extent: string | undefined): string[] {
  if (extent !== 'all' && extent !== 'sample') return [];
  const files = globSync(
    ['shared', 'api', 'workers'].map((folder) => `test/${folder}/**/*.test.ts`),
  ).toSorted();
  const day = Math.floor(Date.now() / 86_400_000);
  return extent === 'all' ? files : files.filter((_, place) => place % 3 === day % 3);
}

export default defineConfig({
  test: {
    ...(TEST_OUTCOME_FILE ? { reporters: ['default', createOutcomeReporter(TEST_OUTCOME_FILE)] } : {}),
    globalSetup: ['test/support/global-setup.ts'],
    // One more than there are cores: some drill always waits.
    maxWorkers: availableParallelism() + 1,
    teardownTimeout: 30_000,
    // In the order of their names: a drill begun last would have a core to itself while the other has nothing left to do.
    projects: [
      {
        test: {
          ...common,
          name: 'drills',
          // They kill and start processes, some at each of thirty steps.
          testTimeout: 600_000,
          include: ['test/drills/**/*.test.ts'],
          // A shared machine stalls now and then; the drills, which kill real processes, get a second try there.
          retry: process.env.CI ? 1 : 0,
        },
      },
      {
        test: {
          ...common,
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: ['test/drills/**', ...BEHIND_THE_FACE],
          // A worker loads the code once for all of its files, not once for each.
          isolate: false,
        },
      },
      ...(BEHIND_THE_FACE.length > 0
        ? [{ test: { ...common, name: 'mongod-face', include: BEHIND_THE_FACE, isolate: false } }]
        : []),
    ],
  },
});
