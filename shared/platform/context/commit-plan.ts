import type { ClientSession } from 'mongoose';
import { inTransaction, type TransactionOptions } from '../mongo/transaction.ts';
import { applyWrites, type Write } from '../mongo/writes.ts';
import { channelOf, isLeftToSweep, type PlannedWakeUp } from '../queues/job.ts';
import type { Context } from './context.ts';
import { boundedCache } from './per-context.ts';

/** A change as data: its writes, and the wake-ups that are added once they are committed. */
export interface Plan {
  readonly writes: readonly Write[];
  readonly wakeUps: readonly PlannedWakeUp[];
}

/** The result of a change, with its plan; without one nothing changes. */
export interface Decision<Result> extends Partial<Plan> {
  readonly result: Result;
}

/** The plan that changes nothing. */
export const NO_PLAN: Plan = { writes: [], wakeUps: [] };

export function joinPlans(...plans: readonly Partial<Plan>[]): Plan {
  return {
    writes: plans.flatMap(({ writes = [] }) => writes),
    wakeUps: plans.flatMap(({ wakeUps = [] }) => wakeUps),
  };
}

/**
 * Runs one change as one transaction. `decide` reads in the transaction and returns a plan, which is written and committed;
 * then its wake-ups are added. A conflict runs `decide` again from its start.
 */
export async function commitPlan<Result>(
  ctx: Context,
  decide: (transaction: ClientSession) => Promise<Decision<Result>>,
  options: TransactionOptions = {},
): Promise<Result> {
  const decision = await inTransaction(
    ctx.db,
    async (transaction) => {
      const decided = await decide(transaction);
      await applyWrites(ctx, decided.writes ?? [], transaction);
      return decided;
    },
    options,
  );
  wakeAll(ctx, decision.wakeUps ?? []);
  return decision.result;
}

/** Adds wake-ups, all of a queue at once, and never fails: the sweeper finds what is lost here. */
export function wakeAll(ctx: Context, wakeUps: readonly PlannedWakeUp[]): void {
  const nowMs = ctx.clock.now();
  for (const { job, publish } of wakeUps)
    if (publish !== undefined)
      ctx.redis.queues.publish(channelOf(ctx.queues, job), publish).catch(() => undefined);
  const near = wakeUps.filter(
    (wakeUp) => !(wakeUp.isSwept && isLeftToSweep(wakeUp.dueMs, nowMs)) && !isWaiting(ctx, wakeUp, nowMs),
  );
  for (const [job, together] of Map.groupBy(near, ({ job }) => job))
    ctx.queues.wake(
      job,
      together.map(({ id, data, dueMs }) => ({ id, job: data, delayMs: dueMs - nowMs })),
    );
}

const addedWakeUps = boundedCache<string, true>({ max: 10_000 });
/** A worker whose clock is ahead may have had a wake-up so long before its time. Milliseconds. */
const CLOCKS_APART_MS = 50;

/** Returns true for a shared wake-up that this process has added and whose time is still to come: it sees this commit too. */
function isWaiting(ctx: Context, { job, id, dueMs, isShared }: PlannedWakeUp, nowMs: number): boolean {
  if (!isShared || dueMs - nowMs < CLOCKS_APART_MS) return false;
  const name = `${job.kind} ${id}`;
  if (addedWakeUps(ctx).get(name)) return true;
  addedWakeUps(ctx).set(name, true);
  return false;
}
