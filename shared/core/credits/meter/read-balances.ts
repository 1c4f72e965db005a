import type { Context } from '../../../platform/context/context.ts';
import { shardOf } from '../../../platform/redis/keys.ts';
import { memberRows } from '../../accounts/organizations/model.ts';
import { readOrganization } from '../../accounts/organizations/read-organization.ts';
import { type Anchor, type CreditAccount, creditAccountRows } from '../model.ts';
import { readAccount } from './account-record.ts';
import { type AccountState, type Lot, sumLots } from './account-state.ts';
import { decodeAnchor, monthAt } from './anchor.ts';
import { notInRedis } from './call-meter.ts';
import { plansOf } from './plans.ts';
import { creditNow } from './redis-time.ts';
import { allAccounts, workOnAccounts } from './work-on-accounts.ts';

/**
 * The balances of an account now. A period that is over counts as full again, though nothing has written it yet. A member
 * without an account has the credits of the plan. An account that was made and is not in Redis is a lost one, never a new
 * one: `rebuilding`.
 */
export async function readBalances(ctx: Context, accountId: string) {
  const held = await readHeld(ctx, accountId);
  if (held) return held;
  if (await creditAccountRows(ctx).findOne({ _id: accountId }, { projection: { _id: 1 } }))
    throw notInRedis();
  const member = await memberRows(ctx).findOne({ _id: accountId });
  return balancesOfPlan(ctx, member ? (await readOrganization(ctx, member.org_id)).plan : '');
}

/** So many accounts are asked for at once: more would only wait in the same connection. */
const AT_ONCE = 100;

const UNKNOWN = { balances: null, total: null };

/**
 * The balances of each present member of an organization, by user id, as `readBalances` returns them. They are null for an
 * account that Redis has lost, or whose shard is not open or does not answer. Throws why when that is every account.
 */
export async function readAllBalances(ctx: Context, orgId: string) {
  const rows = await memberRows(ctx).find({ org_id: orgId }).sort({ user_id: 1 }).toArray();
  const accounts = await Array.fromAsync(allAccounts(ctx, { org_id: orgId }));
  const known = new Map<string, Awaited<ReturnType<typeof readHeld>>>(accounts.map(({ _id }) => [_id, null]));
  const read = async ({ _id }: CreditAccount) => known.set(_id, await readHeld(ctx, _id));
  const skipped = await workOnAccounts(accounts, AT_ONCE, read);
  if (skipped.accounts > 0 && skipped.accounts === accounts.length) throw skipped.why;
  const { plan } = await readOrganization(ctx, orgId);
  return rows
    .filter((member) => member.removed_at === null)
    .map(({ _id, user_id }) => ({
      user_id,
      ...(known.has(_id) ? (known.get(_id) ?? UNKNOWN) : balancesOfPlan(ctx, plan)),
    }));
}

async function readHeld(ctx: Context, accountId: string) {
  const record = await readAccount(ctx, accountId);
  if (!record) return null;
  const nowMs = await creditNow(ctx, shardOf(accountId));
  return balancesAt(ctx, { ...record, anchor: decodeAnchor(record.anchor) }, nowMs);
}

/** The balances of a member whose account is not made yet: the credits of the plan. */
function balancesOfPlan(ctx: Context, plan: string) {
  return balancesAt(ctx, { plan, anchor: null, state: { window: null, month: null, lots: [] } }, 0);
}

interface Held {
  plan: string;
  /** Null before the account is made: its months begin then. */
  anchor: Anchor | null;
  state: Pick<AccountState, 'window' | 'month' | 'lots'>;
}

/** The credits of a user who is not a member. */
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
