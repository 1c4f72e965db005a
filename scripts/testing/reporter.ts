import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { Outcome } from './outcome.ts';

/** A reporter of vitest that writes what the run came to into a file, as JSON. */
export function createOutcomeReporter(file: string): Reporter {
  return {
    onTestRunEnd: (modules, _errors, reason) => {
      writeFileSync(file, JSON.stringify({ ...readOutcome(modules), succeeded: reason === 'passed' }));
    },
  };
}

function readOutcome(modules: readonly TestModule[]): Omit<Outcome, 'succeeded'> {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const skipped = tests.flatMap((test) => {
    const result = test.result();
    if (result.state !== 'skipped') return [];
    return [{ name: nameOf(test), reason: result.note ?? 'no reason given' }];
  });
  const retried = tests.flatMap((test) => {
    const retries = test.diagnostic()?.retryCount ?? 0;
    const passed = test.result().state === 'passed';
    return retries > 0 ? [{ name: nameOf(test), attempts: retries + 1, passed }] : [];
  });
  const passed = tests.filter((test) => test.result().state === 'passed').length;
  // A test that never ended (its process died) has not passed.
  return { passed, failed: tests.length - passed - skipped.length, skipped, retried };
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}
