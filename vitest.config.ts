import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { createOutcomeReporter } from './scripts/testing/reporter.ts';

/** The drills first: one of them begun last would have a core to itself while the other has nothing left to do. */
class DrillsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isDrill = ({ moduleId }: TestSpecification) => moduleId.includes('/test/drills/');
    const sorted = await super.sort(files);
    return [...sorted.filter(isDrill), ...sorted.filter((file) => !isDrill(file))];
  }
}

/** Files run side by side, each on databases of its own; within a file the tests share them and take turns. */
const common = { pool: 'forks', testTimeout: 60_000, hookTimeout: 60_000 } as const;

/** scripts/test reads the counts, the skipped and the retried tests from this file. */
const { TEST_OUTCOME_FILE } = process.env;

export default defineConfig({
  test: {
    ...(TEST_OUTCOME_FILE ? { reporters: ['default', createOutcomeReporter(TEST_OUTCOME_FILE)] } : {}),
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: '100%',
    sequence: { sequencer: DrillsFirst },
    teardownTimeout: 30_000,
    projects: [
      {
        test: {
          ...common,
          name: 'drills',
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
          exclude: ['test/drills/**'],
          retry: 0,
        },
      },
    ],
  },
});
