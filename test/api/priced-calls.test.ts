import { describe, expect, it } from 'vitest';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { PRICED_FIELDS } from '../../shared/core/pricing/priced-fields.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { LISTED } from '../support/prices.ts';

const fx = await fixture({ clock: '2026-11-21T12:00:00Z', perTest: true });

/** The signals of one session, as it shows them. */
async function posted(...calls: object[]) {
  const signals = calls.map((call) => makeSignal({ ts: fx.clock.now(), ...LISTED, ...call }));
  const { results } = await fx.ask('/api/v1/signals', { signals });
  const session = results.find((result: { session_id?: string }) => result.session_id)?.session_id;
  const shown = session ? (await fx.ask(`/api/v1/sessions/${session}`)).signals : [];
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  return { results, signals: shown.toSorted(byId), session };
}
const rows = () => signalRows(fx.ctx).find({ org_id: fx.orgId }).sort({ id: 1 }).toArray();

describe('a call says how it was served', () => {
  it('and its session shows it with the price that it has', async () => {
    const served = {
      service_tier: 'batch',
      region: 'us',
      cache_write_tokens: 50_000,
      cache_write_1h_tokens: 20_000,
      tool_uses: { web_search: 5 },
    };
    const { signals } = await posted(served);
    // (50,000 × $5 + 30,000 × $6.25 + 20,000 × $10 + 10,000 × $25 per million) × 0.5 × 1.1 + 5 × $0.01.
    expect(signals).toMatchObject([{ ...served, cost_usd: 0.538125, cost_source: 'computed' }]);
  });

  it('in any case; a standard tier, a place that costs nothing and a tool that was not used are none, and what nobody has a price for has none', async () => {
    const { signals } = await posted(
      { id: 'a', service_tier: 'Fast', region: 'US' },
      { id: 'b', service_tier: 'STANDARD', region: 'global', tool_uses: { web_search: 0 } },
      { id: 'c', service_tier: 'on_demand', region: 'not_available', tool_uses: {} },
      { id: 'd', service_tier: 'scale' },
    );
    expect(signals.map(({ cost_usd }: { cost_usd: number }) => cost_usd)).toEqual([1.65, 0.75, 0.75, null]);
    const stored = await rows();
    const kept = stored.map((row) => PRICED_FIELDS.filter((field) => field in row));
    expect(kept).toEqual([['service_tier', 'region'], [], [], ['service_tier']]);
    expect(stored[0]).toMatchObject({ service_tier: 'fast', region: 'us' });
  });

  it.each([
    [{ service_tier: 'x'.repeat(33) }, 'service_tier: must be at most 32 characters'],
    [{ service_tier: '' }, 'service_tier: must not be empty'],
    [{ cache_write_1h_tokens: -1 }, 'cache_write_1h_tokens: must be at least 0'],
    [{ output_image_tokens: 1.5 }, 'output_image_tokens: must be'],
    [{ tool_uses: { web_search: -1 } }, 'tool_uses.web_search: must be at least 0'],
    [{ tool_uses: { $where: 1 } }, 'tool_uses'],
    [
      { tool_uses: Object.fromEntries('abcdefghi'.split('').map((name) => [name, 1])) },
      'tool_uses: must be at most 8 tools',
    ],
  ])('%j is refused', async (call, detail) => {
    const { results } = await posted(call);
    expect(results).toMatchObject([{ status: 'rejected', code: 'invalid_signal' }]);
    expect(results[0].detail).toContain(detail);
  });

  it('and the parts of its cost still sum to it', async () => {
    const { session } = await posted(
      { id: 'a', service_tier: 'fast', tool_uses: { web_search: 3 } },
      { id: 'b', cache_write_tokens: 40_000, cache_write_1h_tokens: 40_000 },
    );
    const parts = { input: '1.300000000', cache_write: '0.400000000', output: '0.750000000' };
    expect(await fx.ask(`/api/v1/sessions/${session}/breakdown`)).toMatchObject({
      cost: '2.480000000',
      parts: { ...parts, request: '0.030000000', unsplit: '0.000000000' },
    });
  });
});
