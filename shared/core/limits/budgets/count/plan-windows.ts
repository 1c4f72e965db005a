import { dateAt } from '../../../../platform/basics/clock.ts';
import { CLOSED_WINDOW_FIRES_MS } from '../../../../platform/basics/contract.ts';
import type { Interval } from '../../../../platform/basics/interval.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../../../platform/context/commit-plan.ts';
import { updateRow, type Write } from '../../../../platform/mongo/writes.ts';
import type { Session, SessionChange } from '../../../calls/sessions/model.ts';
import { countedSessions } from '../../../calls/sessions/plan-sessions.ts';
import { floorToQuarter } from '../../../calls/usage/calendar.ts';
import { type CountedSignal, measuresOf } from '../../../calls/usage/plan-rollups.ts';
import { providerOf } from '../../../pricing/provider-of.ts';
import type { BudgetRules, CountedTogether } from '../rules/budget-rules.ts';
import {
  addCounts,
  budgetWindowRows,
  COUNTED,
  type Counter,
  type Counts,
  noCounts,
  personWindowRows,
  STAMPED,
} from '../rules/counted.ts';
import type { FilteredCall, Matcher } from '../rules/filter.ts';
import { filteredCall } from '../rules/filtered-call.ts';
import { personRowKey, personWindowKey, scopesOf, windowKey } from '../rules/keys.ts';
import { planEvaluation } from '../rules/plan-evaluation.ts';
import { countedFromMs, countedWindowAt, countsUntilMs } from '../rules/windows.ts';

/** New signals (with the sign -1: voided ones), and sessions that are new or have changed. */
interface Counted {
  signals: readonly CountedSignal[];
  sessions: readonly SessionChange[];
  sign?: 1 | -1;
}

/** The amounts that a transaction adds to one window of one counter, of a template's to that of one person. */
export interface WindowChange {
  counter: string;
  /** Null: of no template. */
  person: string | null;
  interval: Interval;
  usage: Counts;
  /** The moment until which it takes what comes late. */
  untilMs: number;
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
  const changes = countWindows(rules, counted).filter(({ untilMs }) => nowMs < untilMs);
  if (changes.length === 0) return NO_PLAN;
  const plan = { writes: incrementsOf(orgId, changes, shard), wakeUps: [] };
  if (isSilent) return plan;
  const earliestMs = Math.min(...changes.map(({ interval }) => interval.endMs));
  // A day that a rolling window holds may have ended long before any window that may still fire.
  const earliestEndMs = Math.max(earliestMs, nowMs - CLOSED_WINDOW_FIRES_MS);
  return joinPlans(plan, planEvaluation(orgId, { shard, earliestEndMs, nowMs }));
}

/**
 * The amounts by counter and window, whenever the window ended. Sums by scope, filter and quarter hour first, so that many
 * signals cost an organization with many counters little. Pure.
 */
export function countWindows(rules: BudgetRules, counted: Counted): WindowChange[] {
  const changes: WindowChange[] = [];
  for (const [{ counters }, byPerson] of sumTogether(rules, counted))
    for (const [person, quarters] of byPerson)
      for (const [key, counter] of counters)
        changes.push(...changesOf(key, counter, quarters).map((change) => ({ ...change, person })));
  return changes.filter(({ usage }) => COUNTED.some((measure) => usage[measure] !== 0));
}

/** By the start of a quarter hour (epoch ms). Every calendar window begins and ends with one. */
type Quarters = Map<number, Counts>;

/** By the person, for templates; else all is under null. */
type ByPerson = Map<string | null, Quarters>;

/** Sums of what is counted together. A budget with a filter counts no sessions: they are not of one model. */
function sumTogether(
  { countedBy, teamsOf }: BudgetRules,
  { signals, sessions, sign = 1 }: Counted,
): Map<CountedTogether, ByPerson> {
  const sums = new Map<CountedTogether, ByPerson>();
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
        const byPerson = sums.get(together) ?? new Map<string | null, Quarters>();
        sums.set(together, byPerson);
        const person = together.isPerPerson ? user_id : null;
        const quarters = byPerson.get(person) ?? new Map<number, Counts>();
        byPerson.set(person, quarters);
        const usage = quarters.get(quarterMs) ?? noCounts();
        quarters.set(quarterMs, usage);
        addCounts(usage, measures);
      }
  };
  for (const signal of signals) {
    let call: FilteredCall | null = null;
    add(signal, signal.ts, measuresOf(signal, sign), (matches) => {
      call ??= callOf(signal);
      return matches(call) === true;
    });
  }
  for (const { before, after } of sessions.map(countedSessions)) {
    if (before?.started_at.getTime() === after?.started_at.getTime()) continue;
    if (before) add(before, before.started_at, { sessions: -1 });
    if (after) add(after, after.started_at, { sessions: 1 });
  }
  return sums;
}

type Identity = Pick<Session, 'org_id' | 'user_id' | 'project_id'>;

function callOf({ model, price_provider, adapter, ts }: CountedSignal): FilteredCall {
  const named = model ?? 'unknown';
  const provider = price_provider ?? providerOf({ model: named }, ts.getTime());
  return filteredCall({ model: named, provider, adapter }, ts.getTime());
}

function changesOf(key: string, counter: Counter, quarters: Quarters): Omit<WindowChange, 'person'>[] {
  const changes = new Map<number, Omit<WindowChange, 'person'>>();
  for (const [quarterMs, usage] of quarters) {
    const interval = countedWindowAt(counter, quarterMs);
    if (quarterMs < countedFromMs(counter, interval)) continue;
    const change = changes.get(interval.startMs) ?? {
      counter: key,
      interval,
      usage: noCounts(),
      untilMs: countsUntilMs(counter, interval),
    };
    changes.set(interval.startMs, change);
    addCounts(change.usage, usage);
  }
  return [...changes.values()];
}

export function incrementsOf(orgId: string, changes: readonly WindowChange[], shard: number): Write[] {
  return changes.map((change) => incrementOf(orgId, change, shard));
}

function incrementOf(
  org_id: string,
  { counter, interval, person, usage }: WindowChange,
  shard: number,
): Write {
  const $inc = Object.fromEntries(COUNTED.map((measure) => [measure, usage[measure]]));
  const { startMs, endMs } = interval;
  const window = { org_id, counter, window_start: dateAt(startMs), window_end: dateAt(endMs) };
  const upsert = { upsert: true };
  if (person === null) {
    const _id = windowKey(org_id, counter, startMs, shard);
    return updateRow(budgetWindowRows, { _id, org_id }, { $inc, $setOnInsert: window }, upsert);
  }
  const _id = personRowKey(personWindowKey(org_id, counter, startMs, person), shard);
  const update = { $inc, $setOnInsert: { ...window, person }, ...STAMPED };
  return updateRow(personWindowRows, { _id, org_id }, update, upsert);
}
