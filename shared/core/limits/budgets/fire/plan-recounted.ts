import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { CLOSED_WINDOW_FIRES_MS } from '../../../../platform/basics/contract.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { ALL_COUNTER_SHARDS } from '../../../../platform/mongo/counter-shards.ts';
import { insertRow, updateRow, type Write } from '../../../../platform/mongo/writes.ts';
import type { SessionChange } from '../../../calls/sessions/model.ts';
import type { CountedSignal } from '../../../calls/usage/plan-rollups.ts';
import { firingOf } from '../count/plan-history.ts';
import { countWindows, incrementsOf, type WindowChange } from '../count/plan-windows.ts';
import { type CountedWindow, findPersonWindows, readWindows } from '../count/read-windows.ts';
import { isOfRolling, windowsOf } from '../count/rolling.ts';
import type { BudgetRules, RuledBudget } from '../rules/budget-rules.ts';
import { addCounts, COUNTED, type Counts } from '../rules/counted.ts';
import { amountOf, levelsReached, mayFire, type WindowUsage } from '../rules/evaluate.ts';
import { budgetEvaluationRows, budgetFiringRows } from '../rules/fired.ts';
import { inForceIn } from '../rules/in-force.ts';
import { personWindowKey, windowKey } from '../rules/keys.ts';
import type { Budget } from '../rules/model.ts';
import { budgetOfPerson } from '../rules/people.ts';
import { planEvaluation } from '../rules/plan-evaluation.ts';
import type { Rules } from '../rules/rules.ts';
import { findFirings, firstKey, type Level } from './find-firings.ts';

/** Signals that count otherwise from now on, and the sessions that become others with them. */
export interface Recounted {
  before: readonly CountedSignal[];
  /** The same as they count from now on: none of those that are voided. */
  after: readonly CountedSignal[];
  sessions: readonly SessionChange[];
  /** When the first signal of a session that counts no longer was received, epoch ms. */
  sessionSinceMs: number;
}

/**
 * The plan that counts signals anew in the windows that have counted them, and reverses the levels that these windows no longer
 * reach. It conflicts with an evaluation that fires one of them meanwhile. Open windows are evaluated where signals count otherwise,
 * and levels that only now are reached in windows that are over never fire. It belongs in the transaction that changes the signals.
 */
export async function planRecountedWindows(
  ctx: Context,
  { organization, limits }: Rules,
  recounted: Recounted,
  shard: number,
  transaction: ClientSession,
): Promise<Plan> {
  const orgId = organization._id;
  const nowMs = ctx.clock.now();
  const byCounter = Map.groupBy(limits.budgets, ({ counter }) => counter);
  const counted = countRecounted(limits, byCounter, recounted, nowMs);
  if (counted.length === 0) return NO_PLAN;
  const windows = await readChanged(ctx, byCounter, { orgId, changes: counted }, transaction);
  const found = new Set(windows.map(nameOf));
  // A counter that began after a window had ended never had the window.
  const changes = counted.filter((change) => nowMs < change.untilMs || found.has(nameOf(change)));
  const changedOf = Map.groupBy(changes, ({ counter }) => counter);
  const moved = [...Map.groupBy(windows, ({ counter }) => counter)].flatMap(([counter, own]) =>
    levelsMoved(byCounter.get(counter) ?? [], changedOf.get(counter) ?? [], own, nowMs),
  );
  const conflict = updateRow(
    budgetEvaluationRows,
    { _id: orgId },
    { $inc: { touches: 1 }, $setOnInsert: { evaluated_at: dateAt(0) } },
    { upsert: true },
  );
  const firings = await planFirings(ctx, moved, nowMs, transaction);
  const increments = incrementsOf(orgId, changes, shard);
  const plan = { writes: [...increments, conflict, ...firings], wakeUps: [] };
  // A day that is over may lie in a rolling window that is not.
  const open = changes.filter(({ untilMs }) => nowMs < untilMs - CLOSED_WINDOW_FIRES_MS);
  if (recounted.after.length === 0 || open.length === 0) return plan;
  const earliestEndMs = Math.min(...open.map(({ interval }) => Math.max(interval.endMs, nowMs)));
  return joinPlans(plan, planEvaluation(orgId, { shard, earliestEndMs, nowMs }));
}

/** The amounts to add or take away, by counter and window: of each signal, those windows that have counted it. */
function countRecounted(
  limits: BudgetRules,
  byCounter: ReadonlyMap<string, readonly RuledBudget[]>,
  { before, after, sessions, sessionSinceMs }: Recounted,
  nowMs: number,
): WindowChange[] {
  const merged = new Map<string, WindowChange>();
  const add = (change: WindowChange) => {
    const known = merged.get(nameOf(change));
    if (known) addCounts(known.usage, change.usage);
    else merged.set(nameOf(change), change);
  };
  const count = (isOf: (signal: CountedSignal) => boolean) => [
    ...countWindows(limits, { signals: before.filter(isOf), sessions: [], sign: -1 }),
    ...countWindows(limits, { signals: after.filter(isOf), sessions: [] }),
  ];
  const budgetsOf = ({ counter }: WindowChange) => byCounter.get(counter) ?? [];
  const isOpen = ({ untilMs }: WindowChange) => nowMs < untilMs;
  const all = count(() => true);
  for (const change of all.filter(isOpen)) add(change);
  // Signals between whose arrivals lies none of these moments were counted by the same windows.
  const old = all.filter((change) => !isOpen(change));
  const moments = new Set(old.flatMap((change) => [change.untilMs, recountedMs(budgetsOf(change))]));
  const edges = [...moments].toSorted((a, b) => a - b);
  const spanOf = ({ received_at }: CountedSignal) => edges.findLastIndex((at) => at <= received_at.getTime());
  const spans = new Set(old.length === 0 ? [] : before.map(spanOf));
  for (const span of spans)
    for (const change of count((signal) => spanOf(signal) === span))
      if (!isOpen(change) && hasCounted(change, budgetsOf(change), edges[span] ?? 0, nowMs)) add(change);
  for (const change of countWindows(limits, { signals: [], sessions }))
    if (hasCounted(change, budgetsOf(change), sessionSinceMs, nowMs)) add(change);
  return [...merged.values()].filter(({ usage }) => COUNTED.some((measure) => usage[measure] !== 0));
}

/**
 * Returns true when a window has counted what was received at a moment. One that may still fire has counted all that is in its
 * scope now. An older one took nothing that came after its last firing, and it kept the members that a team had when the team's
 * budgets were last counted.
 */
function hasCounted(
  { untilMs }: WindowChange,
  budgets: readonly RuledBudget[],
  receivedMs: number,
  nowMs: number,
): boolean {
  if (nowMs < untilMs) return true;
  if (receivedMs >= untilMs) return false;
  const sinceMs = recountedMs(budgets);
  return receivedMs >= sinceMs || untilMs > sinceMs;
}

/** When budgets of teams were last counted, epoch ms; 0 for others. */
function recountedMs(budgets: readonly RuledBudget[]): number {
  const ofTeam = budgets.filter(({ budget }) => budget.scope === 'team');
  return Math.max(0, ...ofTeam.map(({ budget }) => budget.counted_at.getTime()));
}

function nameOf({ counter, interval, person }: Pick<WindowChange, 'counter' | 'interval' | 'person'>) {
  return `${counter} ${interval.startMs} ${person}`;
}

/** Windows of one question, each of a row per counter shard. The embedded store takes longer per key for more. */
const READ_AT_ONCE = 60;

/** The windows that change; of a counter with rolling budgets all, because these sum many. */
async function readChanged(
  ctx: Context,
  byCounter: ReadonlyMap<string, readonly RuledBudget[]>,
  { orgId, changes }: { orgId: string; changes: readonly WindowChange[] },
  transaction: ClientSession,
): Promise<CountedWindow[]> {
  const isRolling = ({ counter }: WindowChange) => byCounter.get(counter)?.some(isOfRolling) === true;
  const plain = changes.filter((change) => change.person === null && !isRolling(change));
  const found: CountedWindow[] = [];
  for (let at = 0; at < plain.length; at += READ_AT_ONCE) {
    const ids = plain
      .slice(at, at + READ_AT_ONCE)
      .flatMap(({ counter, interval }) =>
        ALL_COUNTER_SHARDS.map((shard) => windowKey(orgId, counter, interval.startMs, shard)),
      );
    found.push(...(await readWindows(ctx, { _id: { $in: ids }, org_id: orgId }, transaction)));
  }
  const names = changes.flatMap(({ counter, interval, person }) =>
    person === null ? [] : [personWindowKey(orgId, counter, interval.startMs, person)],
  );
  const whole = new Set(changes.filter(isRolling).map(({ counter }) => counter));
  return [
    ...found,
    ...(await readWindows(ctx, { org_id: orgId, counter: { $in: [...whole] } }, transaction)),
    ...(await findPersonWindows(ctx, orgId, names, transaction)),
  ];
}

/** A level that a window reached and no longer does, or one that is over does only now. */
type MovedLevel = Level & { isLost: boolean };

/** The levels that move in windows of these budgets, given those of their counter and its changes. Pure. */
function levelsMoved(
  budgets: readonly RuledBudget[],
  changes: readonly WindowChange[],
  windows: readonly CountedWindow[],
  nowMs: number,
): MovedLevel[] {
  const changeOf = new Map(changes.map((change) => [nameOf(change), change.usage]));
  return [...Map.groupBy(windows, ({ person }) => person)].flatMap(([person, before]) => {
    const after = before.map((window) => {
      const usage: Counts = { ...window.usage };
      addCounts(usage, changeOf.get(nameOf(window)) ?? {});
      return { ...window, usage };
    });
    const own = budgets.flatMap((ruled) =>
      person === null ? ruled.budget : (budgetOfPerson(ruled, person) ?? []),
    );
    return own.flatMap((budget) => levelsMovedOf(budget, { before, after }, nowMs));
  });
}

/** The same of one budget. */
function levelsMovedOf(
  budget: Budget,
  { before, after }: { before: readonly WindowUsage[]; after: readonly WindowUsage[] },
  nowMs: number,
): MovedLevel[] {
  const left = windowsOf(budget, after, nowMs);
  return windowsOf(budget, before, nowMs).flatMap(({ interval, usage }, at) => {
    // A level may have fired by the threshold alone, and once more by a raised one.
    const inForce = inForceIn(budget, interval, nowMs);
    const isOver = interval.endMs <= nowMs && mayFire(interval, nowMs);
    return [...new Set([budget, inForce])].flatMap((limited) => {
      const reached = (counts: Counts) => levelsReached(amountOf(budget.metric, counts), limited.limit);
      const [had, has] = [reached(usage), reached(left[at]?.usage ?? usage)];
      const lost = had.filter((level) => !has.includes(level));
      const gained = isOver && limited === inForce ? has.filter((level) => !had.includes(level)) : [];
      return [
        ...lost.map((level) => ({ budget: limited, interval, level, isLost: true })),
        ...gained.map((level) => ({ budget: limited, interval, level, isLost: false })),
      ];
    });
  });
}

/** The writes that reverse those of the lost levels that have fired, and let the others fire no more. */
async function planFirings(
  ctx: Context,
  levels: readonly MovedLevel[],
  nowMs: number,
  transaction: ClientSession,
): Promise<Write[]> {
  const firedOf = await findFirings(ctx, levels, transaction);
  return levels.flatMap(({ isLost, ...level }) => {
    const { holding, reversals } = firedOf(level);
    if (!isLost)
      return holding ? [] : [insertRow(budgetFiringRows, firingOf(level, reversals, dateAt(nowMs), null))];
    if (holding === null) return [];
    const first = firstKey(level);
    const reversed = { $set: { reversed_at: dateAt(nowMs) } };
    const counted = { $inc: { reversals: 1 } };
    if (holding._id === first)
      return [updateRow(budgetFiringRows, { _id: first }, { ...reversed, ...counted })];
    return [
      updateRow(budgetFiringRows, { _id: holding._id }, reversed),
      updateRow(budgetFiringRows, { _id: first }, counted),
    ];
  });
}
