import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type { NewEvent } from '../events/new-event.ts';
import { isDuplicateKey } from '../platform/basics/errors.ts';
import { derivedId } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { recordEvents } from '../webhooks/deliveries/record-events.ts';
import { evaluateBudget, type Verdict, type WindowUsage } from './evaluate.ts';
import { ALL_SLOTS, firingCause, firingKey, gateKey, takenKey, tallyKey } from './keys.ts';
import {
  type BudgetDue,
  type BudgetFiring,
  budgetDueRows,
  budgetEvaluationRows,
  budgetFiringRows,
  budgetRows,
  budgetWindowRows,
} from './model.ts';
import { addTo, noUsage } from './tally-signals.ts';
import { shown, thresholdOf } from './view.ts';
import { wakeEvaluation } from './wake-evaluation.ts';

/**
 * Evaluates every budget of an organization whose usage has changed, and fires what was reached: once per budget,
 * window, level and revision. Its cost depends on the number of budgets, not of signals. Returns how many events
 * it raised; repeating it raises none.
 */
export async function evaluateDue(ctx: Context, orgId: string): Promise<number> {
  const taken = await takeDue(ctx, orgId);
  if (!taken) return 0;
  const fired = await evaluateFrom(ctx, orgId, taken.reach.getTime());
  await recordEvaluation(ctx, orgId);
  await budgetDueRows(ctx).deleteOne({ _id: taken._id, take: taken.take ?? '' });
  return fired;
}

/**
 * Moves what is due to what is being evaluated, where it stays until that has succeeded: signals that come meanwhile
 * make a due of their own, and a worker that dies leaves what it had taken to the sweeper. A second worker takes what
 * the first one has on top of its own, and only the last to take it lets it go.
 */
async function takeDue(ctx: Context, orgId: string): Promise<BudgetDue | null> {
  const taken = takenKey(orgId);
  const ids = [...ALL_SLOTS.map((slot) => gateKey(orgId, slot)), taken];
  const waiting = await budgetDueRows(ctx).findOne({ _id: { $in: ids } });
  if (!waiting) return null;
  return firstToWrite(ctx, async (transaction) => {
    const dues = await budgetDueRows(ctx)
      .find({ _id: { $in: ids } }, { session: transaction })
      .toArray();
    if (dues.length === 0) return null;
    const merged: BudgetDue = {
      _id: taken,
      org_id: orgId,
      due_at: earliest(dues.map((due) => due.due_at)),
      reach: earliest(dues.map((due) => due.reach)),
      take: randomUUID(),
    };
    const found = dues.map(({ _id }) => _id);
    await budgetDueRows(ctx).deleteMany({ _id: { $in: found } }, { session: transaction });
    await budgetDueRows(ctx).insertOne(merged, { session: transaction });
    return merged;
  });
}

function earliest(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

/** One snapshot, one transaction. */
async function evaluateFrom(ctx: Context, orgId: string, reachMs: number): Promise<number> {
  return firstToWrite(ctx, async (transaction) => {
    const verdicts = await readVerdicts(ctx, orgId, reachMs, transaction);
    return fire(ctx, verdicts, transaction);
  });
}

const ATTEMPTS = 5;

/** A transaction that looks again when another worker has written the same row at this moment. */
async function firstToWrite<T>(ctx: Context, work: (transaction: ClientSession) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(ctx.db, work);
    } catch (error) {
      if (!isDuplicateKey(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function readVerdicts(
  ctx: Context,
  orgId: string,
  reachMs: number,
  transaction: ClientSession,
): Promise<Verdict[]> {
  const budgets = await budgetRows(ctx).find({ org_id: orgId }, { session: transaction }).toArray();
  const rows = await budgetWindowRows(ctx)
    .find({ org_id: orgId, window_end: { $gte: new Date(reachMs) } }, { session: transaction })
    .toArray();
  const windows = new Map<string, Map<number, WindowUsage>>();
  for (const row of rows) {
    const startMs = row.window_start.getTime();
    const ofTally = windows.get(row.tally) ?? new Map<number, WindowUsage>();
    windows.set(row.tally, ofTally);
    const period = { startMs, endMs: row.window_end.getTime() };
    const window = ofTally.get(startMs) ?? { period, usage: noUsage() };
    ofTally.set(startMs, window);
    addTo(window.usage, row);
  }
  const nowMs = ctx.clock.now();
  return budgets.flatMap((budget) =>
    evaluateBudget(budget, [...(windows.get(tallyKey(budget))?.values() ?? [])], nowMs),
  );
}

/** Writes the levels that have not fired yet, each with its event. */
async function fire(ctx: Context, verdicts: readonly Verdict[], transaction: ClientSession): Promise<number> {
  const keyOf = ({ budget, period, level }: Verdict) => firingKey(budget, period.startMs, level);
  const known = await budgetFiringRows(ctx)
    .find({ _id: { $in: verdicts.map(keyOf) } }, { session: transaction })
    .toArray();
  const firedAt = new Map(known.map((firing) => [firing._id, firing.fired_at.getTime()]));
  const firings: BudgetFiring[] = [];
  const events: NewEvent[] = [];
  for (const verdict of verdicts) {
    if (firedAt.has(keyOf(verdict))) continue;
    const warnedMs = firedAt.get(keyOf({ ...verdict, level: 'warning' })) ?? 0;
    // Another worker's clock may be ahead: exceeded is never earlier than its warning.
    const at = new Date(Math.max(ctx.clock.now(), warnedMs));
    const event = eventOf(verdict, at);
    events.push(event);
    firings.push(firingOf(verdict, at, eventIdOf(event)));
  }
  if (firings.length === 0) return 0;
  await budgetFiringRows(ctx).insertMany(firings, { session: transaction });
  await recordEvents(ctx, events, transaction);
  return events.length;
}

function firingOf({ budget, period, level }: Verdict, at: Date, eventId: string): BudgetFiring {
  return {
    _id: firingKey(budget, period.startMs, level),
    org_id: budget.org_id,
    budget_id: budget._id,
    revision: budget.revision,
    level,
    window_start: new Date(period.startMs),
    window_end: new Date(period.endMs),
    event_id: eventId,
    fired_at: at,
  };
}

/** The payloads of interface 6.2, field by field. */
function eventOf({ budget, period, level, current }: Verdict, ts: Date): NewEvent {
  const { _id, name, scope, scope_id, metric, window, org_id } = budget;
  const cause = firingCause(budget, period.startMs, level);
  const amounts = { threshold: thresholdOf(budget), current: shown(metric, current) };
  const who = { scope, scope_id };
  const named = { budget_id: _id, budget_name: name };
  if (level === 'exceeded') {
    const data = { ...named, ...who, ...amounts, window, metric };
    return { type: 'budget.exceeded', cause, org_id, ts, data };
  }
  const event: NewEvent = { type: 'budget.warning', cause, org_id, ts, data: {} };
  return { ...event, data: { ...named, ...amounts, ...who, event_id: eventIdOf(event) } };
}

/** The envelope's id, as `recordEvents` derives it. */
function eventIdOf({ type, cause }: NewEvent): string {
  return derivedId('evt', type, ...cause);
}

async function recordEvaluation(ctx: Context, orgId: string): Promise<void> {
  await budgetEvaluationRows(ctx).updateOne(
    { _id: orgId },
    { $max: { evaluated_at: new Date(ctx.clock.now()) } },
    { upsert: true },
  );
}

/** How long usage may wait for an evaluation before the sweeper takes its wake-up for lost. */
const GRACE_MS = 2_000;
const SWEEP_LIMIT = 1_000;

/** Wakes every organization whose usage waits: its job was lost with Redis, or its worker died. */
export async function sweepDueBudgets(ctx: Context): Promise<number> {
  const dues = await budgetDueRows(ctx)
    .find({ due_at: { $lte: new Date(ctx.clock.now() - GRACE_MS) } }, { projection: { org_id: 1 } })
    .sort({ due_at: 1 })
    .limit(SWEEP_LIMIT)
    .toArray();
  const organizations = new Set(dues.map((due) => due.org_id));
  for (const orgId of organizations) wakeEvaluation(ctx, orgId);
  return organizations.size;
}
