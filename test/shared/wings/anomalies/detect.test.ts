import { describe, expect, test } from 'vitest';
import { collectGarbage } from '../../../../shared/platform/basics/collect-garbage.ts';
import {
  busiestHour,
  detectAnomalies,
  isWorthReporting,
  mayHaveRunAway,
  shouldCheck,
  type Totals,
  wilsonLowerBound,
} from '../../../../shared/wings/anomalies/detect.ts';

const quiet: Totals = { tokens: 10_000, cost_nusd: 100_000_000, signals: 10, errors: 0 };
const past = (count: number, of: Partial<Totals> = {}) =>
  Array.from({ length: count }, (_, index) => ({ ...quiet, tokens: 9_000 + 200 * (index % 11), ...of }));
const types = (session: Partial<Totals>, baseline: readonly Totals[]) =>
  detectAnomalies({ ...quiet, ...session }, baseline, null).map((verdict) => verdict.anomaly_type);

describe('spikes', () => {
  test('a token spike names the mean of its sample and how far it lies above', () => {
    const baseline = past(22);
    expect(detectAnomalies({ ...quiet, tokens: 100_000 }, baseline, null)).toEqual([
      { anomaly_type: 'token_spike', baseline_avg: 10_000, observed: 100_000, deviation_pct: 900 },
    ]);
  });

  test('the excess must reach 50,000 tokens, or one dollar', () => {
    expect(types({ tokens: 59_999 }, past(22))).toEqual([]);
    expect(types({ tokens: 60_000 }, past(22))).toEqual(['token_spike']);
    // Ten times the mean is enough with 50,000 in all.
    const small = past(22, { tokens: 5_000 });
    expect(types({ tokens: 49_999 }, small)).toEqual([]);
    expect(types({ tokens: 50_000 }, small)).toEqual(['token_spike']);
    const cents = past(22, { cost_nusd: 100_000_000 });
    expect(types({ cost_nusd: 1_100_000_000 }, cents)).toEqual(['cost_spike']);
    expect(types({ cost_nusd: 999_999_999 }, cents)).toEqual([]);
  });

  test('a user whose sessions differ widely needs more to stand out, but never more than ten times the mean', () => {
    const wide = Array.from({ length: 20 }, (_, index) => ({ ...quiet, tokens: 1_000 * 2 ** (index % 10) }));
    // Their mean is 102,300.
    expect(types({ tokens: 1_022_999 }, wide)).toEqual([]);
    expect(types({ tokens: 1_023_000 }, wide)).toEqual(['token_spike']);
  });

  test('5 to 13 sessions ask for 5 times the mean, 14 for 3 times', () => {
    const larger = (count: number) => past(count, { tokens: 50_000 });
    expect(types({ tokens: 160_000 }, larger(14))).toEqual(['token_spike']);
    expect(types({ tokens: 160_000 }, larger(13))).toEqual([]);
    expect(types({ tokens: 250_000 }, larger(13))).toEqual(['token_spike']);
    expect(types({ tokens: 250_000 }, larger(5))).toEqual(['token_spike']);
  });

  test('fewer than 5 sessions leave the caps alone, and the cap is the baseline then', () => {
    expect(types({ tokens: 1_999_999, cost_nusd: 49_999_999_999 }, past(4))).toEqual([]);
    expect(
      detectAnomalies({ ...quiet, tokens: 3_000_000, cost_nusd: 50_000_000_000 }, past(4), null),
    ).toEqual([
      { anomaly_type: 'token_spike', baseline_avg: 2_000_000, observed: 3_000_000, deviation_pct: 50 },
      { anomaly_type: 'cost_spike', baseline_avg: 50, observed: 50, deviation_pct: 0 },
    ]);
  });

  test('a baseline of nothing gives a finite deviation', () => {
    const [verdict] = detectAnomalies({ ...quiet, tokens: 60_000 }, past(20, { tokens: 0 }), null);
    expect(verdict).toMatchObject({ baseline_avg: 0, deviation_pct: 6_000_000 });
  });
});

describe('errors', () => {
  test('a rate is a spike when even its lower bound is twice the usual one', () => {
    const usual = past(20, { errors: 1 });
    expect(types({ signals: 20, errors: 7 }, usual)).toEqual([]);
    expect(types({ signals: 20, errors: 8 }, usual)).toEqual(['error_spike']);
    expect(types({ signals: 19, errors: 19 }, usual)).toEqual([]);
  });

  test('a single error after none is no spike', () => {
    expect(types({ signals: 20, errors: 1 }, past(20))).toEqual([]);
    const [verdict] = detectAnomalies({ ...quiet, signals: 20, errors: 10 }, past(20), null);
    expect(verdict).toEqual({
      anomaly_type: 'error_spike',
      baseline_avg: 0,
      observed: 0.5,
      deviation_pct: 1_000,
    });
  });

  test('the Wilson bound is that of the textbook', () => {
    expect(wilsonLowerBound(8, 10)).toBeCloseTo(0.4902, 3);
    expect(wilsonLowerBound(0, 20)).toBeCloseTo(0, 10);
  });
});

describe('runaway sessions', () => {
  const minute = 60_000;
  test('the busiest hour is any sixty minutes, whose start does not count', async () => {
    async function* steady(count: number) {
      for (let index = 0; index < count; index += 1)
        yield { ts: new Date(index * minute), tokens_in: 1, tokens_out: 0, cost_nusd: index < 90 ? 2 : 1 };
    }
    expect(await busiestHour(steady(200))).toEqual({ tokens: 60, cost_nusd: 120 });
    expect(await busiestHour(steady(0))).toEqual({ tokens: 0, cost_nusd: 0 });
  });

  test('the busiest hour of a session that no memory would hold is found', async () => {
    const signals = 1_000_000;
    const atRest = process.memoryUsage().heapUsed;
    let mostHeld = 0;
    async function* endless() {
      for (let index = 0; index < signals; index += 1) {
        if (index % 200_000 === 0) {
          await collectGarbage();
          mostHeld = Math.max(mostHeld, process.memoryUsage().heapUsed - atRest);
        }
        yield { ts: new Date(index * 1_000), tokens_in: 1, tokens_out: 0, cost_nusd: null };
      }
    }
    expect(await busiestHour(endless())).toEqual({ tokens: 3_600, cost_nusd: 0 });
    expect(mostHeld).toBeLessThan(15e6);
  });

  test('5 M tokens or 100 dollars within an hour are reported against that', () => {
    const long = { ...quiet, tokens: 6_000_000 };
    expect(mayHaveRunAway(long)).toBe(true);
    expect(detectAnomalies(long, past(4), { tokens: 4_999_999, cost_nusd: 0 })).toHaveLength(1);
    expect(detectAnomalies(long, past(4), { tokens: 5_000_000, cost_nusd: 0 })[1]).toEqual({
      anomaly_type: 'runaway_session',
      baseline_avg: 5_000_000,
      observed: 5_000_000,
      deviation_pct: 0,
    });
    expect(detectAnomalies(quiet, past(4), { tokens: 0, cost_nusd: 150e9 })[0]).toMatchObject({
      baseline_avg: 100,
      observed: 150,
      deviation_pct: 50,
    });
  });
});

test('a session below every floor is never looked at, and nothing is missed by that', () => {
  const small = { tokens: 49_999, cost_nusd: 999_999_999, signals: 19, errors: 19 };
  expect(shouldCheck(small)).toBe(false);
  expect(detectAnomalies(small, past(30, { tokens: 0, cost_nusd: 0 }), null)).toEqual([]);
  expect(shouldCheck({ ...small, tokens: 50_000 })).toBe(true);
});

test('an incident is reported once, and again when what was observed has doubled', () => {
  const spike = (observed: number) => ({ anomaly_type: 'token_spike' as const, observed, baseline_avg: 1 });
  expect(isWorthReporting(spike(5), null)).toBe(true);
  expect([9, 10].map((observed) => isWorthReporting(spike(observed), spike(5)))).toEqual([false, true]);
});

const runaway = (hour: { tokens: number; cost_nusd: number }) => {
  const found = detectAnomalies({ ...quiet, ...hour }, [], hour);
  return found.find(({ anomaly_type }) => anomaly_type === 'runaway_session') ?? null;
};

test('an hour that ran away in dollars stays one when its tokens reach their limit: news is what doubles', () => {
  const hours = [
    { tokens: 4_000_000, cost_nusd: 1_000e9 },
    { tokens: 5_000_000, cost_nusd: 1_999e9 },
    { tokens: 5_000_000, cost_nusd: 2_000e9 },
  ];
  const [before = null, ...later] = hours.map(runaway);
  expect(later).toMatchObject([
    { baseline_avg: 100, observed: 1_999 },
    { baseline_avg: 100, observed: 2_000 },
  ]);
  expect(later.map((found) => found && isWorthReporting(found, before))).toEqual([false, true]);
});

test('an hour that ran away in dollars is no news when it has as many tokens', () => {
  const inDollars = runaway({ tokens: 1_000_000, cost_nusd: 150e9 });
  const news = [5_000_000, 14_999_999, 15_000_000].map((tokens) => {
    const inTokens = runaway({ tokens, cost_nusd: 150e9 });
    return inTokens && isWorthReporting(inTokens, inDollars);
  });
  expect(news).toEqual([false, false, true]);
});
