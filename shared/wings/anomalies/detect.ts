import type { Signal } from '../../core/calls/signals/model.ts';
import type { AnomalyType } from '../../platform/basics/contract.ts';

/** The totals of a session that anomalies are found by. */
export interface Totals {
  tokens: number;
  /** Integer nano-USD. */
  cost_nusd: number;
  signals: number;
  errors: number;
}

/** The hour of a session with most tokens, and the one with most cost. */
export type BusiestHour = Pick<Totals, 'tokens' | 'cost_nusd'>;

/** An anomaly as the rules found it: tokens, US dollars or an error rate, by type. */
export interface FoundAnomaly {
  anomaly_type: AnomalyType;
  baseline_avg: number;
  observed: number;
  deviation_pct: number;
}

/** The sessions that a session is compared with (docs/anomalies.md). */
export const BASELINE = { sessions: 30, days: 28 } as const;
const FEWEST_SESSIONS = 5;
const FULL_SESSIONS = 14;
const HUGE_TIMES = 10;
const SMALLEST_SPREAD = 0.25;
const NORMAL_MAD = 1.4826;
const FLOOR = { tokens: 50_000, usd: 1 } as const;
const CAP = { tokens: 2_000_000, usd: 50 } as const;
export const RUNAWAY = { tokens: 5_000_000, usd: 100 } as const;
const ERROR_SPIKE = { signals: 20, times: 2 } as const;
/** Fewer errors than one in twenty are no baseline: twice nothing would be passed by a single error. */
const LEAST_ERROR_RATE = 0.05;
const Z = 1.96;
const NUSD_PER_USD = 1e9;

/** True when a session is large enough for any of the rules. Most are not, and their past is not read. */
export function shouldCheck({ tokens, cost_nusd, signals, errors }: Totals): boolean {
  const spikes = tokens >= FLOOR.tokens || cost_nusd >= FLOOR.usd * NUSD_PER_USD;
  return spikes || (signals >= ERROR_SPIKE.signals && errors > 0);
}

/** True when an hour of it may have run away: no hour has more than the whole session. */
export function mayHaveRunAway({ tokens, cost_nusd }: Totals): boolean {
  return tokens >= RUNAWAY.tokens || cost_nusd >= RUNAWAY.usd * NUSD_PER_USD;
}

/**
 * Finds the anomalies of a session, compared with earlier ones of its user (docs/anomalies.md). `baseline` are the last of
 * the sessions that had finished before it began; `hour` its busiest hour, when `mayHaveRunAway`. Pure.
 */
export function detectAnomalies(
  session: Totals,
  baseline: readonly Totals[],
  hour: BusiestHour | null,
): FoundAnomaly[] {
  const found = [
    spike(
      'token_spike',
      session.tokens,
      baseline.map((past) => past.tokens),
      FLOOR.tokens,
      CAP.tokens,
    ),
    spike('cost_spike', usd(session), baseline.map(usd), FLOOR.usd, CAP.usd),
    errorSpike(session, baseline),
    runaway(hour),
  ];
  return found.filter((foundAnomaly) => foundAnomaly !== null);
}

function usd({ cost_nusd }: Pick<Totals, 'cost_nusd'>): number {
  return cost_nusd / NUSD_PER_USD;
}

function spike(
  type: 'token_spike' | 'cost_spike',
  observed: number,
  past: readonly number[],
  floor: number,
  cap: number,
): FoundAnomaly | null {
  if (past.length < FEWEST_SESSIONS) return observed >= cap ? foundAnomaly(type, observed, cap) : null;
  const average = mean(past);
  const isSpike = isUnlikely(observed, average, past, floor) || isHuge(observed, average, floor);
  return isSpike ? foundAnomaly(type, observed, average) : null;
}

function isUnlikely(observed: number, average: number, past: readonly number[], floor: number): boolean {
  const [leastScore, times] = past.length >= FULL_SESSIONS ? [3, 3] : [4, 5];
  return observed - average >= floor && observed >= times * average && score(observed, past) >= leastScore;
}

/**
 * Ten times the mean is a spike however widely a user's sessions differ. Where they differ by a factor of ten among
 * themselves the score alone would let it pass: on the real trace it found a fifth (ADR 0042).
 */
function isHuge(observed: number, average: number, floor: number): boolean {
  return observed >= floor && observed >= HUGE_TIMES * average;
}

/** A robust z-score in log space: how many spreads a value lies above the median. */
function score(observed: number, past: readonly number[]): number {
  const logs = past.map((value) => Math.log1p(value));
  const middle = median(logs);
  const spread = NORMAL_MAD * median(logs.map((value) => Math.abs(value - middle)));
  return (Math.log1p(observed) - middle) / Math.max(spread, SMALLEST_SPREAD);
}

function errorSpike({ errors, signals }: Totals, past: readonly Totals[]): FoundAnomaly | null {
  if (past.length < FEWEST_SESSIONS || signals < ERROR_SPIKE.signals) return null;
  const average = mean(past.map((session) => session.errors / session.signals));
  const usual = Math.max(average, LEAST_ERROR_RATE);
  if (wilsonLowerBound(errors, signals) <= ERROR_SPIKE.times * usual) return null;
  return foundAnomaly('error_spike', errors / signals, average, LEAST_ERROR_RATE);
}

/** The rate that the true one is hardly below, after `count` of `total`: the lower bound of Wilson's 95 % interval. */
export function wilsonLowerBound(count: number, total: number): number {
  const rate = count / total;
  const centre = rate + Z ** 2 / (2 * total);
  const margin = Z * Math.sqrt((rate * (1 - rate) + Z ** 2 / (4 * total)) / total);
  return (centre - margin) / (1 + Z ** 2 / total);
}

/** The hour against the limit of which it has the larger multiple, so that what doubles in either unit doubles here. */
function runaway(hour: BusiestHour | null): FoundAnomaly | null {
  if (!hour) return null;
  const isOfCost = usd(hour) / RUNAWAY.usd > hour.tokens / RUNAWAY.tokens;
  const [observed, limit] = isOfCost ? [usd(hour), RUNAWAY.usd] : [hour.tokens, RUNAWAY.tokens];
  return observed >= limit ? foundAnomaly('runaway_session', observed, limit) : null;
}

/** Nothing is infinitely more than nothing: an average below `least` is taken as that for the deviation. */
function foundAnomaly(type: AnomalyType, observed: number, average: number, least = 1): FoundAnomaly {
  const deviation = ((observed - average) / (average > 0 ? average : least)) * 100;
  return {
    anomaly_type: type,
    baseline_avg: rounded(average, 4),
    observed: rounded(observed, 4),
    deviation_pct: rounded(deviation, 2),
  };
}

type Observation = Pick<FoundAnomaly, 'anomaly_type' | 'observed' | 'baseline_avg'>;

/** True when an incident is reported (again): only when the observed value has doubled since the last report. */
export function isWorthReporting(found: Observation, reported: Observation | null): boolean {
  return reported === null || sizeOf(found) >= 2 * sizeOf(reported);
}

/** An hour that ran away is measured in tokens or in dollars: the multiple of its limit is comparable for both. */
function sizeOf({ anomaly_type, observed, baseline_avg }: Observation): number {
  return anomaly_type === 'runaway_session' ? observed / baseline_avg : observed;
}

/**
 * The most tokens and the most cost within any hour of signals that come in time order. Holds those of an hour or two: a
 * session may have more than memory takes.
 */
export async function busiestHour(
  signals: AsyncIterable<Pick<Signal, 'ts' | 'tokens_in' | 'tokens_out' | 'cost_nusd'>>,
): Promise<BusiestHour> {
  const most = { tokens: 0, cost_nusd: 0 };
  const sum = { tokens: 0, cost_nusd: 0 };
  let held: ({ tsMs: number } & BusiestHour)[] = [];
  let first = 0;
  for await (const { ts, tokens_in, tokens_out, cost_nusd } of signals) {
    const signal = { tsMs: ts.getTime(), tokens: tokens_in + tokens_out, cost_nusd: cost_nusd ?? 0 };
    held.push(signal);
    sum.tokens += signal.tokens;
    sum.cost_nusd += signal.cost_nusd;
    for (let old = held[first]; old && old.tsMs <= signal.tsMs - HOUR_MS; old = held[first]) {
      sum.tokens -= old.tokens;
      sum.cost_nusd -= old.cost_nusd;
      first += 1;
    }
    most.tokens = Math.max(most.tokens, sum.tokens);
    most.cost_nusd = Math.max(most.cost_nusd, sum.cost_nusd);
    if (2 * first < held.length) continue;
    held = held.slice(first);
    first = 0;
  }
  return most;
}

const HOUR_MS = 3_600_000;

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[middle - 1] ?? 0, sorted[middle] ?? 0];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

function rounded(value: number, places: number): number {
  return Math.round(value * 10 ** places) / 10 ** places;
}
