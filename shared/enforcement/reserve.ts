import { DomainError } from '../platform/basics/errors.ts';
import { derivedId, hashedKey, newId } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import { untilReplicated } from '../platform/context/until-replicated.ts';
import { reservationKeys } from '../platform/redis/keys.ts';
import { callReservations } from './call-reservations.ts';
import { causeOf, judge, type Verdict, verdictOf } from './judge.ts';
import { standings } from './recall-standing.ts';
import {
  type Caller,
  isReservedIn,
  type OpenBudget,
  openBudgetsOf,
  reservedKey,
  type Standing,
} from './standing.ts';

/** What somebody wants to reserve. */
export interface Wish {
  estimateNusd: number;
  ttlS: number;
  /** Who sent which idempotency key; null without one. */
  key: readonly [sender: string, key: string] | null;
}

/** What a wish came to: a reservation, or why there is none. */
export type Reservation = { id: string; endsMs: number; isRepeat: boolean } | { id: null; verdict: Verdict };

/** Amounts that are too old are read again so often before the wish is given up. */
const ATTEMPTS = 8;
/** The amounts of an attempt are read at most a second before, else the script asks for later ones. */
const FRESH = { isUsageFresh: true, areReservationsFresh: true };

/**
 * Reserves an amount in every hard budget of cost that a call counts in, all or none, in one script call. A hard budget of
 * another metric refuses when its usage has reached its threshold. Throws `store_unavailable` and `rebuilding` when nothing
 * was reserved, `overloaded` when too many are open, `outcome_unknown` when nobody knows, `idempotency_key_reused`.
 */
export async function reserveInBudgets(ctx: Context, caller: Caller, wish: Wish): Promise<Reservation> {
  const { orgId } = caller;
  const recollection = await standings(ctx).recall(orgId);
  let standing = recollection?.isFresh ? recollection.value : await standings(ctx).refresh(orgId);
  for (let attempt = 1; standing !== null && attempt <= ATTEMPTS; attempt += 1) {
    const open = openBudgetsOf(standing, caller, ctx.clock.now());
    if (!open.some(({ budget }) => isReservedIn(budget))) return decideAlone(ctx, orgId, wish, open);
    const decided = await tryToReserve(ctx, standing, open, { caller, wish, isLast: attempt === ATTEMPTS });
    if (decided !== null) return decided;
    standing = await standings(ctx).refresh(orgId);
  }
  throw new DomainError('rebuilding', 'What is spent is being read again. Nothing was reserved; try again.');
}

/** Without a budget that holds amounts there is nothing to keep: the same key gives the same id. */
function decideAlone(
  ctx: Context,
  orgId: string,
  { key, ttlS }: Wish,
  open: readonly OpenBudget[],
): Reservation {
  const verdict = judge(open, null, FRESH);
  if (verdict.refusedBy !== null) return { id: null, verdict };
  const id = key ? derivedId('res', orgId, ...key) : newId('res');
  return { id, endsMs: ctx.clock.now() + ttlS * 1_000, isRepeat: false };
}

/** One call of the script. Null when the amounts of this standing are too old to decide. */
async function tryToReserve(
  ctx: Context,
  { orgId, touches, reserved }: Standing,
  open: readonly OpenBudget[],
  { caller, wish, isLast }: { caller: Caller; wish: Wish; isLast: boolean },
): Promise<Reservation | null> {
  const { estimateNusd, ttlS, key } = wish;
  const hard = open.filter(({ budget }) => budget.enforce === 'hard');
  const rooms = hard.flatMap((open) => [
    isReservedIn(open.budget) ? reservedKey(open) : '',
    open.budget.limit - open.current,
  ]);
  const { code, values } = await callReservations(
    ctx,
    'reserve',
    orgId,
    [
      reserved?.identity ?? '',
      reserved?.redisMs ?? 0,
      touches,
      estimateNusd,
      ttlS * 1_000,
      newId('res'),
      key ? hashedKey(24, estimateNusd, ttlS, caller.userId ?? '', caller.projectId) : '',
      isLast ? 'last' : '',
      ...rooms,
    ],
    key ? hashedKey(24, ...key) : '',
  );
  const [first = '', ends] = values;
  switch (code) {
    case 'reserved':
    case 'replay':
      await untilReplicated(ctx, reservationKeys(orgId).replicated);
      return { id: first, endsMs: Number(ends), isRepeat: code === 'replay' };
    case 'refused':
      return { id: null, verdict: refusalBy(hard[Number(first)], open, estimateNusd) };
    case 'full':
      throw new DomainError(
        'overloaded',
        'The organization has too many open reservations. Settle or release some.',
      );
    case 'reused':
      throw new DomainError(
        'idempotency_key_reused',
        'This Idempotency-Key came with another request before.',
      );
    case 'shut':
    case 'stale':
      return null;
  }
}

/** The verdict where the script found a budget full: that one refuses, also where only reservations of this moment fill it. */
function refusalBy(full: OpenBudget | undefined, open: readonly OpenBudget[], estimateNusd: number): Verdict {
  return verdictOf(
    open.map((one) => {
      const cause = causeOf(one, estimateNusd, FRESH);
      return { ...one, cause: one === full ? (cause ?? 'held') : cause };
    }),
  );
}
