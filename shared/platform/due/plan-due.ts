import type { ClientSession } from 'mongoose';
import { dateAt } from '../basics/clock.ts';
import type { Plan } from '../context/commit-plan.ts';
import type { Context } from '../context/context.ts';
import { deleteRows, insertRow, updateRow, type Write } from '../mongo/writes.ts';
import type { PlannedWakeUp } from '../queues/job.ts';
import { type DueJob, type DueRow, dueId, dueRows } from './model.ts';

/** Work that becomes due. `details` are further fields of the row, for the worker. */
export interface Due<Details extends object = object> {
  key: string;
  orgId: string;
  /** Epoch milliseconds. */
  dueMs: number;
  details?: Details;
}

/** A plan that makes something due that is not due yet: it fails with a duplicate key when there is a row already. */
export function insertDue<Details extends object>(job: DueJob, due: Due<Details>): Plan {
  const { key, orgId, dueMs, details } = due;
  const row = { _id: dueId(job, key), kind: job.kind, key, org_id: orgId, due_at: dateAt(dueMs), ...details };
  return { writes: [insertRow(dueRows, row)], wakeUps: [wakeDue(job, key, dueMs)] };
}

/** A plan that makes something due, in place of the row that there may be. */
export function setDue<Details extends object>(job: DueJob, due: Due<Details>): Plan {
  const { writes, wakeUps } = insertDue(job, due);
  return { writes: [clearDue(job, due.key), ...writes], wakeUps };
}

export function clearDue(job: DueJob, key: string): Write {
  return deleteRows(dueRows, { _id: dueId(job, key) });
}

/** Raises that fall into one of these share a wake-up. Milliseconds. */
const COALESCE_MS = 250;

/**
 * A plan that makes something due, or leaves it due since when it was. Many may raise the same at once, each in its
 * counter shard; `least` are fields that keep the lowest value. The wake-up comes at the end of a slice of time, so that
 * it sees what was committed in it; a later commit has one of its own.
 */
export function raiseDue(
  job: DueJob,
  { key, orgId, dueMs, shard, least }: Due & { shard?: number; least?: Record<string, Date> },
): Plan {
  const write = updateRow(
    dueRows,
    { _id: dueId(job, key, shard) },
    {
      // An update that changes nothing is no write, and would not conflict with the worker that takes the row away.
      $inc: { touches: 1 },
      ...(least ? { $min: least } : {}),
      $setOnInsert: { kind: job.kind, key, org_id: orgId, due_at: dateAt(dueMs) },
    },
    { upsert: true },
  );
  const wakeMs = (Math.floor(dueMs / COALESCE_MS) + 1) * COALESCE_MS;
  return { writes: [write], wakeUps: [{ ...wakeDue(job, key, wakeMs), isShared: true }] };
}

/** The wake-up of what is due; a due time has one job. The sweep adds it when it is near. */
export function wakeDue(job: DueJob, key: string, dueMs: number): PlannedWakeUp {
  return { job, id: `${key}-${dueMs}`, data: { key }, dueMs, isSwept: true };
}

/** Reads the due row of a kind for a key, or null. */
export async function readDue<Details extends object>(
  ctx: Context,
  job: DueJob,
  key: string,
  transaction?: ClientSession,
): Promise<(DueRow & Details) | null> {
  const row = await dueRows(ctx).findOne(
    { _id: dueId(job, key) },
    transaction ? { session: transaction } : {},
  );
  return row as (DueRow & Details) | null;
}
