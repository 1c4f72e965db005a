import { describe, expect, it, test } from 'vitest';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { PRICE_RULES_PER_ORGANIZATION } from '../../shared/platform/basics/contract.ts';
import { sumLastDays } from '../../shared/wings/prices/last-days.ts';
import { applyRepricing } from '../../shared/wings/prices/repricing/apply-parts.ts';
import { makeSignal, senderOf } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { GPUS, LISTED, OWN } from '../support/prices.ts';
import { readCosts } from '../support/reprice.ts';

const fx = await fixture({ clock: '2026-11-21T12:00:00Z', perTest: true, other: true });
const { ctx, clock, other, ask, send, spend } = fx;

const CONTRACT = {
  name: 'Contract with Anthropic',
  from: '2026-11-01',
  to: null,
  match: { provider: 'anthropic', model: 'claude-*', service_tier: null, project_id: null },
  discount_percent: 12.5,
};

const DAY = 86_400_000;
const RULES = '/api/v1/price-rules';
const add = (rule: object) => ask(RULES, rule);
const quote = (call: object) => ask('/api/v1/prices/quote', call);
async function costs() {
  const rows = await signalRows(ctx).find({ org_id: fx.orgId }).sort({ received_at: 1, id: 1 }).toArray();
  return rows.map(({ id, cost_nusd, cost_source, price_rule }) => [
    id,
    cost_nusd,
    cost_source,
    price_rule?.name,
  ]);
}

describe('a price rule', () => {
  it('prices calls that are recorded after it, and their session names it', async () => {
    const session = await spend({ id: 'before', ...LISTED }, { id: 'free', ...OWN });
    const contract = await add(CONTRACT);
    const gpus = await add({ ...GPUS, usd_per_million: { input: 0.2, output: 0.6, cache_read: 0.02 } });
    const begins = { from: '2026-11-01T00:00:00.000Z', replaces_reported: false };
    expect(contract).toMatchObject({ ...CONTRACT, ...begins });
    await spend({ id: 'after', ...LISTED }, { id: 'own', ...OWN, cache_read_tokens: 500_000 });
    const { signals } = await ask(`/api/v1/sessions/${session}`);
    const seen = signals.map(({ id, cost_usd, cost_source, price_rule }: Record<string, unknown>) => [
      id,
      [cost_usd, cost_source, price_rule],
    ]);
    expect(Object.fromEntries(seen)).toEqual({
      before: [0.75, 'computed', undefined],
      free: [null, 'unknown', undefined],
      after: [0.65625, 'rule', { id: contract.id, name: contract.name }],
      own: [0.17, 'rule', { id: gpus.id, name: gpus.name }],
    });
  });

  it('holds from its beginning to before its end, by the time of the call', async () => {
    const [from, to] = [clock.now() - 3_600_000, clock.now() - 60_000];
    const [begins, ends] = [from, to].map((ms) => new Date(ms).toISOString());
    await add({ name: 'An hour', from: begins, to: ends, free: true });
    const times = [from - 1, from, to - 1, to];
    await spend(...times.map((ts, at) => ({ ...LISTED, id: `call-${at}`, ts })));
    expect((await costs()).map(([, cost]) => cost)).toEqual([750_000_000, 0, 0, 750_000_000]);
  });

  it('leaves a reported cost, unless it replaces those', async () => {
    await add({ ...CONTRACT, discount_percent: 50 });
    await spend({ ...LISTED, id: 'a', cost_usd: 9 });
    const match = { ...CONTRACT.match, model: 'claude-opus-4-8' };
    await add({ ...CONTRACT, name: 'All', match, replaces_reported: true });
    await spend({ ...LISTED, id: 'b', cost_usd: 9 });
    expect(await costs()).toEqual([
      ['a', 9_000_000_000, 'reported', undefined],
      ['b', 656_250_000, 'rule', 'All'],
    ]);
  });

  it('can be renamed, ended and deleted; the calls that it priced keep their cost and its name', async () => {
    const { id } = await add(GPUS);
    await spend({ ...OWN, id: 'a' });
    const path = `${RULES}/${id}`;
    const ended = await fx.patch(path, { name: 'Old GPUs', to: '2026-11-01' });
    expect(ended.body).toMatchObject({ name: 'Old GPUs', to: '2026-11-01T00:00:00.000Z' });
    await spend({ ...OWN, id: 'b' });
    expect((await fx.patch(path, { to: '2026-09-01' })).status).toBe(400);
    expect([(await fx.remove(path)).status, (await send(path)).status]).toEqual([204, 404]);
    expect(await costs()).toEqual([
      ['a', 260_000_000, 'rule', 'Our own GPUs'],
      ['b', null, 'unknown', undefined],
    ]);
    const actions = (await fx.audited(/^price-rule/)).map(({ action }) => action);
    expect(actions.toSorted()).toEqual(['price-rule.change', 'price-rule.create', 'price-rule.remove']);
  });

  it('is refused beyond as many as an organization may have', async () => {
    const full = { $set: { price_rules: PRICE_RULES_PER_ORGANIZATION } };
    await organizationRows(ctx).updateOne({ _id: fx.orgId }, full);
    expect((await send(RULES, GPUS)).body).toMatchObject({ status: 409, code: 'conflict' });
  });

  it.each([
    ['no effect', {}],
    ['two effects', { free: true, discount_percent: 5 }],
    ['no discount', { discount_percent: 0 }],
    ['too fine a discount', { discount_percent: 1.23456 }],
    ['too fine a price', { usd_per_million: { input: 0.000_000_1, output: 1 } }],
    ['a fee beside no prices', { free: true, per_request_usd: 1 }],
    ['an end before its beginning', { free: true, to: '2026-10-01' }],
    ['a time without an offset', { free: true, from: '2026-10-01T00:00:00' }],
  ])('with %s is refused', async (_, rule) => {
    expect((await send(RULES, { name: 'R', from: '2026-10-01', ...rule })).status).toBe(400);
  });

  it('is for keys that are bound to no user', async () => {
    const bound = { key: await fx.keyOf('ada') };
    expect((await send(RULES, undefined, bound)).status).toBe(403);
    expect((await send('/api/v1/prices/quote', LISTED, bound)).status).toBe(403);
  });
});

describe('of several rules that match', () => {
  const { model } = LISTED;
  const add = async (name: string, fields: object) => {
    await ask(RULES, { name, from: '2026-10-01', ...fields });
    clock.advance(1_000);
  };
  const tier = (service_tier: string) => ({ service_tier });

  it.each([
    ['more fields win', { match: { model } }, { match: { provider: '*', model: '*' } }, 'second'],
    [
      'an exact model wins',
      { match: { model: 'Claude-Opus-4-8' } },
      { match: { model: 'claude-*' } },
      'first',
    ],
    ['the later beginning wins', { from: '2026-10-02' }, {}, 'first'],
    ['the later creation wins', {}, {}, 'second'],
    ['a standard tier means none', { match: tier('standard') }, { match: tier('fast') }, 'first'],
    ['another project is another', {}, { match: { project_id: 'shop' } }, 'first'],
    ['another provider is another', {}, { match: { provider: 'none', model: 'claude*' } }, 'first'],
  ])('%s', async (_, first, second, winner) => {
    await add('first', { free: true, ...first });
    await add('second', { free: true, ...second });
    expect((await quote(LISTED)).rule.name).toBe(winner);
  });

  it('a discount without a list price gives way', async () => {
    await add('own', { free: true });
    await add('off', { discount_percent: 10, match: { provider: 'vllm' } });
    expect((await quote(OWN)).rule.name).toBe('own');
  });
});

describe('a quote', () => {
  it('says the price and the parts, and writes nothing', async () => {
    const names = ['input', 'cache_read', 'cache_write', 'output', 'request', 'unsplit'];
    const nothing = Object.fromEntries(names.map((name) => [name, '0.000000000']));
    expect(await quote(LISTED)).toEqual({
      cost: '0.750000000',
      cost_usd: 0.75,
      cost_source: 'computed',
      rule: null,
      parts: { ...nothing, input: '0.500000000', output: '0.250000000' },
    });
    // No list has a price that would split it.
    expect(await quote({ ...OWN, cost_usd: 0.5 })).toMatchObject({
      cost: '0.500000000',
      cost_source: 'reported',
      parts: { ...nothing, unsplit: '0.500000000' },
    });
    const { id, name } = await add({ ...GPUS, per_request_usd: 0.001, tool_uses: { browse: 2 } });
    expect(await quote({ ...OWN, tool_uses: { browse: 3 } })).toMatchObject({
      cost: '0.267000000',
      cost_source: 'rule',
      rule: { id, name },
      parts: { input: '0.200000000', output: '0.060000000', request: '0.007000000' },
    });
    expect(await signalRows(ctx).countDocuments({ org_id: fx.orgId })).toBe(0);
  });

  it('without a price is null', async () => {
    const unknown = { cost: null, cost_usd: null, cost_source: 'unknown', rule: null, parts: null };
    expect(await quote(OWN)).toEqual(unknown);
    expect(await quote({ ...LISTED, tokens_in: null })).toEqual(unknown);
  });

  const READ = { cache_read_tokens: 1_000_000 };
  const WRITTEN = { cache_write_tokens: 1_000_000 };
  const HOUR = { ...WRITTEN, cache_write_1h_tokens: 1_000_000 };
  const IMAGE = { tokens_in: 0, tokens_out: 1_000_000, output_image_tokens: 1_000_000 };
  const AUDIO = { tokens_in: 0, tokens_out: 1_000_000, output_audio_tokens: 1_000_000 };
  it.each([
    [READ, {}, 1],
    [READ, { cache_read: 2 }, 2],
    [WRITTEN, {}, 1],
    [WRITTEN, { cache_write: 4, cache_write_1h: 8 }, 4],
    [HOUR, {}, 1],
    [HOUR, { cache_write: 4 }, 4],
    [HOUR, { cache_write_1h: 8 }, 8],
    [{ ...WRITTEN, cache_write_1h_tokens: 250_000 }, { cache_write: 4, cache_write_1h: 8 }, 5],
    [IMAGE, {}, 16],
    [IMAGE, { output_image: 32 }, 32],
    [AUDIO, {}, 16],
    [AUDIO, { output_audio: 64 }, 64],
  ])(
    'of %j by a rule with %j costs each class by its own price, else by that of what holds it',
    async (counts, prices, usd) => {
      await add({ ...GPUS, usd_per_million: { input: 1, output: 16, ...prices } });
      const asked = { ...OWN, tokens_in: 1_000_000, tokens_out: 0, ...counts };
      expect(await quote(asked)).toMatchObject({ cost_usd: usd, cost_source: 'rule' });
    },
  );

  it('of tools that a rule does not price is unknown, not the list price', async () => {
    await add({ ...GPUS, match: { model: 'claude-opus-4-8' } });
    const searched = { ...LISTED, tool_uses: { web_search: 1 } };
    expect((await quote(searched)).cost_source).toBe('unknown');
  });

  it('of a surcharge adds to the list price with its fees', async () => {
    await add({ ...CONTRACT, discount_percent: -10 });
    const searched = { ...LISTED, service_tier: 'batch', tool_uses: { web_search: 5 } };
    // (0.75 × 0.5 + 0.05) × 1.1.
    expect((await quote(searched)).cost_usd).toBe(0.4675);
  });
});

describe('another process', () => {
  const record = (id: string) =>
    recordSignals(other.ctx, senderOf(fx.orgId), [makeSignal({ ts: clock.now(), ...OWN, id })]);

  test('prices by a new rule from the next signal on, though it knows the rules of before', async () => {
    await record('a');
    await add(GPUS);
    await record('b');
    expect((await costs()).map(([id, cost]) => [id, cost])).toEqual([
      ['a', null],
      ['b', 260_000_000],
    ]);
  });

  test('that a rule overtakes gives a batch the prices of before or of after, and its sums agree', async () => {
    await Promise.all([record('x'), record('y')]);
    await Promise.all([add(GPUS), ...Array.from({ length: 12 }, (_, index) => record(`n${index}`))]);
    const recorded = await costs();
    expect(recorded).toHaveLength(14);
    for (const [, cost, source] of recorded)
      expect([
        [null, 'unknown'],
        [260_000_000, 'rule'],
      ]).toContainEqual([cost, source]);
    const { calls, sessions, unpriced, unpricedOfSessions } = await readCosts(ctx, fx.orgId);
    expect([sessions, unpricedOfSessions]).toEqual([calls, unpriced]);
  });
});

const HALF = { name: 'Half', from: '2026-10-01', match: { provider: 'anthropic' }, discount_percent: 50 };
const FLAT = { name: 'One price for all', from: '2026-10-01', usd_per_million: { input: 1, output: 1 } };
const NOTHING = { signals: 0, cost_usd: 0, list_cost_usd: 0, unlisted_signals: 0, unlisted_cost_usd: 0 };
const stored = (id: string) => signalRows(ctx).findOne({ org_id: fx.orgId, id });
const lastDays = async (id: string) => (await ask(`${RULES}/${id}`)).last_30_days;

describe('the last 30 days of a price rule', () => {
  it('count its calls, what they cost, and what the list has for them', async () => {
    await spend(LISTED);
    const half = await add(HALF);
    expect(half).not.toHaveProperty('last_30_days');
    const flat = await add(FLAT);
    await spend(LISTED, LISTED, OWN, { ...LISTED, provider: 'vertex_ai' });
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
    await other.record({ ...LISTED, ts: clock.now() });
    await spend({ ...LISTED, ts: clock.now() - 30 * DAY - 1 }, { ...LISTED, ts: clock.now() - 30 * DAY });
    const session = await spend({ ...LISTED, id: 'wrong' });
    await ask(`/api/v1/sessions/${session}/void`, { signal_ids: ['wrong'], reason: 'A test' });
    expect(await lastDays(id)).toEqual({ ...NOTHING, signals: 1, cost_usd: 0.375, list_cost_usd: 0.75 });
  });

  it('are null where there are more calls than are summed', async () => {
    const { id } = await add(HALF);
    await spend(LISTED, LISTED, LISTED);
    expect(await sumLastDays(ctx, { _id: id, org_id: fx.orgId }, 2)).toBeNull();
    expect(await sumLastDays(ctx, { _id: id, org_id: fx.orgId }, 3)).toMatchObject({ signals: 3 });
  });

  it('follow a repricing, to a rule and back', async () => {
    await spend({ ...LISTED, id: 'a' }, { ...LISTED, id: 'b', cost_usd: 9 });
    const before = [await stored('a'), await stored('b')];
    const [from, to] = [-DAY, DAY].map((ms) => new Date(clock.now() + ms).toISOString());
    const reprice = async () => {
      const { id } = await ask('/api/v1/repricings', { from, to });
      await ask(`/api/v1/repricings/${id}/apply`, undefined, { method: 'POST' });
      while ((await applyRepricing(ctx, id)) !== undefined);
    };
    const rule = await add({ ...HALF, replaces_reported: true });
    await reprice();
    const priced = { ...NOTHING, signals: 2, cost_usd: 0.75, list_cost_usd: 1.5 };
    expect(await lastDays(rule.id)).toEqual(priced);
    expect(await stored('b')).toMatchObject({ list_nusd: 750_000_000, reported_nusd: 9_000_000_000 });
    await fx.patch(`${RULES}/${rule.id}`, { to: '2026-10-02' });
    await reprice();
    expect(await lastDays(rule.id)).toEqual(NOTHING);
    expect([await stored('a'), await stored('b')]).toEqual(before);
  });
});

it('a call that no rule has priced stores nothing for rules', async () => {
  await spend({ ...LISTED, id: 'before' });
  await add({ ...HALF, replaces_reported: true });
  await spend({ ...LISTED, id: 'after', cost_usd: 9 }, { ...OWN, id: 'own' });
  for (const id of ['before', 'own']) {
    const row = await stored(id);
    for (const field of ['price_rule', 'list_nusd', 'reported_nusd']) expect(row).not.toHaveProperty(field);
  }
});
