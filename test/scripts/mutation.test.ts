import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, plant } from '../../packages/mutation/fault.ts';
import { FAULTS } from '../../packages/mutation/list.ts';
import { passes, runFault } from '../../packages/mutation/run-fault.ts';
import { ROOT } from '../../scripts/stack/files.ts';
import { identify } from '../../scripts/stack/processes.ts';
import { until } from '../support/harness.ts';
import { newDataDir } from '../support/up-run.ts';

const ALL = Object.values(FAULTS).flat();

test.each(ALL.map((fault) => [fault.what, fault] as const))(
  '%s: can be planted, and has tests',
  (_, fault) => {
    expect(plant(ROOT, fault)).toContain(fault.replacement);
    expect(fault.tests.filter((path) => existsSync(join(ROOT, path)))).not.toEqual([]);
  },
);

test('no two faults have one name', () => {
  expect(new Set(ALL.map(({ what }) => what)).size).toBe(ALL.length);
});

describe('a planted fault', () => {
  let tree: string;
  const fault: Fault = {
    what: 'adds one too much',
    file: 'add.js',
    text: 'a + b',
    replacement: 'a + b + 1',
    tests: ['add.test.js'],
  };

  beforeEach(() => {
    tree = newDataDir();
    mkdirSync(join(tree, 'node_modules/.bin'), { recursive: true });
    writeFileSync(join(tree, 'package.json'), '{"type":"module"}');
    writeFileSync(join(tree, 'add.js'), 'export const add = (a, b) => a + b;\n');
    // Stands in for vitest: runs the one test file, and what it exits with is what it says.
    const runner = `#!/bin/sh\nfor last; do :; done\nexec "${process.execPath}" "$last"\n`;
    writeFileSync(join(tree, 'node_modules/.bin/vitest'), runner, { mode: 0o755 });
  });
  afterEach(() => rmSync(tree, { recursive: true, force: true }));

  const writeTest = (text: string) =>
    writeFileSync(join(tree, 'add.test.js'), `import { add } from './add.js';\n${text}\n`);

  test('is caught by a test that looks, and is taken out again', async () => {
    writeTest(`if (add(1, 1) !== 2) {
      console.log('\\x1b[31m FAIL \\x1b[39m tests add.test.js > adds\\n\\nAssertionError: expected 3 to be 2\\n');
      process.exit(1);
    }`);
    expect(await passes(tree, fault.tests, {})).toBe(true);
    const by = 'tests add.test.js > adds: AssertionError: expected 3 to be 2';
    expect(await runFault(tree, fault, {})).toEqual({ verdict: 'caught', by });
    expect(readFileSync(join(tree, 'add.js'), 'utf8')).toContain('a + b;');
  });

  test('survives a test that does not look', async () => {
    writeTest('if (add(1, 1) < 2) process.exit(1);');
    expect(await runFault(tree, fault, {})).toEqual({ verdict: 'survived' });
  });

  test('leaves no process behind that its tests have started', async () => {
    writeTest(`
      import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const { pid } = spawn('sleep', ['60'], { stdio: 'ignore' });
      writeFileSync('pid', String(pid));
      process.exit(1);`);
    expect(await runFault(tree, fault, {})).toMatchObject({ verdict: 'caught' });
    const pid = Number(readFileSync(join(tree, 'pid'), 'utf8'));
    await until(async () => identify(pid) === null, { what: 'the process to end' });
  });

  test('is ended and taken out when the run is stopped', async () => {
    writeTest(`import { writeFileSync } from 'node:fs';
      writeFileSync('pid', String(process.pid));
      setInterval(() => {}, 1_000);`);
    const stopping = new AbortController();
    const run = runFault(tree, fault, {}, stopping.signal);
    const pidFile = join(tree, 'pid');
    const readPid = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0);
    await until(async () => readPid() > 0, { what: 'the test to run' });
    stopping.abort('stopped');
    await expect(run).rejects.toBe('stopped');
    expect(identify(readPid())).toBeNull();
    expect(readFileSync(join(tree, 'add.js'), 'utf8')).toContain('a + b;');
  });

  test('is refused when its text does not stand once in the file', async () => {
    writeTest('');
    const rotten = { ...fault, text: 'a - b' };
    await expect(runFault(tree, rotten, {})).rejects.toThrow('stands 0 times in add.js');
  });

  test('is refused when its tests are gone', async () => {
    await expect(runFault(tree, fault, {})).rejects.toThrow('None of these tests exist');
  });
});
