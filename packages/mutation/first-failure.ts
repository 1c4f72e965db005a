import { writeSync } from 'node:fs';
import type { Reporter, TestCase } from 'vitest/node';

/** A reporter of vitest that ends the run at the first test that fails: the tests beside it may wait for minutes. */
export default class FirstFailure implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state !== 'failed') return;
    // Past the other reporter, which holds lines back.
    writeSync(1, `\nFAIL ${test.module.relativeModuleId} > ${test.fullName}\n${errors[0]?.message ?? ''}\n`);
    process.exit(1);
  }
}
