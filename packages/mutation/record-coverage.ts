import { Session } from 'node:inspector';
import { relative } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { ROOT } from '../stack/files.ts';
import { childrenOf, type ScriptCoverage, writeRecord } from './coverage.ts';

// Before each test file, with the switch TEST_COVERAGE: records the code that its tests run, here and in child processes.
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const startedMs = performance.now();

const testFile = () => relative(ROOT, expect.getState().testPath ?? '');

beforeAll(() => {
  // Node hands it to every child process, whatever other variables that one gets.
  process.env.NODE_V8_COVERAGE = childrenOf(testFile());
});

// The first one that is registered runs last.
afterAll(() => {
  delete process.env.NODE_V8_COVERAGE;
  let scripts: ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error) throw error;
    scripts = taken.result;
  });
  session.disconnect();
  writeRecord(testFile(), (performance.now() - startedMs) / 1_000, scripts);
});
