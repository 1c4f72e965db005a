import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { type Session, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { type Signal, signalRows } from '../../shared/core/calls/signals/model.ts';
import { budgetWindowRows, type Counts } from '../../shared/core/limits/budgets/rules/counted.ts';
import { counterKey } from '../../shared/core/limits/budgets/rules/keys.ts';
import type { Budget } from '../../shared/core/limits/budgets/rules/model.ts';
import { countedFromMs, countedWindowAt, windowAt } from '../../shared/core/limits/budgets/rules/windows.ts';
import { providerOf } from '../../shared/core/pricing/provider-of.ts';
import type { Interval } from '../../shared/platform/basics/interval.ts';
import type { Context } from '../../shared/platform/context/context.ts';

/**
 * The amount that each window of a budget must hold, by a plain scan of the sessions and of the signals that count: start (ms) ->
 * amount.
 */
export async function scan(
  ctx: Context,
  budget: Budget,
  isCounted: (signal: Signal) => boolean = () => true,
): Promise<Map<number, number>> {
  const signals = await signalRows(ctx)
    .find({ org_id: budget.org_id, voided: { $exists: false } })
    .toArray();
  const sessions = await sessionRows(ctx)
    .find({ org_id: budget.org_id, signal_count: { $gt: 0 } })
    .toArray();
  const members = await memberRows(ctx).find({ org_id: budget.org_id }).toArray();
  const teamsOf = new Map(members.map((member) => [member.user_id, member.teams]));
  const isMine = ({ user_id, project_id }: Signal | Session) =>
    ({
      org: true,
      user: user_id === budget.scope_id,
      project: project_id === budget.scope_id,
      team: teamsOf.get(user_id)?.includes(budget.scope_id) === true,
    })[budget.scope];
  const sums = new Map<number, number>();
  const add = (at: Date, amount: number) => {
    const window = countedWindowAt(budget, at.getTime());
    const { startMs } = window;
    if (at.getTime() < countedFromMs(budget, window)) return;
    sums.set(startMs, (sums.get(startMs) ?? 0) + amount);
  };
  if (budget.metric === 'sessions') for (const it of sessions.filter(isMine)) add(it.started_at, 1);
  else
    for (const signal of signals.filter(isMine).filter(isCounted))
      if (meetsFilter(budget, signal)) add(signal.ts, amountOf(budget, signal));
  return sums;
}

/** True where the filter of a budget names a signal. */
export function meetsFilter({ filter }: Budget, signal: Signal): boolean {
  const { models = ['*'], providers, adapters } = filter ?? {};
  const isOf = (pattern: string) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
  return (
    models.some((pattern) => isOf(pattern).test(signal.model ?? 'unknown')) &&
    (providers?.includes(providerOf(signal, signal.ts.getTime())) ?? true) &&
    (adapters?.includes(signal.adapter) ?? true)
  );
}

/** The amount of one signal. */
export function amountOf({ metric }: Budget, signal: Signal): number {
  if (metric === 'cost_usd') return signal.cost_nusd ?? 0;
  if (metric === 'tokens') return signal.tokens_in + signal.tokens_out;
  if (metric === 'signals') return 1;
  if (metric === 'errors') return signal.error ? 1 : 0;
  return metric === 'sessions' ? 0 : signal[metric];
}

/** The amount in a row of counts. */
export function countOf({ metric }: Budget, row: Counts): number {
  const sums = { cost_usd: row.cost_nusd, tokens: row.tokens_in + row.tokens_out };
  return metric in sums ? sums[metric as 'tokens'] : row[metric as 'signals'];
}

/** The amounts in the rows of a budget's windows: start (ms) -> amount; only windows that may still fire. */
async function counted(ctx: Context, budget: Budget, since: Interval): Promise<Map<number, number>> {
  const counter = counterKey(budget);
  const rows = await budgetWindowRows(ctx).find({ org_id: budget.org_id, counter }).toArray();
  const sums = new Map<number, number>();
  for (const row of rows) {
    const startMs = row.window_start.getTime();
    if (startMs >= since.startMs) sums.set(startMs, (sums.get(startMs) ?? 0) + countOf(budget, row));
  }
  return sums;
}

/** Both, without windows that hold nothing. */
export async function compare(ctx: Context, budget: Budget): Promise<{ expected: object; found: object }> {
  const since = windowAt(budget, ctx.clock.now() - 48 * 3_600_000);
  const [expected, found] = [await scan(ctx, budget), await counted(ctx, budget, since)];
  const shown = (sums: Map<number, number>) =>
    Object.fromEntries(
      [...sums]
        .filter(([start, amount]) => start >= since.startMs && amount !== 0)
        .sort(([a], [b]) => a - b)
        .map(([start, amount]) => [new Date(start).toISOString(), amount]),
    );
  return { expected: shown(expected), found: shown(found) };
}
