import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { daysBefore } from '../../../../platform/mongo/retention.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { signalRows } from '../../signals/model.ts';
import type { Match } from '../cells.ts';
import { exactParts } from '../range.ts';
import { sumRollups } from '../sum-rollups.ts';
import type { Compared } from './explain.ts';

/** Calls that are read one by one for the split by session: half a second on the embedded store, before other work. */
const MOST_CALLS = 100_000;

/** `[fromMs, toMs)`, epoch ms. */
export interface Period {
  fromMs: number;
  toMs: number;
}

export interface AskedSessions {
  now: Period;
  before: Period;
  match: Match;
  /** The sessions that moved most are shown, and those that moved most in the direction of the whole. */
  shown: { most: number; inDirection: number; isUp: boolean };
}

/**
 * The costs of sessions by their calls in each period: those that moved most, and those that moved most in the direction of the
 * whole. A session counts with its calls in a period, so the calls of both are read one by one. Null where there are too many of
 * them, or where some are no longer kept.
 */
export async function sumSessions(
  ctx: Context,
  organization: Organization,
  { now, before, match, shown }: AskedSessions,
  transaction: ClientSession,
): Promise<Compared[] | null> {
  const keptSince = daysBefore(ctx.clock.now(), ctx.config.signalRetentionDays);
  if (before.fromMs < keptSince.getTime()) return null;
  const edges = [before.fromMs, now.toMs];
  const parts = exactParts(organization, edges, ctx.clock.now());
  const [all] = await sumRollups(ctx, organization, { parts, match, columns: [] }, transaction);
  if ((all?.sums.signals ?? 0) > MOST_CALLS) return null;
  const within = { $gte: dateAt(before.fromMs), $lt: dateAt(now.toMs) };
  const cost = { $toLong: { $ifNull: ['$cost_nusd', 0] } };
  const isNow = { $gte: ['$ts', dateAt(now.fromMs)] };
  const isBefore = { $lt: ['$ts', dateAt(before.toMs)] };
  const difference = { $subtract: ['$now', '$before'] };
  const page = (value: object, limit: number) => [
    { $set: { value } },
    { $sort: { value: -1 as const, _id: 1 as const } },
    { $limit: limit },
  ];
  const stages = [
    { $match: { org_id: organization._id, ts: within, voided: null, ...modelMatch(match) } },
    {
      $group: {
        _id: '$session_id',
        now: { $sum: { $cond: [isNow, cost, 0] } },
        before: { $sum: { $cond: [isBefore, cost, 0] } },
      },
    },
    { $match: { $or: [{ now: { $ne: 0 } }, { before: { $ne: 0 } }] } },
    {
      $facet: {
        most: page({ $abs: difference }, shown.most),
        inDirection: page(shown.isUp ? difference : { $subtract: ['$before', '$now'] }, shown.inDirection),
      },
    },
  ];
  const [found] = await signalRows(ctx)
    .aggregate<Record<'most' | 'inDirection', SessionCost[]>>(stages, {
      session: transaction,
      useBigInt64: true,
    })
    .toArray();
  const rows = [...(found?.most ?? []), ...(found?.inDirection ?? [])];
  const compared = rows.map((row): [string, Compared] => [
    row._id,
    { key: row._id, nowNusd: BigInt(row.now), beforeNusd: BigInt(row.before) },
  ]);
  return [...new Map(compared).values()];
}

interface SessionCost {
  _id: string;
  now: bigint | number;
  before: bigint | number;
}

/** Calls without a model count under `unknown`. */
function modelMatch({ model, ...match }: Match): object {
  if (model === undefined) return match;
  return { ...match, model: model === 'unknown' ? { $in: [null, 'unknown'] } : model };
}
