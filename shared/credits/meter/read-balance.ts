import { memberRows } from '../../organizations/model.ts';
import { readOrganization } from '../../organizations/read-organization.ts';
import type { Context } from '../../platform/context/context.ts';
import { shardOf } from '../../platform/redis/keys.ts';
import { type Anchor, creditAccountRows } from '../model.ts';
import { type AccountState, decodeAnchor, decodeState, type Lot, sumLots } from './account-state.ts';
import { callMeter, meterScript, notInRedis } from './call-meter.ts';
import { monthAt } from './month.ts';
import { plansOf } from './plans.ts';
import { creditNow } from './redis-time.ts';

const script = meterScript('read-account');

/** An account as it lies in Redis. */
export interface AccountRecord {
  plan: string;
  anchor: string;
  state: AccountState;
}

/** The record of an account, or null when there is none. Throws `rebuilding`, `store_unavailable`. */
export async function readAccount(ctx: Context, accountId: string): Promise<AccountRecord | null> {
  const { values } = await callMeter(ctx, { script, accountId, args: [], codes: ['ok', 'missing'] });
  const [plan, anchor, ...fields] = values;
  const state = decodeState(fields);
  return state && plan && anchor ? { plan, anchor, state } : null;
}

/**
 * What an account has now. A period that is over counts as full again, though nothing has written it yet. Of a member
 * without an account it is what the plan gives. An account that was made and is not in Redis is a lost one, never a new one:
 * `rebuilding`.
 */
export async function readBalances(ctx: Context, accountId: string) {
  const held = await readHeld(ctx, accountId);
  if (held) return held;
  if (await creditAccountRows(ctx).findOne({ _id: accountId }, { projection: { _id: 1 } }))
    throw notInRedis();
  const member = await memberRows(ctx).findOne({ _id: accountId });
  return balancesOfPlan(ctx, member ? (await readOrganization(ctx, member.org_id)).plan : '');
}

/** What an account that is in Redis has now, or null. */
export async function readHeld(ctx: Context, accountId: string) {
  const record = await readAccount(ctx, accountId);
  if (!record) return null;
  const nowMs = await creditNow(ctx, shardOf(accountId));
  return balancesAt(ctx, { ...record, anchor: decodeAnchor(record.anchor) }, nowMs);
}

/** What a member has before the account is made: what the plan gives. */
export function balancesOfPlan(ctx: Context, plan: string) {
  return balancesAt(ctx, { plan, anchor: null, state: { window: null, month: null, lots: [] } }, 0);
}

interface Held {
  plan: string;
  /** Null before the account is made: its months begin then. */
  anchor: Anchor | null;
  state: Pick<AccountState, 'window' | 'month' | 'lots'>;
}

/** Of who is no member. */
const NO_CREDITS = { window_credits: 0, monthly_credits: 0 };

function balancesAt(ctx: Context, { plan: name, anchor, state }: Held, nowMs: number) {
  const plan = Object.entries(plansOf(ctx)).find(([known]) => known === name)?.[1];
  const { window_credits: windowCredits, monthly_credits: monthlyCredits } = plan ?? NO_CREDITS;
  const { window, month } = state;
  const windowRuns = window !== null && nowMs < window.endMs;
  const monthRuns = month !== null && nowMs < month.endMs;
  const windowEndMs = windowRuns ? window.endMs : null;
  const monthEndMs = monthRuns ? month.endMs : anchor && monthAt(anchor, nowMs).endMs;
  const live = state.lots.filter((lot) => lot.expiresMs === 0 || lot.expiresMs > nowMs);
  const balances = {
    window: {
      credits: windowRuns ? window.left : windowCredits,
      resets_at: resetAt(windowCredits, windowEndMs),
    },
    monthly: {
      credits: monthRuns ? month.left : monthlyCredits,
      resets_at: resetAt(monthlyCredits, monthEndMs),
    },
    paid: viewLots(live, 'paid'),
    granted: viewLots(live, 'granted'),
  };
  const total = Object.values(balances).reduce((sum, { credits }) => sum + credits, 0);
  return { balances, total };
}

/** Unix seconds; null where nothing comes again. */
function resetAt(credits: number, endMs: number | null): number | null {
  return credits === 0 || endMs === null ? null : Math.ceil(endMs / 1_000);
}

function viewLots(live: readonly Lot[], bucket: Lot['bucket']) {
  const lots = live
    .filter((lot) => lot.bucket === bucket)
    .map((lot) => ({
      credits: lot.left,
      expires_at: lot.expiresMs === 0 ? null : Math.floor(lot.expiresMs / 1_000),
    }));
  return { credits: sumLots(live, bucket), lots };
}
