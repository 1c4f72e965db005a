import type { ClientSession } from 'mongoose';
import type { Context } from '../../../../platform/context/context.ts';
import { daysBefore } from '../../../../platform/mongo/retention.ts';
import { signalRows } from '../../signals/model.ts';
import type { Match } from '../cells.ts';
import type { Compared } from './explain.ts';

/** Calls that are read one by one for the split by session: half a second on the embedded store, before other work. */
const MOST_CALLS = 100_000;

/** The two periods of a comparison: `[edges[0], edges[1])` and `[edges[1], edges[2])`, epoch ms. */
export type Edges = readonly [number, number, number];

export interface AskedSessions {
  orgId: string;
  edges: Edges;
  match: Match;
  /** The number of signals in both periods. */
  signals: number;
  /** The sessions that moved most are shown, and those that moved most in the direction of the whole. */
  shown: { most: number; inDirection: number; isUp: boolean };
}

/**
 * The costs of sessions by their calls in each period: those that moved most, and those that moved most in the direction of the
 * whole. A session counts with its calls in a period, so they are read one by one. Null where there are too many of them, or
 * where some are no longer kept.
 */
export async function sumSessions(
  ctx: Context,
  { orgId, edges, match, signals, shown }: AskedSessions,
  transaction: ClientSession,
): Promise<Compared[] | null> {
  const [fromMs, middleMs, toMs] = edges;
  const keptSince = daysBefore(ctx.clock.now(), ctx.config.signalRetentionDays);
  if (signals > MOST_CALLS || fromMs < keptSince.getTime()) return null;
  const within = { $gte: new Date(fromMs), $lt: new Date(toMs) };
  const cost = { $toLong: { $ifNull: ['$cost_nusd', 0] } };
  const isNow = { $gte: ['$ts', new Date(middleMs)] };
  const difference = { $subtract: ['$now', '$before'] };
  const page = (value: object, limit: number) => [
    { $set: { value } },
    { $sort: { value: -1 as const, _id: 1 as const } },
    { $limit: limit },
  ];
  const stages = [
    { $match: { org_id: orgId, ts: within, voided: null, ...modelMatch(match) } },
    {
      $group: {
        _id: '$session_id',
        now: { $sum: { $cond: [isNow, cost, 0] } },
        before: { $sum: { $cond: [isNow, 0, cost] } },
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
  const compared = rows.map(({ _id, now, before }): [string, Compared] => [
    _id,
    { key: _id, nowNusd: BigInt(now), beforeNusd: BigInt(before) },
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
