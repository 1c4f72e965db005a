import { describe, expect, it } from 'vitest';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { sumLastDays } from '../../shared/wings/prices/last-days.ts';
import { applyRepricing } from '../../shared/wings/prices/repricing/apply-parts.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const DAY = 86_400_000;
const fx = await fixture({ clock: NOW, perTest: true });
const { ctx, ask } = fx;

/** $0.75 by the list. */
const LISTED = { model: 'claude-opus-4-8', provider: 'anthropic', tokens_in: 100_000, tokens_out: 10_000 };
/** A model that no list has. */
const OWN = { model: 'llama-4-70b', provider: 'vllm', tokens_in: 1_000_000, tokens_out: 100_000 };
const HALF = { name: 'Half', from: '2026-10-01', match: { provider: 'anthropic' }, discount_percent: 50 };
const FLAT = {
  name: 'One price for all',
  from: '2026-10-01',
  match: {},
  usd_per_million: { input: 1, output: 1 },
};
const NOTHING = {
  signals: 0,
  cost_usd: 0,
  list_cost_usd: 0,
  unlisted_signals: 0,
  unlisted_cost_usd: 0,
};

const RULES = '/api/v1/price-rules';
const add = (rule: object) => ask(RULES, rule);
/** Posts calls of now. Returns the session of the first. */
async function post(...calls: object[]): Promise<string> {
  const signals = calls.map((call) => makeSignal({ ts: NOW, ...call }));
  return (await ask('/api/v1/signals', { signals })).results[0].session_id;
}
const stored = (id: string) => signalRows(ctx).findOne({ org_id: fx.orgId, id });
const lastDays = async (id: string) => (await ask(`${RULES}/${id}`)).last_30_days;

describe('the last 30 days of a price rule', () => {
  it('count its calls, what they cost, and what the list has for them', async () => {
    await post(LISTED);
    const half = await add(HALF);
    expect(half).not.toHaveProperty('last_30_days');
    const flat = await add(FLAT);
    await post(LISTED, LISTED, OWN, { ...LISTED, provider: 'vertex_ai' });
    const ofFlat = { list_cost_usd: 0.75, unlisted_signals: 1, unlisted_cost_usd: 1.1 };
    const expected = new Map([
      [half.id, { ...NOTHING, signals: 2, cost_usd: 0.75, list_cost_usd: 1.5 }],
      [flat.id, { signals: 2, cost_usd: 1.21, ...ofFlat }],
    ]);
    const { data } = await ask(RULES);
    for (const { id, last_30_days } of data) {
      expect(last_30_days).toEqual(expected.get(id));
      expect(await lastDays(id)).toEqual(last_30_days);
    }
    expect(data).toHaveLength(2);
  });

  it('leave out calls of before and voided ones, and those of another organization', async () => {
    const { id } = await add(HALF);
    const other = await fx.tenant();
    await ask(RULES, HALF, other);
    await other.record({ ...LISTED, ts: NOW });
    await post({ ...LISTED, ts: NOW - 30 * DAY - 1 }, { ...LISTED, ts: NOW - 30 * DAY });
    const session = await post({ ...LISTED, id: 'wrong' });
    await ask(`/api/v1/sessions/${session}/void`, { signal_ids: ['wrong'], reason: 'A test' });
    expect(await lastDays(id)).toEqual({ ...NOTHING, signals: 1, cost_usd: 0.375, list_cost_usd: 0.75 });
  });

  it('are null where there are more calls than are summed', async () => {
    const { id } = await add(HALF);
    await post(LISTED, LISTED, LISTED);
    expect(await sumLastDays(ctx, { _id: id, org_id: fx.orgId }, 2)).toBeNull();
    expect(await sumLastDays(ctx, { _id: id, org_id: fx.orgId }, 3)).toMatchObject({ signals: 3 });
  });

  it('follow a repricing, to a rule and back', async () => {
    await post({ ...LISTED, id: 'a' }, { ...LISTED, id: 'b', cost_usd: 9 });
    const before = [await stored('a'), await stored('b')];
    const reprice = async () => {
      const range = { from: new Date(NOW - DAY).toISOString(), to: new Date(NOW + DAY).toISOString() };
      const { id } = await ask('/api/v1/repricings', range);
      await ask(`/api/v1/repricings/${id}/apply`, undefined, { method: 'POST' });
      while ((await applyRepricing(ctx, id)) !== undefined);
    };
    const rule = await add({ ...HALF, replaces_reported: true });
    await reprice();
    const priced = { ...NOTHING, signals: 2, cost_usd: 0.75, list_cost_usd: 1.5 };
    expect(await lastDays(rule.id)).toEqual(priced);
    expect(await stored('b')).toMatchObject({ list_nusd: 750_000_000, reported_nusd: 9_000_000_000 });
    await ask(`${RULES}/${rule.id}`, { to: '2026-10-02' }, { method: 'PATCH' });
    await reprice();
    expect(await lastDays(rule.id)).toEqual(NOTHING);
    expect([await stored('a'), await stored('b')]).toEqual(before);
  });
});

it('a call that no rule has priced stores nothing for rules, and no answer shows what is stored', async () => {
  await post({ ...LISTED, id: 'before' });
  await add({ ...HALF, replaces_reported: true });
  const session = await post({ ...LISTED, id: 'after', cost_usd: 9 }, { ...OWN, id: 'own' });
  for (const id of ['before', 'own']) {
    const row = await stored(id);
    for (const field of ['price_rule', 'list_nusd', 'reported_nusd']) expect(row).not.toHaveProperty(field);
  }
  const { signals } = await ask(`/api/v1/sessions/${session}`);
  expect(signals).toHaveLength(3);
  for (const signal of signals)
    for (const field of ['list_nusd', 'reported_nusd', 'uncounted']) expect(signal).not.toHaveProperty(field);
});
