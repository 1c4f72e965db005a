import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { type Decision, joinPlans } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { secondShard } from '../../../platform/mongo/counter-shards.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { auditWrite, currentActor } from '../../accounts/audit/record-audit.ts';
import { wingsOf } from '../../hooks/wing.ts';
import { commitByRules, type Rules } from '../../limits/budgets/rules/rules.ts';
import { type Session, sessionRows } from '../sessions/model.ts';
import { withoutSignals } from '../sessions/without-signals.ts';
import { type Signal, signalKey, signalRows } from '../signals/model.ts';
import { signalsVoided } from './metrics.ts';
import { planRecount } from './plan-recount.ts';

/** Signals of one session, by their own ids, and why they are wrong. */
export interface Voiding {
  sessionId: string;
  signalIds: readonly string[];
  reason: string;
}

/** The session without its voided signals, and the ids that this call has voided, and that were voided before. */
export interface Voided {
  session: Session;
  voided: string[];
  already: string[];
}

/**
 * Voids signals of a session: the exact reverse of recording them, in one transaction. From then on nothing counts them, and
 * their ids stay taken. Repeating it changes nothing. Throws `not_found` for another organization's session, `invalid_request`
 * for ids that are not in the session, and `conflict` for signals that are too old; then it voids none.
 */
export async function voidSignals(ctx: Context, orgId: string, voiding: Voiding): Promise<Voided> {
  const result = await commitByRules(ctx, orgId, { shardOf: secondShard }, ({ rules, shard }, transaction) =>
    decideVoid(ctx, rules, voiding, shard, transaction),
  );
  signalsVoided(ctx).inc(result.voided.length);
  return result;
}

async function decideVoid(
  ctx: Context,
  rules: Rules,
  { sessionId, signalIds, reason }: Voiding,
  shard: number,
  transaction: ClientSession,
): Promise<Decision<Voided>> {
  const org_id = rules.organization._id;
  const session = await sessionRows(ctx).findOne({ _id: sessionId, org_id }, { session: transaction });
  if (!session) throw new DomainError('not_found', 'There is no such session.');
  const named = await findNamed(ctx, session, signalIds, transaction);
  const fresh = named.filter(({ voided }) => !voided);
  refuseOld(fresh, signalIds, ctx.clock.now());
  const idsOf = (signals: readonly Signal[]) => signals.map(({ id }) => id);
  const already = idsOf(named.filter(({ voided }) => voided));
  if (fresh.length === 0) return { result: { session, voided: [], already } };
  const after = await withoutSignals(ctx, session, fresh, transaction);
  const plan = await planVoid(ctx, rules, { fresh, before: session, after, reason, shard }, transaction);
  return { ...plan, result: { session: after, voided: idsOf(fresh), already } };
}

/** The signals of a session that have these ids, in their order. Throws `invalid_request` when one is missing. */
async function findNamed(
  ctx: Context,
  session: Session,
  ids: readonly string[],
  transaction: ClientSession,
): Promise<Signal[]> {
  const keys = ids.map((id) => signalKey(session.org_id, session.adapter, id));
  const rows = await findByIds(signalRows(ctx), keys, transaction);
  const own = new Map(
    rows.filter(({ session_id }) => session_id === session._id).map((row) => [row._id, row]),
  );
  const isUnknown = (_: string, index: number) => !own.has(keys[index] ?? '');
  refuse('invalid_request', ids, isUnknown, 'is no signal of this session');
  return keys.flatMap((key) => own.get(key) ?? []);
}

function refuseOld(signals: readonly Signal[], ids: readonly string[], nowMs: number): void {
  const isOld = ({ ts }: Signal) => ts.getTime() < nowMs - SIGNAL_AGE_MS.behind;
  const old = new Set(signals.filter(isOld).map(({ id }) => id));
  refuse('conflict', ids, (id) => old.has(id), 'is more than 35 days old');
}

/** Throws when any id is to be refused, and names all of them. */
function refuse(
  code: 'invalid_request' | 'conflict',
  ids: readonly string[],
  isRefused: (id: string, index: number) => boolean,
  detail: string,
): void {
  const errors = ids.flatMap((id, index) =>
    isRefused(id, index) ? [{ pointer: `/signal_ids/${index}`, detail: `${id}: ${detail}` }] : [],
  );
  if (errors.length === 0) return;
  const named = errors.map((error) => error.detail).join('; ');
  throw new DomainError(code, `Nothing was voided. ${named}.`, code === 'invalid_request' ? { errors } : {});
}

interface Change {
  fresh: readonly Signal[];
  before: Session;
  after: Session;
  reason: string;
  shard: number;
}

async function planVoid(
  ctx: Context,
  rules: Rules,
  { fresh, before, after, reason, shard }: Change,
  transaction: ClientSession,
) {
  const org_id = rules.organization._id;
  const nowMs = ctx.clock.now();
  const isEmptied = after.signal_count === 0;
  const sessionSinceMs = isEmptied ? await countedSinceMs(ctx, before, transaction) : nowMs;
  if (isEmptied) after.emptied_at = dateAt(nowMs);
  const recounted = { before: fresh, after: [], sessions: [{ before, after }], sessionSinceMs };
  const recount = await planRecount(ctx, rules, recounted, shard, transaction);
  const voided = { at: dateAt(nowMs), by: currentActor() ?? ctx.actor, reason };
  const sum = (amountOf: (signal: Signal) => number) =>
    fresh.reduce((total, signal) => total + amountOf(signal), 0);
  const details = {
    session_id: before._id,
    signal_ids: fresh.map(({ id }) => id),
    tokens: sum(({ tokens_in, tokens_out }) => tokens_in + tokens_out),
    cost_usd: sum(({ cost_nusd }) => cost_nusd ?? 0) / 1e9,
    reason,
  };
  const wings: Write[] = [];
  for (const { calls } of wingsOf(ctx))
    wings.push(...((await calls?.voided?.(ctx, { session: before, signals: fresh }, transaction)) ?? []));
  const writes = [
    ...fresh.map(({ _id }) => updateRow(signalRows, { _id, org_id }, { $set: { voided } })),
    ...wings,
    auditWrite(ctx, { action: 'signals.void', org_id, details }),
  ];
  return joinPlans({ writes }, recount);
}

/** Since when a session counts, epoch ms: when its first signal was received since it was last without any. */
async function countedSinceMs(
  ctx: Context,
  { _id: session_id, org_id, emptied_at = dateAt(0) }: Session,
  transaction: ClientSession,
): Promise<number> {
  const [first] = await signalRows(ctx)
    .aggregate<{ at: Date }>(
      [
        { $match: { session_id, org_id, received_at: { $gt: emptied_at } } },
        { $group: { _id: null, at: { $min: '$received_at' } } },
      ],
      { session: transaction },
    )
    .toArray();
  return (first?.at ?? emptied_at).getTime();
}
