import type { Organization } from '../organizations/model.ts';
import { gauge } from '../platform/basics/metrics.ts';
import type { Context } from '../platform/context/context.ts';
import { rollupRows } from './model.ts';
import { periodStarts } from './periods.ts';

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

interface DaySums {
  _id: { model: string; adapter: string };
  cost_nusd: number;
  tokens_in: number;
  tokens_out: number;
  sessions: number;
  unpriced_signals: number;
}

/** Gauges of each organization's day so far, from its rollups, without users. Each day begins at 0. */
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

function sumDay(ctx: Context, orgId: string, start: Date): Promise<DaySums[]> {
  const sums = ['cost_nusd', 'tokens_in', 'tokens_out', 'sessions', 'unpriced_signals'] as const;
  return rollupRows(ctx)
    .aggregate<DaySums>([
      { $match: { org_id: orgId, period: 'day', start } },
      {
        $group: {
          _id: { model: '$model', adapter: '$adapter' },
          ...Object.fromEntries(sums.map((name) => [name, { $sum: `$${name}` }])),
        },
      },
    ])
    .toArray();
}

function show(ctx: Context, orgId: string, row: DaySums): void {
  const labels = { org: orgId, ...row._id };
  costGauge(ctx).set(labels, row.cost_nusd / 1e9);
  tokensGauge(ctx).set({ ...labels, direction: 'in' }, row.tokens_in);
  tokensGauge(ctx).set({ ...labels, direction: 'out' }, row.tokens_out);
  sessionsGauge(ctx).set(labels, row.sessions);
  unpricedGauge(ctx).set(labels, row.unpriced_signals);
}
