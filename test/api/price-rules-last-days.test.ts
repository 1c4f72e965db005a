import { describe, expect, it } from 'vitest';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { sumLastDays } from '../../shared/wings/prices/last-days.ts';
import { applyRepricing } from '../../shared/wings/prices/repricing/apply-parts.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const DAY = 86_400_000;
const { api, tenant: makeTenant } = await fixture({ clock: NOW });

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

async function tenant() {
  const own = await makeTenant();
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await api.call(`/api/v1/${path}`, { key: own.key, method, ...(body ? { body } : {}) });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const post = async (...calls: object[]) => {
    const signals = calls.map((call) => makeSignal({ ts: NOW, ...call }));
    return (await ask('POST', 'signals', { signals })).results;
  };
  const stored = async (id: string) => signalRows(api.ctx).findOne({ org_id: own.orgId, id });
  return { ...own, ask, post, stored };
}

describe('the last 30 days of a price rule', () => {
  it('count its calls, what they cost, and what the list has for them', async () => {
    const { ask, post } = await tenant();
    await post(LISTED);
    const half = await ask('POST', 'price-rules', HALF);
    expect(half).not.toHaveProperty('last_30_days');
    const flat = await ask('POST', 'price-rules', FLAT);
    await post(LISTED, LISTED, OWN, { ...LISTED, provider: 'vertex_ai' });
    const expected = new Map([
      [half.id, { ...NOTHING, signals: 2, cost_usd: 0.75, list_cost_usd: 1.5 }],
      [
        flat.id,
        { signals: 2, cost_usd: 1.21, list_cost_usd: 0.75, unlisted_signals: 1, unlisted_cost_usd: 1.1 },
      ],
    ]);
    const { data } = await ask('GET', 'price-rules');
    for (const { id, last_30_days } of data) {
      expect(last_30_days).toEqual(expected.get(id));
      expect((await ask('GET', `price-rules/${id}`)).last_30_days).toEqual(last_30_days);
    }
    expect(data).toHaveLength(2);
  });

  it('leave out calls of before and voided ones, and those of another organization', async () => {
    const [mine, other] = await Promise.all([tenant(), tenant()]);
    const { id } = await mine.ask('POST', 'price-rules', HALF);
    await other.ask('POST', 'price-rules', HALF);
    await other.post(LISTED);
    await mine.post({ ...LISTED, ts: NOW - 30 * DAY - 1 }, { ...LISTED, ts: NOW - 30 * DAY });
    const [{ session_id }] = await mine.post({ ...LISTED, id: 'wrong' });
    await mine.ask('POST', `sessions/${session_id}/void`, { signal_ids: ['wrong'], reason: 'A test' });
    const { last_30_days } = await mine.ask('GET', `price-rules/${id}`);
    expect(last_30_days).toEqual({ ...NOTHING, signals: 1, cost_usd: 0.375, list_cost_usd: 0.75 });
  });

  it('are null where there are more calls than are summed', async () => {
    const { orgId, ask, post } = await tenant();
    const { id } = await ask('POST', 'price-rules', HALF);
    await post(LISTED, LISTED, LISTED);
    expect(await sumLastDays(api.ctx, { _id: id, org_id: orgId }, 2)).toBeNull();
    expect(await sumLastDays(api.ctx, { _id: id, org_id: orgId }, 3)).toMatchObject({ signals: 3 });
  });

  it('follow a repricing, to a rule and back', async () => {
    const { ask, post, stored } = await tenant();
    await post({ ...LISTED, id: 'a' }, { ...LISTED, id: 'b', cost_usd: 9 });
    const before = [await stored('a'), await stored('b')];
    const reprice = async () => {
      const range = { from: new Date(NOW - DAY).toISOString(), to: new Date(NOW + DAY).toISOString() };
      const { id } = await ask('POST', 'repricings', range);
      await ask('POST', `repricings/${id}/apply`);
      while ((await applyRepricing(api.ctx, id)) !== undefined);
    };
    const rule = await ask('POST', 'price-rules', { ...HALF, replaces_reported: true });
    await reprice();
    const priced = { ...NOTHING, signals: 2, cost_usd: 0.75, list_cost_usd: 1.5 };
    expect((await ask('GET', `price-rules/${rule.id}`)).last_30_days).toEqual(priced);
    expect(await stored('b')).toMatchObject({ list_nusd: 750_000_000, reported_nusd: 9_000_000_000 });
    await ask('PATCH', `price-rules/${rule.id}`, { to: '2026-10-02' });
    await reprice();
    expect((await ask('GET', `price-rules/${rule.id}`)).last_30_days).toEqual(NOTHING);
    expect([await stored('a'), await stored('b')]).toEqual(before);
  });
});

it('a call that no rule has priced stores nothing for rules, and no answer shows what is stored', async () => {
  const { ask, post, stored } = await tenant();
  await post({ ...LISTED, id: 'before' });
  await ask('POST', 'price-rules', { ...HALF, replaces_reported: true });
  const [{ session_id }] = await post({ ...LISTED, id: 'after', cost_usd: 9 }, { ...OWN, id: 'own' });
  for (const id of ['before', 'own']) {
    const row = await stored(id);
    for (const field of ['price_rule', 'list_nusd', 'reported_nusd']) expect(row).not.toHaveProperty(field);
  }
  const { signals } = await ask('GET', `sessions/${session_id}`);
  expect(signals).toHaveLength(3);
  for (const signal of signals)
    for (const field of ['list_nusd', 'reported_nusd', 'uncounted']) expect(signal).not.toHaveProperty(field);
});
