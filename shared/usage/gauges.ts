import { Gauge } from 'prom-client';
import type { Context } from '../context.ts';
import { raw } from '../mongo.ts';
import type { Organization } from '../organizations/model.ts';
import { perContext } from '../per-context.ts';
import type { Total } from './model.ts';
import { periodStarts } from './periods.ts';

const usageGauges = perContext(({ metrics }) => {
  const registers = [metrics.registry];
  const labelNames = ['org', 'model', 'adapter'] as const;
  return {
    cost: new Gauge({
      name: 'governor_usage_cost_usd',
      help: "Cost of the organization's day so far, priced signals only.",
      labelNames,
      registers,
    }),
    tokens: new Gauge({
      name: 'governor_usage_tokens',
      help: "Tokens of the organization's day so far; input includes what was cached.",
      labelNames: [...labelNames, 'direction'] as const,
      registers,
    }),
    sessions: new Gauge({
      name: 'governor_usage_sessions',
      help: "Sessions that began in the organization's day so far.",
      labelNames,
      registers,
    }),
    unpriced: new Gauge({
      name: 'governor_usage_unpriced_signals',
      help: "Signals of the organization's day so far whose cost is not known.",
      labelNames,
      registers,
    }),
  };
});

/** Reads each organization's day from the rollups' totals, which know no user. Each day begins at 0. */
export async function readUsageGauges(
  ctx: Context,
  organizations: readonly Pick<Organization, '_id' | 'timezones'>[],
): Promise<void> {
  const nowMs = ctx.clock.now();
  const days = organizations.map((organization) => ({
    org_id: organization._id,
    period: 'day' as const,
    start: new Date(periodStarts(organization, nowMs).day),
  }));
  const rows = days.length === 0 ? [] : await raw(ctx.db.usageTotals).find({ $or: days }).toArray();
  const gauges = usageGauges(ctx);
  for (const gauge of Object.values(gauges)) gauge.reset();
  for (const row of rows) addRow(gauges, row);
}

/** A total is spread over slots. */
function addRow(gauges: ReturnType<typeof usageGauges>, row: Total): void {
  const labels = { org: row.org_id, model: row.model, adapter: row.adapter };
  gauges.cost.inc(labels, row.cost_nusd / 1e9);
  gauges.tokens.inc({ ...labels, direction: 'in' }, row.tokens_in);
  gauges.tokens.inc({ ...labels, direction: 'out' }, row.tokens_out);
  gauges.sessions.inc(labels, row.sessions);
  gauges.unpriced.inc(labels, row.unpriced_signals);
}
