import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { accountKeys, shardOf } from '../platform/redis/keys.ts';
import { loadScript } from '../platform/redis/script.ts';
import { callMeter } from './call-meter.ts';
import { type AccountState, sumLots } from './fold.ts';
import { monthAt } from './periods.ts';
import { creditNow } from './redis-time.ts';
import { decodeAnchor, decodeState } from './state.ts';

const script = loadScript(new URL('state.lua', import.meta.url), new URL('read.lua', import.meta.url));

export interface AccountRecord {
  plan: string;
  anchor: string;
  state: AccountState;
}

/** An account as it lies in Redis, or null: there is none. Throws `rebuilding`, `store_unavailable`. */
export async function readAccount(ctx: Context, accountId: string): Promise<AccountRecord | null> {
  const { gate, account } = accountKeys(accountId);
  const [code, plan, anchor, ...fields] = (await callMeter(ctx, script, [gate, account], [])) as (
    | string
    | null
  )[];
  if (code === 'gate')
    throw new DomainError('rebuilding', 'Credits are being checked against the ledger. Try again.');
  const state = decodeState(fields);
  return state && plan && anchor ? { plan, anchor, state } : null;
}

/** What an account has now: a period that is over counts as full again, though nothing has written it yet. */
export async function readBalances(ctx: Context, accountId: string) {
  const record = await readAccount(ctx, accountId);
  const nowMs = await creditNow(ctx, shardOf(accountId));
  return balancesAt(ctx, record, nowMs);
}

function balancesAt(ctx: Context, record: AccountRecord | null, nowMs: number) {
  if (!record) return noBalances();
  const plan = Object.entries(ctx.plans).find(([name]) => name === record.plan)?.[1];
  const { window, month, lots } = record.state;
  const windowRuns = window !== null && nowMs < window.endMs;
  const monthRuns = month !== null && nowMs < month.endMs;
  const monthEndMs = monthRuns ? month.endMs : monthAt(decodeAnchor(record.anchor), nowMs).endMs;
  const live = lots.filter((lot) => lot.expiresMs === 0 || lot.expiresMs > nowMs);
  const lotsOf = (bucket: 'paid' | 'granted') => ({
    credits: sumLots(live, bucket),
    lots: live
      .filter((lot) => lot.bucket === bucket)
      .map((lot) => ({
        credits: lot.left,
        expires_at: lot.expiresMs === 0 ? null : Math.floor(lot.expiresMs / 1_000),
      })),
  });
  const balances = {
    window: {
      credits: windowRuns ? window.left : (plan?.window_credits ?? 0),
      resets_at: windowRuns ? Math.ceil(window.endMs / 1_000) : null,
    },
    monthly: {
      credits: monthRuns ? month.left : (plan?.monthly_credits ?? 0),
      resets_at: Math.ceil(monthEndMs / 1_000),
    },
    paid: lotsOf('paid'),
    granted: lotsOf('granted'),
  };
  const total = Object.values(balances).reduce((sum, { credits }) => sum + credits, 0);
  return { balances, total };
}

/** Of a member who has linked no device yet. */
function noBalances() {
  const none = { credits: 0, resets_at: null };
  const noLots = { credits: 0, lots: [] };
  return { balances: { window: none, monthly: none, paid: noLots, granted: noLots }, total: 0 };
}
