import { gauge } from '../../../platform/basics/metrics.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { periodStarts } from './calendar.ts';
import { rollupRows } from './model.ts';

const labelNames = ['org', 'model', 'adapter'] as const;

const costGauge = gauge({
  name: 'governor_usage_cost_usd',
  help: "Cost of the organization's day so far, priced signals only.",
  labelNames,
});
const tokensGauge = gauge({
  name: 'governor_usage_tokens',
  help: "Tokens of the organization's day so far; input includes what was cached.",
  labelNames: [...labelNames, 'direction'] as const,
});
const sessionsGauge = gauge({
  name: 'governor_usage_sessions',
  help: "Sessions that began in the organization's day so far.",
  labelNames,
});
const unpricedGauge = gauge({
  name: 'governor_usage_unpriced_signals',
  help: "Signals of the organization's day so far whose cost is not known.",
  labelNames,
});

/** Pairs of model and adapter that have gauges, per organization: signals may name a million models per day. */
const MOST_PAIRS = 100;

const SUMS = ['signals', 'cost_nusd', 'tokens_in', 'tokens_out', 'sessions', 'unpriced_signals'] as const;
type DaySums = Record<(typeof SUMS)[number], number> & { _id: { model: string; adapter: string } };

/**
 * Gauges of each organization's day so far, from its rollups, without users. Each day begins at 0. The models and adapters
 * with the fewest signals are shown together, as `other`.
 */
export async function readUsageGauges(
  ctx: Context,
  organizations: readonly Pick<Organization, '_id' | 'timezones'>[],
): Promise<void> {
  const nowMs = ctx.clock.now();
  const read: { orgId: string; rows: DaySums[] }[] = [];
  for (const organization of organizations) {
    const start = new Date(periodStarts(organization, nowMs).day);
    read.push({ orgId: organization._id, rows: await sumDay(ctx, organization._id, start) });
  }
  for (const each of [costGauge, tokensGauge, sessionsGauge, unpricedGauge]) each(ctx).reset();
  for (const { orgId, rows } of read) for (const row of rows) show(ctx, orgId, row);
}

async function sumDay(ctx: Context, orgId: string, start: Date): Promise<DaySums[]> {
  const _id = { model: '$model', adapter: '$adapter' };
  const pairs = rollupRows(ctx).aggregate<DaySums>(
    [
      { $match: { org_id: orgId, period: 'day', start } },
      { $group: { _id, ...Object.fromEntries(SUMS.map((name) => [name, { $sum: `$${name}` }])) } },
      { $sort: { signals: -1 } },
    ],
    { batchSize: 1_000 },
  );
  const rows: DaySums[] = [];
  for await (const pair of pairs) {
    const rest = rows[MOST_PAIRS];
    if (rest) for (const name of SUMS) rest[name] += pair[name];
    else rows.push(rows.length < MOST_PAIRS ? pair : { ...pair, _id: { model: 'other', adapter: 'other' } });
  }
  return rows;
}

function show(ctx: Context, orgId: string, row: DaySums): void {
  const labels = { org: orgId, ...row._id };
  costGauge(ctx).set(labels, row.cost_nusd / 1e9);
  tokensGauge(ctx).set({ ...labels, direction: 'in' }, row.tokens_in);
  tokensGauge(ctx).set({ ...labels, direction: 'out' }, row.tokens_out);
  sessionsGauge(ctx).set(labels, row.sessions);
  unpricedGauge(ctx).set(labels, row.unpriced_signals);
}
