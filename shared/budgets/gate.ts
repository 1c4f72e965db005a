import { randomInt } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import { ALL_SLOTS, gateKey, SLOTS } from './keys.ts';
import { budgetDueRows, budgetGateRows } from './model.ts';

/**
 * Under snapshot isolation two transactions that only read what the other writes both commit. A budget counts what
 * the rollups hold and signals count into what budgets there are, so each would miss the other. Here both write: the
 * signals' transaction the gate of one slot, a change of budgets the gates of all slots. One of two that overlap meets
 * a write conflict and runs again, on a snapshot that holds the other.
 */

/** The slot of this process: its transactions follow each other, and mostly meet no other process there. */
let ownSlot = randomInt(SLOTS);

export function currentSlot(): number {
  return ownSlot;
}

/** After a conflict, which may have been another process in the same slot. */
export function moveToOtherSlot(): void {
  ownSlot = randomInt(SLOTS);
}

/** The slot that a transaction writes in, and the version of the budgets that hold in its snapshot. */
interface Passage {
  slot: number;
  version: number;
}

/**
 * Takes one slot for a transaction that records signals; late in it, so that it holds the slot for a short time and a
 * change of budgets, which needs all of them, gets through.
 */
export async function passGate(ctx: Context, orgId: string, transaction: ClientSession): Promise<Passage> {
  const slot = currentSlot();
  const gate = await budgetGateRows(ctx).findOneAndUpdate(
    { _id: gateKey(orgId, slot) },
    { $inc: { touches: 1 }, $setOnInsert: { org_id: orgId } },
    { upsert: true, returnDocument: 'after', session: transaction },
  );
  return { slot, version: gate?.version ?? 0 };
}

/** Says that usage waits to be evaluated, in windows that end at `reachMs` or later. */
export async function markDue(
  ctx: Context,
  orgId: string,
  slot: number,
  reachMs: number,
  transaction: ClientSession,
): Promise<void> {
  await budgetDueRows(ctx).updateOne(
    { _id: gateKey(orgId, slot) },
    {
      $min: { reach: new Date(reachMs) },
      // An update that changes nothing is no write, and would not conflict with the worker that takes the row away.
      $inc: { marks: 1 },
      $setOnInsert: { org_id: orgId, due_at: new Date(ctx.clock.now()) },
    },
    { upsert: true, session: transaction },
  );
}

/** Holds every slot for a change of budgets or teams, and makes the organization's open windows due. */
export async function holdAllGates(ctx: Context, orgId: string, transaction: ClientSession): Promise<void> {
  await budgetGateRows(ctx).bulkWrite(
    ALL_SLOTS.map((slot) => ({
      updateOne: {
        filter: { _id: gateKey(orgId, slot) },
        update: { $inc: { version: 1, touches: 1 }, $setOnInsert: { org_id: orgId } },
        upsert: true,
      },
    })),
    { session: transaction },
  );
  await markDue(ctx, orgId, 0, ctx.clock.now(), transaction);
}
