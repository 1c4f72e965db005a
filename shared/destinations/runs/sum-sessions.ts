import { type DayTotals, hashOf } from '../../closing/read-usage.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import type { Context } from '../../platform/context/context.ts';
import { matchingSessions } from '../../sessions/match-sessions.ts';
import { sessionRows } from '../../sessions/model.ts';

const sum = (field: string) => ({ $sum: `$${field}` });
const SESSION_SUMS = {
  sessions: { $sum: 1 },
  open: { $sum: { $cond: [{ $eq: ['$state', 'open'] }, 1, 0] } },
  signals: sum('signal_count'),
  errors: sum('error_count'),
  interventions: sum('intervention_count'),
  unpriced: sum('unpriced_signals'),
  tokens_in: sum('tokens_in'),
  tokens_out: sum('tokens_out'),
  cost: { $sum: { $toLong: '$cost_nusd' } },
  last: { $max: '$last_activity_at' },
  ended: { $max: '$ended_at' },
};

/** Sums over the sessions that started on a UTC day. */
export async function sumSessions(ctx: Context, orgId: string, fromMs: number): Promise<DayTotals> {
  const started_at = { $gte: dateAt(fromMs), $lt: dateAt(fromMs + DAY_MS) };
  const stages = [...matchingSessions(orgId, {}, { started_at }), { $group: { _id: null, ...SESSION_SUMS } }];
  const [sums] = await sessionRows(ctx).aggregate(stages, { useBigInt64: true }).toArray();
  const { _id, ...totals } = sums ?? { _id: null, cost: 0 };
  return { hash: hashOf(totals), costNusd: BigInt(totals.cost), isEmpty: sums === undefined };
}
