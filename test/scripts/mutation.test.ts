import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { beforeEach, describe, expect, test } from 'vitest';
import { createChooser } from '../../packages/mutation/choose-tests.ts';
import { rangesThatRan } from '../../packages/mutation/coverage.ts';
import { draw, faultsOf } from '../../packages/mutation/draw.ts';
import { type Fault, plant } from '../../packages/mutation/fault.ts';
import { FAULTS } from '../../packages/mutation/list.ts';
import { applyEdit, editsOf, isProgram, OPERATORS } from '../../packages/mutation/operators.ts';
import { mapRanges } from '../../packages/mutation/record-browser.ts';
import { createBaseline, runTests } from '../../packages/mutation/run-chance.ts';
import { passes, runFault } from '../../packages/mutation/run-fault.ts';
import { ROOT } from '../../packages/stack/files.ts';
import { identify } from '../../packages/stack/processes.ts';
import { until } from '../support/harness.ts';
import { temporaryFolder } from '../support/temporary.ts';

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

/** A program, and what each operator makes of it. */
const MADE: readonly (readonly [operator: string, before: string, after: string])[] = [
  ['condition-true', 'if (a.b) c();', 'if (true) c();'],
  ['condition-false', 'const a = b ? 2 : 3;', 'const a = false ? 2 : 3;'],
  ['condition-true', 'const f = (a: number) => a > b;', 'const f = (a: number) => true;'],
  ['boundary', 'while (a < b) c();', 'while (a <= b) c();'],
  ['equality', 'const a = b === c;', 'const a = b !== c;'],
  ['and-or', 'const a = b && c;', 'const a = b || c;'],
  ['arithmetic', 'const a = b + c;', 'const a = b - c;'],
  ['assignment', 'a += b;', 'a -= b;'],
  ['drop-left', 'const a = b && c;', 'const a = c;'],
  ['drop-right', 'const a = b ?? c;', 'const a = b;'],
  ['swap-operands', 'const a = b - c;', 'const a = c - b;'],
  ['drop-not', 'const a = !b;', 'const a = b;'],
  ['constant', 'const a = 0;', 'const a = 1;'],
  ['constant', 'const a = 60_000;', 'const a = 60_000 * 2;'],
  ['constant', 'const a = true;', 'const a = false;'],
  ['constant', 'const a = rows.sort({ at: 1 });', 'const a = rows.sort({ at: -1 });'],
  ['query-key', 'const a = { at: { $gt: b } };', 'const a = { at: { $gte: b } };'],
  ['drop-statement', 'await a(b);', ';'],
  ['drop-await', 'await a(b);', 'void a(b);'],
  ['swap-arguments', 'a(ctx, b, c);', 'a(ctx, c, b);'],
  ['drop-field', 'const f = () => g({ a: b, c: d });', 'const f = () => g({  c: d });'],
  ['drop-element', 'const f = () => [a, b];', 'const f = () => [ b];'],
  ['return', 'function f(): boolean { return a; }', 'function f(): boolean { return !(a); }'],
  ['return', 'const f = (): Promise<boolean> => a;', 'const f = (): Promise<boolean> => !(a);'],
  ['return', 'const f = (): string[] => a;', 'const f = (): string[] => [];'],
  ['return', 'const f = (): A | null => a;', 'const f = (): A | null => null;'],
  ['method', 'const a = b.some(c);', 'const a = b.every(c);'],
  ['drop-method', 'const a = b.filter(c);', 'const a = b;'],
  ['drop-bound', 'const a = Math.min(b, 5);', 'const a = b;'],
  ['jump', 'for (const a of b) { if (a) continue; c(); }', 'for (const a of b) { if (a) break; c(); }'],
];

describe('an operator', () => {
  test.each(MADE)('%s makes of "%s" "%s"', (operator, before, after) => {
    const made = editsOf('a.ts', before).filter((edit) => edit.operator === operator);
    expect(made.map((edit) => applyEdit(before, edit))).toContain(after);
    expect(isProgram('a.ts', after)).toBe(true);
  });

  test('is shown by an example', () => {
    expect(Object.keys(OPERATORS).toSorted()).toEqual([...new Set(MADE.map(([name]) => name))].toSorted());
  });

  test.each([
    '// if (a > b) c(1);',
    "import { a } from './b.ts';",
    'interface A { b: 1 | 2; c?: true }',
    'type A = B extends 1 ? 2 : 3;',
    "ctx.log.warn({ a: b > 1 }, c ? 'd' : 'e');",
    "throw new DomainError('conflict', a > 1 ? 'b' : 'c');",
    'const a = route({ description: b ? 1 : 2 });',
    "const a = z.string().describe(b ? 'c' : 'd');",
    'const a = <Stack gap={4} withBorder />;',
    "const a = 'b' + 'c';",
  ])('makes nothing of "%s", which changes no answer', (program) => {
    expect(editsOf('a.tsx', program)).toEqual([]);
  });

  test('makes none of the planted faults', () => {
    const bare = (text: string) => text.replace(/\s+/g, '');
    const made = ALL.filter(({ file }) => !file.endsWith('.lua')).filter((fault) => {
      const before = readFileSync(join(ROOT, fault.file), 'utf8');
      const after = bare(plant(ROOT, fault));
      const at = before.indexOf(fault.text);
      return editsOf(fault.file, before)
        .filter(({ start, end }) => end >= at && start <= at + fault.text.length)
        .some((edit) => bare(applyEdit(before, edit)) === after);
    });
    expect(made.map(({ what }) => what)).toEqual([]);
  });
});

describe('faults by chance', () => {
  const limits = 'shared/core/limits';
  const all = faultsOf([`${limits}/enforcement/check/judge.ts`, `${limits}/budgets/rules/keys.ts`]);
  const ids = (seed: number, count: number) => draw(all, seed, count).map(({ id }) => id);

  test('are the same for one seed, and others for another', () => {
    expect(ids(1, 9)).toEqual(ids(1, 9));
    expect(ids(1, 9)).not.toEqual(ids(2, 9));
  });

  test('are spread over the lines, one for each part of them', () => {
    const lines = [...new Set(all.map(({ file, line }) => `${file}:${line}`))];
    const places = draw(all, 3, 5).map(({ file, line }) => lines.indexOf(`${file}:${line}`));
    const edges = [0, 1, 2, 3, 4].map((part) => Math.floor((part * lines.length) / 5));
    expect(places.map((place) => edges.findLastIndex((edge) => edge <= place))).toEqual([0, 1, 2, 3, 4]);
  });

  test('are at most one per line', () => {
    const lines = new Set(all.map(({ file, line }) => `${file}:${line}`));
    expect(new Set(ids(1, 1_000)).size).toBe(lines.size);
  });
});

test('the tests of a fault are those that ran its file, first the one that ran least, and none that did not', () => {
  const [fault] = faultsOf(['shared/core/limits/enforcement/check/judge.ts']);
  if (!fault) throw new Error('There is no fault.');
  const ran = (file: string, to: number) => ({ seconds: 1, files: { [file]: { hash: '', ran: [0, to] } } });
  const records = new Map([
    ['test/api/gate.test.ts', ran(fault.file, 900)],
    ['test/api/budgets.test.ts', ran(fault.file, 90)],
    ['test/api/usage.test.ts', ran('api/app.ts', 9)],
  ]);
  const chosen = createChooser(records)(fault).map(({ path }) => path);
  expect(chosen.slice(0, 2)).toEqual(['test/api/budgets.test.ts', 'test/api/gate.test.ts']);
  expect(chosen).not.toContain('test/api/usage.test.ts');
  // Without a record, by its imports.
  expect(chosen).toContain('test/shared/core/limits/enforcement/judge.test.ts');
});

test('what ran is the innermost range of a function, and never what a module does as it loads', () => {
  const range = (startOffset: number, endOffset: number, count: number) =>
    ({ startOffset, endOffset, count }) as const;
  const functions = [
    [range(0, 100, 1)],
    [range(10, 50, 2), range(20, 30, 0)],
    [range(22, 26, 1)],
    [range(60, 90, 0)],
  ].map((ranges) => ({ functionName: '', isBlockCoverage: true, ranges }));
  const ran = [10, 20, 22, 26, 30, 50];
  expect(rangesThatRan(functions).flat()).toEqual(ran);
});

test('what ran of a source is what its map says of the built file', async () => {
  const source = `export const add = (one: number) => {\n  if (one > 2) return one + 1;\n  return one - 1;\n};\n`;
  const options = { loader: 'ts', sourcemap: true, minify: true, sourcefile: 'add.ts' } as const;
  const { code, map } = await transform(source, options);
  const ran: [number, number][] = [[code.indexOf('+') - 1, code.indexOf('+') + 2]];
  const mapped = mapRanges({ text: code, ran }, map, (name) => (name === 'add.ts' ? source : null));
  const isIn = (part: string) =>
    mapped.get('add.ts')?.some(([from, to]) => from <= source.indexOf(part) && source.indexOf(part) < to);
  const parts = ['one + 1', '1;\n  return', 'one - 1', 'one > 2'];
  expect(parts.filter(isIn)).toEqual(parts.slice(0, 2));
  expect([...mapRanges({ text: code, ran }, map, () => null).values()].flat()).toEqual([]);
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
    tree = temporaryFolder();
    mkdirSync(join(tree, 'node_modules/.bin'), { recursive: true });
    writeFileSync(join(tree, 'package.json'), '{"type":"module"}');
    writeFileSync(join(tree, 'add.js'), 'export const add = (a, b) => a + b;\n');
    // Stands in for vitest: runs the one test file, and what it exits with is what it says.
    const runner = `#!/bin/sh\nfor last; do :; done\nexec "${process.execPath}" "$last"\n`;
    writeFileSync(join(tree, 'node_modules/.bin/vitest'), runner, { mode: 0o755 });
  });
  const run = (stop?: AbortSignal) =>
    runFault(tree, { file: fault.file, text: plant(tree, fault), tests: fault.tests }, {}, stop);
  const writeTest = (text: string) =>
    writeFileSync(join(tree, 'add.test.js'), `import { add } from './add.js';\n${text}\n`);
  /** The beginning of a test that writes the id of a process to a file, and waits for nothing. */
  const tell = (pid: string) =>
    `import { writeFileSync } from 'node:fs'; writeFileSync('pid', String(${pid}));`;
  const readPid = () => Number(readFileSync(join(tree, 'pid'), 'utf8'));
  const isTakenOut = () => readFileSync(join(tree, 'add.js'), 'utf8').includes('a + b;');

  test('is caught by a test that looks, and is taken out again', async () => {
    writeTest(`if (add(1, 1) !== 2) {
      console.log('\\x1b[31m FAIL \\x1b[39m tests add.test.js > adds\\n\\nAssertionError: expected 3 to be 2\\n');
      process.exit(1);
    }`);
    expect(await passes(tree, fault.tests, {})).toBe(true);
    const by = 'tests add.test.js > adds: AssertionError: expected 3 to be 2';
    expect(await run()).toEqual({ verdict: 'caught', by });
    expect(isTakenOut()).toBe(true);
  });

  test('survives a test that does not look', async () => {
    writeTest('if (add(1, 1) < 2) process.exit(1);');
    expect(await run()).toEqual({ verdict: 'survived' });
  });

  test('leaves no process behind that its tests have started', async () => {
    writeTest(`import { spawn } from 'node:child_process';
      ${tell("spawn('sleep', ['60'], { stdio: 'ignore' }).pid")}
      process.exit(1);`);
    expect(await run()).toMatchObject({ verdict: 'caught' });
    await until(async () => identify(readPid()) === null, { what: 'the process to end' });
  });

  test('is ended and taken out when the run is stopped', async () => {
    writeTest(`${tell('process.pid')} setInterval(() => {}, 1_000);`);
    const stopping = new AbortController();
    const stopped = run(stopping.signal);
    await until(async () => existsSync(join(tree, 'pid')) && readPid() > 0, { what: 'the test to run' });
    stopping.abort('stopped');
    await expect(stopped).rejects.toBe('stopped');
    expect(identify(readPid())).toBeNull();
    expect(isTakenOut()).toBe(true);
  });

  test('is refused when its text does not stand once in the file', () => {
    expect(() => plant(tree, { ...fault, text: 'a - b' })).toThrow('stands 0 times in add.js');
  });

  test('is not caught by a test that fails without it too', async () => {
    writeTest("console.log('FAIL tests add.test.js > adds\\nError: always\\n'); process.exit(1);");
    const copy = { tree, env: {}, stop: new AbortController().signal };
    const tests = [{ path: 'add.test.js', seconds: 1 }];
    expect(await run()).toMatchObject({ verdict: 'caught' });
    const planted = { file: fault.file, text: plant(tree, fault), tests: fault.tests };
    expect(await runTests(planted, tests, copy, createBaseline(copy))).toEqual({ verdict: 'survived' });
  });

  test('is refused when its tests are gone', async () => {
    await expect(run()).rejects.toThrow('None of these tests exist');
  });
});
