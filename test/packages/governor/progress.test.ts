import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderProgress, startProgress, withProgress } from '../../../packages/governor/src/progress.ts';

/** A stream that remembers what was written, and a clock that is moved. */
function startOn(isTTY: boolean) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const stream = { isTTY, write: (text: string) => written.push(text) };
  return { written, clock, progress: startProgress({ now: () => clock.ms }, stream) };
}

describe('the progress bar', () => {
  test('shows share, count, rate and rest', () => {
    expect(renderProgress(2_500, 10_000, 2_500)).toBe(
      '[######------------------]  25%  2500/10000  1000/s, 8 s left',
    );
  });

  test('shows count and rate without a total', () => {
    expect(renderProgress(500, undefined, 2_000)).toBe('500  250/s');
  });

  test('is one line that fits into 80 columns, however far it is', () => {
    const counts = fc.record({ done: fc.nat(1e6), total: fc.nat(1e6), elapsed: fc.nat() });
    fc.assert(
      fc.property(counts, ({ done, total, elapsed }) => {
        const line = renderProgress(Math.min(done, total), total, elapsed);
        expect(line.length).toBeLessThan(80);
        expect(line).not.toMatch(/NaN|Infinity|\n/);
      }),
    );
  });

  test('is drawn at most ten times per second, and always when it is done', () => {
    const { written, clock, progress } = startOn(true);
    for (let done = 1; done <= 100; done += 1) {
      clock.ms += 5;
      progress.update(done, 100);
    }
    expect(written).toHaveLength(6);
    expect(written.at(-1)).toContain('100/100');
  });

  test('is removed at its end', () => {
    const { written, progress } = startOn(true);
    progress.update(1, 2);
    progress.end();
    progress.end();
    expect(written.at(-1)).toBe('\r\u001b[K');
    expect(written).toHaveLength(2);
  });

  test('writes nothing where there is no terminal', () => {
    const { written, progress } = startOn(false);
    progress.update(1, 2);
    progress.end();
    expect(written).toEqual([]);
  });

  test('hands on the failure of its work', async () => {
    const work = withProgress({ now: () => 0 }, () => Promise.reject(new Error('it broke')));
    await expect(work).rejects.toThrow('it broke');
  });
});
