import type { ClientSession, mongo } from 'mongoose';
import { memberRows } from '../organizations/model.ts';
import type { Context } from '../platform/context/context.ts';

import type { Session } from '../sessions/model.ts';
import type { CountedSignal } from '../usage/plan-rollups.ts';
import { markDue, passGate } from './gate.ts';
import { windowKey } from './keys.ts';
import { type BudgetWindow, budgetRows, budgetWindowRows, TALLIED } from './model.ts';
import { type BudgetSet, makeBudgetSet, tallySignals, type WindowChange } from './tally-signals.ts';

/**
 * Adds signals to the windows of every matching budget, in their own transaction. True when something was added, so
 * that an evaluation must be woken. An organization without budgets costs one write.
 */
export async function addToBudgetWindows(
  ctx: Context,
  orgId: string,
  signals: readonly CountedSignal[],
  sessions: readonly { before: Session | null; after: Session }[],
  transaction: ClientSession,
): Promise<boolean> {
  const { slot, version } = await passGate(ctx, orgId, transaction);
  const set = await budgetSetAt(ctx, orgId, version, transaction);
  if (set.budgets.length === 0) return false;
  const changes = tallySignals(set, signals, sessions, ctx.clock.now());
  if (changes.length === 0) return false;
  await budgetWindowRows(ctx).bulkWrite(
    changes.map((change) => incrementOf(orgId, change, slot)),
    { session: transaction, ordered: false },
  );
  const reachMs = Math.min(...changes.map(({ period }) => period.endMs));
  await markDue(ctx, orgId, slot, reachMs, transaction);
  return true;
}

function incrementOf(
  orgId: string,
  { tally, period, usage }: WindowChange,
  slot: number,
): mongo.AnyBulkWriteOperation<BudgetWindow> {
  return {
    updateOne: {
      filter: { _id: windowKey(orgId, tally, period.startMs, slot) },
      update: {
        $inc: Object.fromEntries(TALLIED.map((measure) => [measure, usage[measure]])),
        $setOnInsert: {
          org_id: orgId,
          tally,
          window_start: new Date(period.startMs),
          window_end: new Date(period.endMs),
        },
      },
      upsert: true,
    },
  };
}

const KEPT_SETS = 10_000;
const setsByContext = new WeakMap<Context['db'], Map<string, { version: number; set: BudgetSet }>>();

/** The budgets of an organization as of the transaction's snapshot; read again only when their version has changed. */
async function budgetSetAt(
  ctx: Context,
  orgId: string,
  version: number,
  transaction: ClientSession,
): Promise<BudgetSet> {
  const sets = setsByContext.get(ctx.db) ?? new Map<string, { version: number; set: BudgetSet }>();
  setsByContext.set(ctx.db, sets);
  const known = sets.get(orgId);
  if (known?.version === version) return known.set;
  const set = await readBudgetSet(ctx, orgId, transaction);
  if (sets.size >= KEPT_SETS) sets.clear();
  sets.set(orgId, { version, set });
  return set;
}

/** The budgets of an organization, with the teams of its members when a budget asks for them. */
export async function readBudgetSet(
  ctx: Context,
  orgId: string,
  transaction: ClientSession,
): Promise<BudgetSet> {
  const budgets = await budgetRows(ctx).find({ org_id: orgId }, { session: transaction }).toArray();
  if (!budgets.some(({ scope }) => scope === 'team')) return makeBudgetSet(budgets, new Map());
  const members = await memberRows(ctx)
    .find({ org_id: orgId }, { projection: { user_id: 1, teams: 1 }, session: transaction })
    .toArray();
  return makeBudgetSet(budgets, new Map(members.map(({ user_id, teams }) => [user_id, teams])));
}
