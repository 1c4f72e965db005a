import type { ClientSession } from 'mongoose';
import type { Context } from '../context.ts';
import { isDuplicateKey } from '../errors.ts';
import { type NewEvent, recordEvents } from '../events/record-events.ts';
import { derivedId } from '../ids.ts';
import { inTransaction, raw } from '../mongo.ts';
import { evaluateBudget, type Verdict, type WindowUsage } from './evaluate.ts';
import { ALL_SLOTS, firingCause, firingKey, gateKey, tallyKey } from './keys.ts';
import type { BudgetFiring, BudgetGate } from './model.ts';
import { addTo, noUsage } from './tally-signals.ts';
import { shown, thresholdOf } from './view.ts';
import { wakeEvaluation } from './wake-evaluation.ts';

/**
 * Evaluates every budget of an organization whose usage has changed, and fires what was reached: once per budget,
 * window, level and revision. Its cost depends on the number of budgets, not of signals. Returns how many events
 * it raised; repeating it raises none.
 */
export async function evaluateDue(ctx: Context, orgId: string): Promise<number> {
  const gates = await takeDueGates(ctx, orgId);
  if (gates.length === 0) return 0;
  const reachMs = Math.min(...gates.map((gate) => gate.taken_reach?.getTime() ?? 0));
  const fired = await evaluateFrom(ctx, orgId, reachMs);
  await recordEvaluation(ctx, orgId);
  for (const gate of gates) await releaseUnlessTaken(ctx, gate);
  return fired;
}

/**
 * Moves what is due to what is being evaluated, where it stays until that has succeeded: signals that come meanwhile
 * make the gate due again, and a worker that dies leaves what it had taken to the sweeper.
 */
async function takeDueGates(ctx: Context, orgId: string): Promise<BudgetGate[]> {
  const ids = ALL_SLOTS.map((slot) => gateKey(orgId, slot));
  const due = (await readGates(ctx, ids)).filter((gate) => gate.due_at ?? gate.taken_at);
  if (due.length === 0) return [];
  for (const { _id } of due) {
    await raw(ctx.db.budgetGates).updateOne({ _id }, [
      {
        $set: {
          takes: { $add: [{ $ifNull: ['$takes', 0] }, 1] },
          taken_at: { $ifNull: ['$taken_at', '$due_at'] },
          taken_reach: { $min: ['$taken_reach', '$due_reach'] },
          due_at: '$$REMOVE',
          due_reach: '$$REMOVE',
        },
      },
    ]);
  }
  return readGates(
    ctx,
    due.map(({ _id }) => _id),
  );
}

async function readGates(ctx: Context, ids: readonly string[]): Promise<BudgetGate[]> {
  return raw(ctx.db.budgetGates)
    .find({ _id: { $in: ids } })
    .toArray();
}

const ATTEMPTS = 3;

/** One snapshot, one transaction. When another worker fires the same at this moment, looks again. */
async function evaluateFrom(ctx: Context, orgId: string, reachMs: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(ctx.db, async (transaction) => {
        const verdicts = await readVerdicts(ctx, orgId, reachMs, transaction);
        return fire(ctx, verdicts, transaction);
      });
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
  const budgets = await ctx.db.budgets.find({ org_id: orgId }).session(transaction).lean();
  const rows = await raw(ctx.db.budgetWindows)
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
  const known = await raw(ctx.db.budgetFirings)
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
  await raw(ctx.db.budgetFirings).insertMany(firings, { session: transaction });
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
  await raw(ctx.db.budgetEvaluations).updateOne(
    { _id: orgId },
    { $max: { evaluated_at: new Date(ctx.clock.now()) } },
    { upsert: true },
  );
}

/** Compare-and-set: what another worker has taken on top since is for that one to release. */
async function releaseUnlessTaken(ctx: Context, gate: BudgetGate): Promise<void> {
  const unless = (field: 'taken_at' | 'taken_reach') => ({
    $cond: [{ $eq: ['$takes', gate.takes] }, '$$REMOVE', `$${field}`],
  });
  await raw(ctx.db.budgetGates).updateOne({ _id: gate._id }, [
    { $set: { taken_at: unless('taken_at'), taken_reach: unless('taken_reach') } },
  ]);
}

/** How long usage may wait for an evaluation before the sweeper takes its wake-up for lost. */
const GRACE_MS = 2_000;
const SWEEP_LIMIT = 1_000;

/** Wakes every organization whose usage waits: its job was lost with Redis, or its worker died. */
export async function sweepDueBudgets(ctx: Context): Promise<number> {
  const overdue = { $lte: new Date(ctx.clock.now() - GRACE_MS) };
  const gates = [
    ...(await ctx.db.budgetGates.find({ due_at: overdue }, { org_id: 1 }).limit(SWEEP_LIMIT).lean()),
    ...(await ctx.db.budgetGates.find({ taken_at: overdue }, { org_id: 1 }).limit(SWEEP_LIMIT).lean()),
  ];
  const organizations = new Set(gates.map((gate) => gate.org_id));
  for (const orgId of organizations) wakeEvaluation(ctx, orgId);
  return organizations.size;
}
