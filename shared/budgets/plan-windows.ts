import { dateAt } from '../platform/basics/clock.ts';
import type { Interval } from '../platform/basics/interval.ts';
import { joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';
import { providerOf } from '../pricing/provider-of.ts';
import type { Session } from '../sessions/model.ts';
import { countedSessions, type SessionChange } from '../sessions/plan-sessions.ts';
import { floorToQuarter } from '../usage/periods.ts';
import { type CountedSignal, measuresOf } from '../usage/plan-rollups.ts';
import { calendarWindowAt } from './calendar-windows.ts';
import { mayFire } from './evaluate.ts';
import type { FilteredCall, Matcher } from './filter.ts';
import { scopesOf, windowKey } from './keys.ts';
import { addCounts, budgetWindowRows, COUNTED, type CounterKey, type Counts, noCounts } from './model.ts';
import { planEvaluation } from './plan-evaluation.ts';
import type { BudgetRules, CountedTogether } from './rules.ts';

/** New signals (with the sign -1: voided ones), and sessions that are new or have changed. */
interface Counted {
  signals: readonly CountedSignal[];
  sessions: readonly SessionChange[];
  sign?: 1 | -1;
}

/** The amounts that a transaction adds to one window of one counter. */
export interface WindowChange {
  counter: string;
  interval: Interval;
  usage: Counts;
}

/**
 * The plan that adds signals and sessions to the windows of all matching budgets, each in the window of its own time. A
 * session counts at its start, as in the rollups. It asks for an evaluation when it adds something, unless it is silent. It
 * belongs in the transaction that records the signals. Pure.
 */
export function planWindows(
  orgId: string,
  rules: BudgetRules,
  counted: Counted,
  { shard, nowMs, isSilent = false }: { shard: number; nowMs: number; isSilent?: boolean },
): Plan {
  const changes = countWindows(rules, counted).filter(({ interval }) => mayFire(interval, nowMs));
  if (changes.length === 0) return NO_PLAN;
  const plan = { writes: changes.map((change) => incrementOf(orgId, change, shard)), wakeUps: [] };
  if (isSilent) return plan;
  const earliestEndMs = Math.min(...changes.map(({ interval }) => interval.endMs));
  return joinPlans(plan, planEvaluation(orgId, { shard, earliestEndMs, nowMs }));
}

/**
 * The amounts by counter and window, whenever the window ended. Sums by scope, filter and quarter hour first, so that many
 * signals cost an organization with many counters little. Pure.
 */
export function countWindows(rules: BudgetRules, counted: Counted): WindowChange[] {
  const changes: WindowChange[] = [];
  for (const [{ counters }, quarters] of sumTogether(rules, counted))
    for (const [key, counter] of counters) changes.push(...changesOf(key, counter, quarters));
  return changes.filter(({ usage }) => COUNTED.some((measure) => usage[measure] !== 0));
}

/** By the start of a quarter hour (epoch ms). Every calendar window begins and ends with one. */
type Quarters = Map<number, Counts>;

/** Sums of what is counted together. A budget with a filter counts no sessions: they are not of one model. */
function sumTogether(
  { countedBy, teamsOf }: BudgetRules,
  { signals, sessions, sign = 1 }: Counted,
): Map<CountedTogether, Quarters> {
  const sums = new Map<CountedTogether, Quarters>();
  if (countedBy.size === 0) return sums;
  const add = (
    { org_id, user_id, project_id }: Identity,
    at: Date,
    measures: Partial<Counts>,
    isCounted: (matches: Matcher) => boolean = () => false,
  ): void => {
    const quarterMs = floorToQuarter(at.getTime());
    const caller = { orgId: org_id, userId: user_id, projectId: project_id };
    for (const scope of scopesOf(teamsOf, caller))
      for (const together of countedBy.get(scope) ?? []) {
        if (together.matches && !isCounted(together.matches)) continue;
        const quarters = sums.get(together) ?? new Map<number, Counts>();
        sums.set(together, quarters);
        const usage = quarters.get(quarterMs) ?? noCounts();
        quarters.set(quarterMs, usage);
        addCounts(usage, measures);
      }
  };
  for (const signal of signals)
    add(signal, signal.ts, measuresOf(signal, sign), (matches) => matches(callOf(signal)) === true);
  for (const { before, after } of sessions.map(countedSessions)) {
    if (before?.started_at.getTime() === after?.started_at.getTime()) continue;
    if (before) add(before, before.started_at, { sessions: -1 });
    if (after) add(after, after.started_at, { sessions: 1 });
  }
  return sums;
}

type Identity = Pick<Session, 'org_id' | 'user_id' | 'project_id'>;

/** A signal as filters see it: with the model that its rollup names. */
function callOf({ model, price_provider, adapter, ts }: CountedSignal): FilteredCall {
  const named = model ?? 'unknown';
  return {
    model: named,
    provider: price_provider ?? providerOf({ model: named }, ts.getTime()),
    adapter,
  };
}

function changesOf(counter: string, { window, timezone }: CounterKey, quarters: Quarters): WindowChange[] {
  const changes = new Map<number, WindowChange>();
  for (const [quarterMs, usage] of quarters) {
    const interval = calendarWindowAt(window, timezone, quarterMs);
    const change = changes.get(interval.startMs) ?? { counter, interval, usage: noCounts() };
    changes.set(interval.startMs, change);
    addCounts(change.usage, usage);
  }
  return [...changes.values()];
}

/** The write that adds a change to its window, in one counter shard. Pure. */
export function incrementOf(
  org_id: string,
  { counter, interval, usage }: WindowChange,
  shard: number,
): Write {
  return updateRow(
    budgetWindowRows,
    { _id: windowKey(org_id, counter, interval.startMs, shard), org_id },
    {
      $inc: Object.fromEntries(COUNTED.map((measure) => [measure, usage[measure]])),
      $setOnInsert: {
        org_id,
        counter,
        window_start: dateAt(interval.startMs),
        window_end: dateAt(interval.endMs),
      },
    },
    { upsert: true },
  );
}
