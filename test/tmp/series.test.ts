import { expect, it } from 'vitest';
import { readOrganization } from '../../shared/organizations/read-organization.ts';
import { rollupRows } from '../../shared/usage/model.ts';
import { rollupKey } from '../../shared/usage/plan-rollups.ts';
import { readGroupSeries } from '../../shared/usage/read-group-series.ts';
import { makeTenant } from '../support/factories.ts';
import { createTestClock, openTestContext } from '../support/harness.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const HOUR = 3_600_000;
it('x', async () => {
  const ctx = await openTestContext({ clock: createTestClock(NOW) });
  const { orgId } = await makeTenant(ctx);
  const rows = [];
  for (let u = 0; u < 9_000; u += 1) {
    for (const period of ['quarter_hour', 'day'] as const) {
      const start = Math.floor((NOW - 20 * 24 * HOUR) / (24 * HOUR)) * 24 * HOUR;
      const of = { user_id: `user-${u}`, project_id: 'p', model: 'm', adapter: 'a' };
      rows.push({ _id: rollupKey(orgId, period, start, of), org_id: orgId, period, start: new Date(start), ...of,
        sessions: 1, signals: 3, errors: 0, interventions: 0, tokens_in: 5, tokens_out: 5, cache_read_tokens: 0, cache_write_tokens: 0, cost_nusd: 1_000 + u, unpriced_signals: 0 });
    }
  }
  for (let i = 0; i < rows.length; i += 2000) await rollupRows(ctx).insertMany(rows.slice(i, i + 2000));
  const organization = await readOrganization(ctx, orgId);
  for (const interval of ['day', 'hour'] as const) {
    let worst = 0; let last = performance.now();
    const t = setInterval(() => { worst = Math.max(worst, performance.now() - last - 5); last = performance.now(); }, 5);
    const began = performance.now();
    const before = process.memoryUsage().heapUsed;
    let peak = 0;
    const answer = await readGroupSeries(ctx, organization, { interval, groupBy: ['user_id'], filter: {}, fromMs: NOW - 34.9 * 24 * HOUR }, 8);
    peak = process.memoryUsage().heapUsed;
    clearInterval(t);
    worst = Math.max(worst, performance.now() - last);
    console.log(interval, answer.groups.length, answer.series.length, 'took', performance.now() - began, 'worst turn', worst, 'MB', (peak - before) / 1e6);
  }
  await ctx.close();
}, 300_000);
