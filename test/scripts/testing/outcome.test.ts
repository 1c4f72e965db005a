import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NODE, ROOT } from '../../../packages/stack/files.ts';
import { describeOutcome, type Outcome, outcome } from '../../../scripts/testing/outcome.ts';

let folder: string;

/** A test that passes at its second attempt: the file outlives the first one. */
const stallsOnce = (name: string, file: string) => `
    import { existsSync, writeFileSync } from 'node:fs';
    test('${name}', () => {
      const seen = existsSync('${file}');
      writeFileSync('${file}', '');
      expect(seen).toBe(true);
    });`;

const TESTS = {
  'test/drills/flaky.test.ts': `
    import { expect, test } from 'vitest';
    ${stallsOnce('stalls once', 'seen')}
    test('never passes', () => expect(1).toBe(2));`,
  'test/plain.test.ts': `
    import { describe, expect, test } from 'vitest';
    describe('a suite', () => test('passes', () => expect(1).toBe(1)));
    test('waits for a printer', (ctx) => ctx.skip('no printer here'));
    test.skip('is out of use', () => expect(1).toBe(2));
    ${stallsOnce('stalls once too', 'seen-here')}`,
};

beforeAll(() => {
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'outcome-'));
  mkdirSync(join(folder, 'test/drills'), { recursive: true });
  mkdirSync(join(folder, 'test/support'));
  for (const [path, text] of Object.entries(TESTS)) writeFileSync(join(folder, path), text);
  writeFileSync(join(folder, 'test/support/global-setup.ts'), 'export const setup = () => undefined;');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs these tests by the project's own configuration; returns what it wrote for scripts/test. */
function runThem(env: Record<string, string>): Outcome {
  const file = join(folder, 'outcome.json');
  for (const left of globSync('seen*', { cwd: folder })) rmSync(join(folder, left));
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, '--run', '--root', folder, '--config', join(ROOT, 'vitest.config.ts')];
  const own = { PATH: process.env.PATH, TEST_OUTCOME_FILE: file, ...env };
  const { status, stdout } = spawnSync(NODE, args, { cwd: folder, encoding: 'utf8', env: own });
  expect(status, stdout).toBe(1);
  return outcome.parse(JSON.parse(readFileSync(file, 'utf8')));
}

test('in CI a drill gets a second try, and no other test; who got one is named before the counts', () => {
  expect(describeOutcome(runThem({ CI: '1' })).sort()).toEqual(
    [
      'skipped: test/plain.test.ts > waits for a printer (no printer here)',
      'skipped: test/plain.test.ts > is out of use (no reason given)',
      'retried: test/drills/flaky.test.ts > stalls once (passed at attempt 2)',
      'retried: test/drills/flaky.test.ts > never passes (failed at attempt 2)',
      '2 passed, 2 failed, 2 skipped',
    ].sort(),
  );
});

test('elsewhere nothing is tried again', () => {
  expect(runThem({})).toMatchObject({ passed: 1, failed: 3, retried: [], succeeded: false });
});

test('the last line is the counts alone', () => {
  const skipped = [{ name: 'b', reason: 'no printer' }];
  const retried = [{ name: 'a', attempts: 2, passed: true }];
  const lines = describeOutcome({ passed: 3, failed: 0, skipped, retried });
  expect(lines.at(-1)).toBe('3 passed, 0 failed, 1 skipped');
});

test('no test outside the drills asks for a second try by itself, and none is skipped without a reason', () => {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT });
  expect(files.length).toBeGreaterThan(50);
  const offending = files.filter((path) => {
    if (path === 'test/scripts/testing/outcome.test.ts') return false;
    const text = readFileSync(join(ROOT, path), 'utf8');
    const asksAgain = !path.startsWith('test/drills/') && /\bretry: ?\d/.test(text);
    return asksAgain || /\b(?:it|test|describe)\.(?:skip|skipIf|runIf|todo|only)\b/.test(text);
  });
  expect(offending).toEqual([]);
});
