import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import { CLOSED_WINDOW_FIRES_MS } from '../platform/basics/contract.ts';
import { NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { ALL_COUNTER_SHARDS } from '../platform/mongo/counter-shards.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';
import type { SessionChange } from '../sessions/plan-sessions.ts';
import type { CountedSignal } from '../usage/plan-rollups.ts';
import { amountOf, levelsReached, mayFire } from './evaluate.ts';
import { findFirings, firstKey, type Level } from './find-firings.ts';
import { inForceIn } from './in-force.ts';
import { personWindowKey, windowKey } from './keys.ts';
import { addCounts, budgetEvaluationRows, budgetFiringRows, type Counts } from './model.ts';
import { budgetOfPerson } from './people.ts';
import { countWindows, incrementsOf, type WindowChange } from './plan-windows.ts';
import { type CountedWindow, findPersonWindows, readWindows } from './read-windows.ts';
import type { RuledBudget, Rules } from './rules.ts';

/** Signals of a session that are voided, and the session as it becomes. */
export interface Voided {
  signals: readonly CountedSignal[];
  session: SessionChange;
  /** When the session's first signal was received, epoch ms. */
  sessionSinceMs: number;
}

/**
 * The plan that takes voided signals out of the windows that count them, and reverses the levels that these windows no longer
 * reach. It conflicts with an evaluation that fires one of them meanwhile. It belongs in the transaction that voids.
 */
export async function planVoidedWindows(
  ctx: Context,
  rules: Rules,
  voided: Voided,
  shard: number,
  transaction: ClientSession,
): Promise<Plan> {
  const orgId = rules.organization._id;
  const nowMs = ctx.clock.now();
  const byCounter = Map.groupBy(rules.budgets, ({ counter }) => counter);
  const counted = countVoided(rules, byCounter, voided, nowMs);
  if (counted.length === 0) return NO_PLAN;
  const windows = await readChanged(ctx, orgId, counted, transaction);
  // A counter that began after a window had ended never had the window.
  const changes = counted.filter((change) => mayFire(change.interval, nowMs) || windows.has(nameOf(change)));
  const lost = changes.flatMap((change) =>
    levelsLost(byCounter.get(change.counter) ?? [], change, windows.get(nameOf(change)), nowMs),
  );
  const conflict = updateRow(
    budgetEvaluationRows,
    { _id: orgId },
    { $inc: { touches: 1 }, $setOnInsert: { evaluated_at: dateAt(0) } },
    { upsert: true },
  );
  const reversals = await planReversals(ctx, lost, nowMs, transaction);
  const decrements = incrementsOf(orgId, changes, shard);
  return { writes: [...decrements, conflict, ...reversals], wakeUps: [] };
}

/** The amounts to take away, by counter and window: of each signal, those windows that have counted it. */
function countVoided(
  rules: Rules,
  byCounter: ReadonlyMap<string, readonly RuledBudget[]>,
  { signals, session, sessionSinceMs }: Voided,
  nowMs: number,
): WindowChange[] {
  const merged = new Map<string, WindowChange>();
  const add = (changes: readonly WindowChange[], receivedMs: number) => {
    for (const change of changes) {
      if (!hasCounted(change, byCounter.get(change.counter) ?? [], receivedMs, nowMs)) continue;
      const known = merged.get(nameOf(change));
      if (known) addCounts(known.usage, change.usage);
      else merged.set(nameOf(change), change);
    }
  };
  for (const signal of signals)
    add(countWindows(rules, { signals: [signal], sessions: [], sign: -1 }), signal.received_at.getTime());
  add(countWindows(rules, { signals: [], sessions: [session] }), sessionSinceMs);
  return [...merged.values()];
}

/**
 * Returns true when a window has counted what was received at a moment. One that may still fire has counted all that is in its
 * scope now. An older one took nothing that came after its last firing, and it kept the members that a team had when the team's
 * budgets were last counted.
 */
function hasCounted(
  { interval }: WindowChange,
  budgets: readonly RuledBudget[],
  receivedMs: number,
  nowMs: number,
): boolean {
  if (mayFire(interval, nowMs)) return true;
  const openUntilMs = interval.endMs + CLOSED_WINDOW_FIRES_MS;
  if (receivedMs >= openUntilMs) return false;
  const ofTeam = budgets.filter(({ budget }) => budget.scope === 'team');
  const recountedMs = Math.max(0, ...ofTeam.map(({ budget }) => budget.counted_at.getTime()));
  return receivedMs >= recountedMs || openUntilMs > recountedMs;
}

function nameOf({ counter, interval, person }: Omit<WindowChange, 'usage'>): string {
  return `${counter} ${interval.startMs} ${person}`;
}

async function readChanged(
  ctx: Context,
  orgId: string,
  changes: readonly WindowChange[],
  transaction: ClientSession,
): Promise<Map<string, CountedWindow>> {
  const ids = changes.flatMap(({ counter, interval, person }) =>
    person === null
      ? ALL_COUNTER_SHARDS.map((shard) => windowKey(orgId, counter, interval.startMs, shard))
      : [],
  );
  const names = changes.flatMap(({ counter, interval, person }) =>
    person === null ? [] : [personWindowKey(orgId, counter, interval.startMs, person)],
  );
  const windows = await readWindows(ctx, { _id: { $in: ids }, org_id: orgId }, transaction);
  windows.push(...(await findPersonWindows(ctx, orgId, names, transaction)));
  return new Map(windows.map((window) => [nameOf(window), window]));
}

/** The levels of these budgets that a window reached, and no longer does. Pure. */
function levelsLost(
  budgets: readonly RuledBudget[],
  { interval, person, usage }: WindowChange,
  window: CountedWindow | undefined,
  nowMs: number,
): Level[] {
  if (!window) return [];
  const left: Counts = { ...window.usage };
  addCounts(left, usage);
  const own = budgets.flatMap((ruled) =>
    person === null ? ruled.budget : (budgetOfPerson(ruled, person) ?? []),
  );
  // A level may have fired by the threshold alone, and once more by a raised one.
  const limits = own.flatMap((budget) => [...new Set([budget, inForceIn(budget, interval, nowMs)])]);
  return limits.flatMap((budget) => {
    const reached = (counts: Counts) => levelsReached(amountOf(budget.metric, counts), budget.limit);
    const still = reached(left);
    const lost = reached(window.usage).filter((level) => !still.includes(level));
    return lost.map((level) => ({ budget, interval, level }));
  });
}

/** The writes that reverse those of these levels that have fired. */
async function planReversals(
  ctx: Context,
  levels: readonly Level[],
  nowMs: number,
  transaction: ClientSession,
): Promise<Write[]> {
  const firedOf = await findFirings(ctx, levels, transaction);
  return levels.flatMap((level) => {
    const { holding } = firedOf(level);
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
