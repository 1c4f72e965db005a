import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The drills first: one of them begun last would have a core to itself while the other has nothing left to do. */
class DrillsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isDrill = ({ moduleId }: TestSpecification) => moduleId.includes('/test/drills/');
    const sorted = await super.sort(files);
    return [...sorted.filter(isDrill), ...sorted.filter((file) => !isDrill(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Files run side by side, each on databases of its own; within a file the tests share them and take turns.
    pool: 'forks',
    maxWorkers: '100%',
    sequence: { sequencer: DrillsFirst },
    testTimeout: 20_000,
    // A shared machine stalls now and then; the drills, which kill real processes, get a second try there.
    retry: process.env.CI ? 1 : 0,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});
