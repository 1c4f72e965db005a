import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import type { Interval } from '../../../../platform/basics/interval.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { signalRows } from '../../../calls/signals/model.ts';
import type { Cause } from '../../../events/record/new-event.ts';
import { rollupMatcher, type TeamsOf } from '../count/count-windows.ts';
import { noCounts } from '../rules/counted.ts';
import { amountOf } from '../rules/evaluate.ts';
import { scopeKey, scopesOf } from '../rules/keys.ts';
import type { Budget } from '../rules/model.ts';

/** A budget with its usage in a window, in the unit of its limit. */
export interface Used {
  budget: Budget;
  interval: Interval;
  current: number;
}

/** Calls of the whole organization in a window that are read for its causes: a tenth of a second on the embedded store. */
const MOST_CALLS = 10_000;
/** Windows that one evaluation reads calls of. */
const MOST_WINDOWS = 3;

interface Calls {
  _id: {
    session: string;
    user: string;
    project: string;
    adapter: string;
    model: string | null;
    provider: string | null;
    tool: string | null;
  };
  calls: number;
  cost_nusd: number;
  tokens_in: number;
  tokens_out: number;
  errors: number;
}

/**
 * Finds, of each budget in a window, the session or else the person with at least half of its usage. None stands out in a window in
 * which the organization has made very many calls, since they are read one by one, nor of a budget that counts sessions.
 */
export async function findCauses(
  ctx: Context,
  used: readonly Used[],
  teamsOf: TeamsOf,
  transaction: ClientSession,
): Promise<ReadonlyMap<Used, Cause>> {
  const causes = new Map<Used, Cause>();
  const countable = used.filter(({ budget }) => budget.metric !== 'sessions');
  const byWindow = Map.groupBy(countable, ({ interval }) => `${interval.startMs} ${interval.endMs}`);
  for (const own of [...byWindow.values()].slice(0, MOST_WINDOWS)) {
    const [first] = own;
    const calls = first ? await readCalls(ctx, first, transaction) : [];
    const byScope = arrange(calls, first?.budget.org_id ?? '', teamsOf);
    for (const each of own) {
      const cause = causeOf(each, byScope.get(scopeKey(each.budget)) ?? []);
      if (cause) causes.set(each, cause);
    }
  }
  return causes;
}

async function readCalls(
  ctx: Context,
  { budget: { org_id }, interval: { startMs, endMs } }: Used,
  transaction: ClientSession,
): Promise<Calls[]> {
  const within = { org_id, ts: { $gte: dateAt(startMs), $lt: dateAt(endMs) } };
  const options = { session: transaction };
  const count = await signalRows(ctx).countDocuments(within, { ...options, limit: MOST_CALLS + 1 });
  if (count > MOST_CALLS) return [];
  const alike = {
    session: '$session_id',
    user: '$user_id',
    project: '$project_id',
    adapter: '$adapter',
    model: '$model',
    provider: { $ifNull: ['$price_provider', null] },
    tool: { $ifNull: ['$tool_name', null] },
  };
  return signalRows(ctx)
    .aggregate<Calls>(
      [
        { $match: { ...within, voided: null, type: 'call' } },
        {
          $group: {
            _id: alike,
            calls: { $sum: 1 },
            cost_nusd: { $sum: { $ifNull: ['$cost_nusd', 0] } },
            tokens_in: { $sum: '$tokens_in' },
            tokens_out: { $sum: '$tokens_out' },
            errors: { $sum: { $cond: [{ $gt: ['$error', null] }, 1, 0] } },
          },
        },
      ],
      options,
    )
    .toArray();
}

/** The calls by the scopes that they count in (`scopeKey`). */
function arrange(calls: readonly Calls[], orgId: string, teamsOf: TeamsOf): ReadonlyMap<string, Calls[]> {
  const byScope = new Map<string, Calls[]>();
  for (const each of calls)
    for (const scope of scopesOf(teamsOf, { orgId, userId: each._id.user, projectId: each._id.project })) {
      const own = byScope.get(scope) ?? [];
      own.push(each);
      byScope.set(scope, own);
    }
  return byScope;
}

/** The session, or else the person, with at least half of what a budget has counted, given the calls of its scope. Pure. */
function causeOf(used: Used, inScope: readonly Calls[]): Cause | null {
  const matches = rollupMatcher(used.budget);
  const own = inScope.filter(({ _id }) => {
    const row = { model: _id.model ?? 'unknown', provider: _id.provider ?? '', adapter: _id.adapter };
    return matches === null || matches(row, used.interval.startMs);
  });
  const amountIn = (calls: readonly Calls[]) => calls.reduce((sum, each) => sum + amountBy(used, each), 0);
  const isMost = (calls: readonly Calls[]) => {
    const amount = amountIn(calls);
    return 2 * amount >= used.current && amount <= used.current && amount > 0;
  };
  const shareOf = (calls: readonly Calls[]) => Math.floor((amountIn(calls) / used.current) * 100);
  const bySession = [...Map.groupBy(own, ({ _id }) => _id.session).values()];
  const session = bySession.filter(isMost).toSorted((a, b) => amountIn(b) - amountIn(a))[0];
  const user = session?.[0]?._id.user;
  if (session && user !== undefined)
    return { share_pct: shareOf(session), user_id: user, session: sayCalls(session) };
  if (used.budget.scope === 'user') return null;
  const byPerson = [...Map.groupBy(own, ({ _id }) => _id.user)].filter(([, calls]) => isMost(calls));
  const [person] = byPerson.toSorted(([, a], [, b]) => amountIn(b) - amountIn(a));
  return person ? { share_pct: shareOf(person[1]), user_id: person[0] } : null;
}

function amountBy({ budget }: Used, { calls, ...counts }: Calls): number {
  return amountOf(budget.metric, { ...noCounts(), ...counts, signals: calls });
}

/** The calls of a session, and the tool of at least half of them. */
function sayCalls(session: readonly Calls[]): NonNullable<Cause['session']> {
  const count = (calls: readonly Calls[]) => calls.reduce((sum, each) => sum + each.calls, 0);
  const calls = count(session);
  const byTool = Map.groupBy(session, ({ _id }) => _id.tool);
  for (const [tool, own] of byTool)
    if (tool !== null && 2 * count(own) >= calls) return { calls: count(own), tool };
  return { calls };
}
