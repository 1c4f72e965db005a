import { DomainError } from '../../../../platform/basics/errors.ts';
import { derivedId, hashedKey, newId } from '../../../../platform/basics/ids.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { untilReplicated } from '../../../../platform/context/send-script.ts';
import { reservationKeys } from '../../../../platform/redis/keys.ts';
import type { Expected } from '../check/estimate.ts';
import { type JudgedBudget, judge, judgeOne, type Verdict, verdictOf } from '../check/judge.ts';
import { unpricedIn } from '../check/priced.ts';
import {
  type BudgetStatus,
  type Caller,
  isOfNobody,
  isReservedIn,
  nameOfUser,
  type OpenBudget,
  openBudgetsOf,
  reservedKeysOf,
} from '../state/budget-status.ts';
import { statusCache } from '../state/cached-status.ts';
import { callReservations } from '../state/call-reservations.ts';
import { noteFullShare, shareOf } from './shares.ts';

export interface ReservationRequest {
  /** Nano-USD; 0 for a call that costs nothing; null if the caller named no cost, and nobody knows it. */
  estimateNusd: number | null;
  ttlS: number;
  /** The API key that asks, and whether it is bound to the caller's user. */
  by: { keyId: string; isBound: boolean };
  /** True: a call without a user is refused where a template would count it for its user. */
  needsUser?: boolean;
  /** The idempotency key; null without one. */
  key: RepeatKey | null;
}

/** The key by which a repeat is known, and the size as it was sent: an estimate may change with the prices, a request does not. */
interface RepeatKey {
  sender: string;
  key: string;
  sent: Expected;
}

type SizedRequest = ReservationRequest & { estimateNusd: number };

/** The answer to a request: a reservation, or the verdict that refuses it. */
export type Reservation = { id: string; endsMs: number; isRepeat: boolean } | { id: null; verdict: Verdict };

/** How often amounts that are too old are read again before the request fails. */
const ATTEMPTS = 8;
/** The amounts of an attempt are read at most a second before, else the script asks for later ones. */
const FRESH = { isUsageFresh: true, areReservationsFresh: true, unpricedModel: null };

/**
 * Reserves an amount in every hard budget of cost that a call counts in, all or none, in one script call. A hard budget of
 * another metric refuses when its usage has reached its threshold. Throws `store_unavailable` and `rebuilding` when nothing
 * was reserved, `overloaded` when too many are open, `outcome_unknown` when nobody knows, `idempotency_key_reused`, and
 * `invalid_request` for a call without the user or the estimate that it needs.
 */
export async function reserveInBudgets(
  ctx: Context,
  caller: Caller,
  request: ReservationRequest,
): Promise<Reservation> {
  const { orgId } = caller;
  const { estimateNusd } = request;
  const cached = await statusCache(ctx).get(orgId);
  let status = cached?.isFresh ? cached.value : await statusCache(ctx).refresh(orgId);
  for (let attempt = 1; status !== null && attempt <= ATTEMPTS; attempt += 1) {
    // One that may count the call decides: too careful, never too late.
    const careful = { ...caller, countsUnnamed: true };
    if (request.needsUser && isOfNobody(status, careful, ctx.clock.now())) throw userNeeded();
    const open = openBudgetsOf(status, careful, ctx.clock.now());
    const by = { prices: status.rules.prices, nowMs: ctx.clock.now() };
    const unpriced = unpricedIn(open, caller, by);
    if (unpriced.unpricedModel !== null)
      return { id: null, verdict: judge(open, estimateNusd, { ...FRESH, ...unpriced }) };
    if (estimateNusd === null) throw estimateNeeded();
    const sized = { ...request, estimateNusd };
    if (estimateNusd === 0 || !open.some(({ budget }) => isReservedIn(budget)))
      return decideAlone(ctx, orgId, sized, open);
    const isLast = attempt === ATTEMPTS;
    const decided = await tryToReserve(ctx, status, open, { caller, request: sized, isLast });
    if (decided !== null) return decided;
    status = await statusCache(ctx).refresh(orgId);
  }
  throw new DomainError('rebuilding', 'Spent amounts are being read again. Nothing was reserved; try again.');
}

function estimateNeeded(): DomainError {
  return new DomainError(
    'invalid_request',
    'Name estimate_usd, or the model with tokens_in and tokens_out: neither the list nor a price rule has a price for these tokens.',
  );
}

function userNeeded(): DomainError {
  const detail = 'is needed, because a budget of this organization counts each user apart';
  return new DomainError('invalid_request', `The call must name its user: X-Governor-User ${detail}.`, {
    errors: [{ parameter: 'X-Governor-User', detail }],
  });
}

/** A free call, or one without a budget that holds amounts, leaves nothing to keep: the same key gives the same id. */
function decideAlone(
  ctx: Context,
  orgId: string,
  { key, ttlS, estimateNusd }: SizedRequest,
  open: readonly OpenBudget[],
): Reservation {
  const verdict = judge(open, estimateNusd, FRESH);
  if (verdict.refusedBy !== null) return { id: null, verdict };
  const id = key ? derivedId('res', orgId, key.sender, key.key) : newId('res');
  return { id, endsMs: ctx.clock.now() + ttlS * 1_000, isRepeat: false };
}

/** One call of the script. Null when the amounts of this status are too old to decide. */
async function tryToReserve(
  ctx: Context,
  { orgId, touches, reserved }: BudgetStatus,
  open: readonly OpenBudget[],
  { caller, request, isLast }: { caller: Caller; request: SizedRequest; isLast: boolean },
): Promise<Reservation | null> {
  const { estimateNusd, ttlS, by, key } = request;
  const hard = open.filter(({ budget }) => budget.enforce === 'hard');
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
      key ? fingerprintOf(key.sent, ttlS, caller) : '',
      isLast ? 'last' : '',
      by.keyId,
      nameOfUser(orgId, caller.userId),
      by.isBound ? 'bound' : '',
      ...hard.flatMap((each) => roomsOf(each, by)),
    ],
    key ? hashedKey(24, key.sender, key.key) : '',
  );
  const [first = '', ends] = values;
  switch (code) {
    case 'reserved':
    case 'replay':
      await untilReplicated(ctx, reservationKeys(orgId).replicated);
      return { id: first, endsMs: Number(ends), isRepeat: code === 'replay' };
    case 'refused':
      return { id: null, verdict: refuse(ctx, { caller, request, open }, refusalsOf(hard, values)) };
    case 'full':
      throw new DomainError(
        'overloaded',
        'The organization has too many open reservations. Settle or release some.',
      );
    case 'crowded':
      throw new DomainError(
        'overloaded',
        'This user has too many open reservations. Settle or release some.',
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

/** The fingerprint of a request, which its repeat has too. */
function fingerprintOf(sent: Expected, ttlS: number, caller: Caller): string {
  const { estimate_usd = '', tokens_in = '', tokens_out = '' } = sent;
  const size = [estimate_usd, tokens_in, tokens_out];
  return hashedKey(24, ...size, ttlS, caller.userId ?? '', caller.projectId, ...namesOf(caller));
}

/** The names in a call, which decide about budgets with a filter. */
function namesOf({ call }: Caller): string[] {
  const { model = '', provider = '', adapter = '' } = call ?? {};
  return [model, provider, adapter];
}

/** The arguments of the script for a budget: its keys, its room, and how much of that this user may hold. */
function roomsOf(open: OpenBudget, { isBound }: ReservationRequest['by']): readonly (string | number)[] {
  const room = open.budget.limit - open.current;
  if (!isReservedIn(open.budget)) return ['', '', '', room, ''];
  const { own, beside, also } = reservedKeysOf(open.budget);
  return [own, beside, also, room, (isBound ? shareOf(open) : null) ?? ''];
}

/** The budgets that the script refused by. Those whose share is full come with what the user holds, the others with null. */
type Refusals = ReadonlyMap<OpenBudget, number | null>;

function refusalsOf(hard: readonly OpenBudget[], pairs: readonly string[]): Refusals {
  const refusals = new Map<OpenBudget, number | null>();
  for (let index = 0; index < pairs.length; index += 2) {
    const full = hard[Number(pairs[index])];
    const held = pairs[index + 1];
    if (full) refusals.set(full, held ? Number(held) : null);
  }
  return refusals;
}

/** The verdict of a refusal, also where only reservations of this moment fill a budget. Full shares are recorded. */
function refuse(
  ctx: Context,
  { caller, request, open }: { caller: Caller; request: SizedRequest; open: readonly OpenBudget[] },
  refusals: Refusals,
): Verdict {
  const { orgId, userId } = caller;
  const judged = open.map((one): JudgedBudget => {
    const heldNusd = refusals.get(one);
    if (heldNusd === undefined) return { ...one, cause: null };
    if (heldNusd === null || userId === null)
      return { ...one, cause: judgeOne(one, request.estimateNusd, FRESH).cause ?? 'held' };
    noteFullShare(ctx, { orgId, budgetId: one.budget._id, userId, keyId: request.by.keyId, heldNusd });
    return { ...one, cause: 'share' };
  });
  return verdictOf(judged);
}
