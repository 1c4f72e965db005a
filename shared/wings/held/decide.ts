import type { ClientSession } from 'mongoose';
import { z } from 'zod';
import { auditWrite, currentActor } from '../../core/accounts/audit/record-audit.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../platform/basics/contract.ts';
import { commitPlan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { findByIds } from '../../platform/mongo/find-by-ids.ts';
import { updateRow, type Write } from '../../platform/mongo/writes.ts';
import { type HeldSignal, heldRows } from './model.ts';

/** The outcome of a decision about one held signal. */
export const decisionView = z.strictObject({
  id: z.string(),
  status: z
    .enum(['released', 'discarded', 'expired', 'not_found'])
    .describe('As it was decided first. `expired`: it is too old to be recorded'),
  session_id: z.string().optional().describe('The session of a released signal'),
});
export type Decided = z.output<typeof decisionView>;

/** The held signals that a transaction sees of those that are named: all, and in order those that can still be decided about. */
export interface Named {
  rows: ReadonlyMap<string, HeldSignal>;
  pending: readonly HeldSignal[];
}

/** Reads held signals of an organization. */
export async function findNamed(
  ctx: Context,
  orgId: string,
  ids: readonly string[],
  transaction: ClientSession,
): Promise<Named> {
  const found = await findByIds(heldRows(ctx), ids, transaction);
  const own = found.filter(({ org_id }) => org_id === orgId);
  const rows = new Map(own.map((row) => [row._id, row]));
  const named = ids.flatMap((id) => rows.get(id) ?? []);
  const pending = named.filter((row) => row.state === 'held' && !hasExpired(row, ctx.clock.now()));
  return { rows, pending };
}

function hasExpired({ ts }: HeldSignal, nowMs: number): boolean {
  return ts.getTime() < nowMs - SIGNAL_AGE_MS.behind;
}

/** The write of a decision. It conflicts with another one at the same time. */
export function planDecision(
  ctx: Context,
  { _id, org_id }: HeldSignal,
  decision: Pick<HeldSignal, 'state' | 'session_id'>,
): Write {
  const decided = { decided_at: dateAt(ctx.clock.now()), decided_by: currentActor() ?? ctx.actor };
  return updateRow(heldRows, { _id, org_id }, { $set: { ...decision, ...decided } });
}

/** The outcome for each id, in order; `now` are the rows that this decision has changed. */
export function outcomesOf(
  ids: readonly string[],
  { rows }: Named,
  now: ReadonlyMap<string, Decided>,
): Decided[] {
  return ids.map((id) => {
    const row = rows.get(id);
    if (!row) return { id, status: 'not_found' };
    const decided = now.get(id);
    if (decided) return decided;
    if (row.state === 'held') return { id, status: 'expired' };
    return { id, status: row.state, ...(row.session_id === null ? {} : { session_id: row.session_id }) };
  });
}

/** Discards held signals for good, and returns the outcome for each id. Repeating it changes nothing. */
export async function discardHeld(ctx: Context, orgId: string, ids: readonly string[]): Promise<Decided[]> {
  return commitPlan(ctx, async (transaction) => {
    const named = await findNamed(ctx, orgId, ids, transaction);
    const discarded = named.pending.map((row) =>
      planDecision(ctx, row, { state: 'discarded', session_id: null }),
    );
    const now = new Map(
      named.pending.map(({ _id }): [string, Decided] => [_id, { id: _id, status: 'discarded' }]),
    );
    const details = { held_ids: [...now.keys()] };
    const audit = auditWrite(ctx, { action: 'signals.discard', org_id: orgId, details });
    const writes = discarded.length === 0 ? [] : [...discarded, audit];
    return { writes, result: outcomesOf(ids, named, now) };
  });
}
