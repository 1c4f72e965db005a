import { describe, expect, it, test } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { PRICE_RULES_PER_ORGANIZATION } from '../../shared/platform/basics/contract.ts';
import { makeSignal, senderOf } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const fx = await fixture({ clock: '2026-11-21T12:00:00Z', perTest: true, other: true });
const { ctx, clock, other, ask, send } = fx;

const CALL = { provider: 'anthropic', model: 'claude-opus-4-8', tokens_in: 100_000, tokens_out: 10_000 };
const OWN = { provider: 'vllm', model: 'llama-4-70b', tokens_in: 1_000_000, tokens_out: 100_000 };
const CONTRACT = {
  name: 'Contract with Anthropic',
  from: '2026-11-01',
  to: null,
  match: { provider: 'anthropic', model: 'claude-*', service_tier: null, project_id: null },
  discount_percent: 12.5,
};
const GPUS = {
  name: 'Our own GPUs',
  from: '2026-10-01',
  match: { provider: 'vllm', model: 'llama-4-70b' },
  usd_per_million: { input: 0.2, output: 0.6, cache_read: 0.02 },
};

const RULES = '/api/v1/price-rules';
const add = (rule: object) => ask(RULES, rule);
const quote = (call: object) => ask('/api/v1/prices/quote', call);
/** Posts calls of now. Returns the session of the first. */
async function post(...calls: object[]): Promise<string> {
  const signals = calls.map((call) => makeSignal({ ts: clock.now(), ...call }));
  return (await ask('/api/v1/signals', { signals })).results[0].session_id;
}
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
    const session = await post({ id: 'before', ...CALL }, { id: 'free', ...OWN });
    const contract = await add(CONTRACT);
    const gpus = await add(GPUS);
    expect(contract).toMatchObject({
      ...CONTRACT,
      from: '2026-11-01T00:00:00.000Z',
      replaces_reported: false,
    });
    await post({ id: 'after', ...CALL }, { id: 'own', ...OWN, cache_read_tokens: 500_000 });
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

  it('is part of rollups, so that usage shows its cost', async () => {
    await add(GPUS);
    await post(OWN);
    const { totals } = await ask('/api/v1/usage?from=2026-11-20&to=2026-11-23');
    expect(totals).toMatchObject({ cost_usd: 0.26, unpriced_signals: 0 });
  });

  it('holds from its beginning to before its end, by the time of the call', async () => {
    const from = clock.now() - 3_600_000;
    const to = clock.now() - 60_000;
    const [begins, ends] = [from, to].map((ms) => new Date(ms).toISOString());
    await add({ name: 'An hour', from: begins, to: ends, free: true });
    await post(
      { ...CALL, id: 'a', ts: from - 1 },
      { ...CALL, id: 'b', ts: from },
      { ...CALL, id: 'c', ts: to - 1 },
      { ...CALL, id: 'd', ts: to },
    );
    expect((await costs()).map(([, cost]) => cost)).toEqual([750_000_000, 0, 0, 750_000_000]);
  });

  it('leaves a reported cost, unless it replaces those', async () => {
    await add({ ...CONTRACT, discount_percent: 50 });
    await post({ ...CALL, id: 'a', cost_usd: 9 });
    await add({
      ...CONTRACT,
      name: 'All',
      match: { ...CONTRACT.match, model: 'claude-opus-4-8' },
      replaces_reported: true,
    });
    await post({ ...CALL, id: 'b', cost_usd: 9 });
    expect(await costs()).toEqual([
      ['a', 9_000_000_000, 'reported', undefined],
      ['b', 656_250_000, 'rule', 'All'],
    ]);
  });

  it('can be renamed, ended and deleted; the calls that it priced keep their cost and its name', async () => {
    const { id } = await add(GPUS);
    await post({ ...OWN, id: 'a' });
    const path = `${RULES}/${id}`;
    const patch = (body: object) => send(path, body, { method: 'PATCH' });
    const ended = await patch({ name: 'Old GPUs', to: '2026-11-01' });
    expect(ended.body).toMatchObject({ name: 'Old GPUs', to: '2026-11-01T00:00:00.000Z' });
    await post({ ...OWN, id: 'b' });
    expect((await patch({ to: '2026-09-01' })).status).toBe(400);
    expect((await send(path, undefined, { method: 'DELETE' })).status).toBe(204);
    expect((await send(path)).status).toBe(404);
    expect(await costs()).toEqual([
      ['a', 260_000_000, 'rule', 'Our own GPUs'],
      ['b', null, 'unknown', undefined],
    ]);
    const entries = { org_id: fx.orgId, action: { $regex: '^price-rule' } };
    const actions = await auditRows(ctx).find(entries).sort({ at: 1, _id: 1 }).toArray();
    expect(actions.map(({ action }) => action)).toEqual([
      'price-rule.create',
      'price-rule.change',
      'price-rule.remove',
    ]);
  });

  it('is refused beyond as many as an organization may have', async () => {
    const full = { $set: { price_rules: PRICE_RULES_PER_ORGANIZATION } };
    await organizationRows(ctx).updateOne({ _id: fx.orgId }, full);
    const { status, body } = await send(RULES, GPUS);
    expect([status, body.code]).toEqual([409, 'conflict']);
  });

  it.each([
    ['no effect', {}],
    ['two effects', { free: true, discount_percent: 5 }],
    ['an effect that is false', { free: false }],
    ['no discount', { discount_percent: 0 }],
    ['more than all', { discount_percent: 100.1 }],
    ['too high a surcharge', { discount_percent: -1_000.5 }],
    ['too fine a discount', { discount_percent: 1.23456 }],
    ['too fine a price', { usd_per_million: { input: 0.000_000_1, output: 1 } }],
    ['no price of the output', { usd_per_million: { input: 1 } }],
    ['a negative price', { usd_per_million: { input: -1, output: 1 } }],
    ['a fee beside no prices', { free: true, per_request_usd: 1 }],
    ['an end before its beginning', { free: true, to: '2026-10-01' }],
    ['a time without an offset', { free: true, from: '2026-10-01T00:00:00' }],
    ['another field', { free: true, matches: {} }],
    ['another field to match', { free: true, match: { user_id: 'ada' } }],
  ])('with %s is refused', async (_, rule) => {
    expect((await send(RULES, { name: 'R', from: '2026-10-01', ...rule })).status).toBe(400);
  });

  it('is for keys that are bound to no user', async () => {
    const bound = { key: await fx.keyOf('ada') };
    expect((await send(RULES, undefined, bound)).status).toBe(403);
    expect((await send('/api/v1/prices/quote', CALL, bound)).status).toBe(403);
  });
});

describe('of several rules that match', () => {
  const rule = (name: string, match: object, from = '2026-10-01') => ({ name, from, match, free: true });

  it.each([
    [
      'more fields win',
      [rule('one', { model: 'claude-opus-4-8' }), rule('two', { provider: '*', model: '*' })],
      'two',
    ],
    [
      'an exact model wins',
      [rule('exact', { model: 'Claude-Opus-4-8' }), rule('like', { model: 'claude-opus-*' })],
      'exact',
    ],
    ['the later beginning wins', [rule('late', {}, '2026-10-02'), rule('early', {})], 'late'],
    ['the later creation wins', [rule('first', {}), rule('second', {})], 'second'],
    [
      'a standard tier means none',
      [
        rule('none', { service_tier: 'standard' }),
        rule('fast', { service_tier: 'fast', provider: 'anthropic' }),
      ],
      'none',
    ],
    ['another project is another', [rule('any', {}), rule('shop', { project_id: 'shop' })], 'any'],
    [
      'a discount without a list price gives way',
      [rule('own', {}), rule('off', { model: 'x*', provider: 'none' })],
      'own',
    ],
  ])('%s', async (_, rules, winner) => {
    for (const one of rules) {
      await add(one);
      clock.advance(1_000);
    }
    expect((await quote(CALL)).rule.name).toBe(winner);
  });
});

describe('a quote', () => {
  it('says the price and the parts, and writes nothing', async () => {
    expect(await quote(CALL)).toEqual({
      cost: '0.750000000',
      cost_usd: 0.75,
      cost_source: 'computed',
      rule: null,
      parts: {
        input: '0.500000000',
        cache_read: '0.000000000',
        cache_write: '0.000000000',
        output: '0.250000000',
        request: '0.000000000',
        unsplit: '0.000000000',
      },
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
    expect(await quote({ ...CALL, tokens_in: null })).toEqual(unknown);
  });

  it.each([
    [{ cache_read_tokens: 1_000_000 }, {}, 1],
    [{ cache_read_tokens: 1_000_000 }, { cache_read: 2 }, 2],
    [{ cache_write_tokens: 1_000_000 }, {}, 1],
    [{ cache_write_tokens: 1_000_000 }, { cache_write: 4, cache_write_1h: 8 }, 4],
    [{ cache_write_tokens: 1_000_000, cache_write_1h_tokens: 1_000_000 }, {}, 1],
    [{ cache_write_tokens: 1_000_000, cache_write_1h_tokens: 1_000_000 }, { cache_write: 4 }, 4],
    [{ cache_write_tokens: 1_000_000, cache_write_1h_tokens: 1_000_000 }, { cache_write_1h: 8 }, 8],
    [
      { cache_write_tokens: 1_000_000, cache_write_1h_tokens: 250_000 },
      { cache_write: 4, cache_write_1h: 8 },
      5,
    ],
    [{ tokens_in: 0, tokens_out: 1_000_000, output_image_tokens: 1_000_000 }, {}, 16],
    [{ tokens_in: 0, tokens_out: 1_000_000, output_image_tokens: 1_000_000 }, { output_image: 32 }, 32],
    [{ tokens_in: 0, tokens_out: 1_000_000, output_audio_tokens: 1_000_000 }, {}, 16],
    [{ tokens_in: 0, tokens_out: 1_000_000, output_audio_tokens: 1_000_000 }, { output_audio: 64 }, 64],
  ])(
    'of %j by a rule with %j costs each class by its own price, else by that of what holds it',
    async (counts, prices, usd) => {
      const counted = {
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        output_image_tokens: 0,
        output_audio_tokens: 0,
      };
      await add({ ...GPUS, usd_per_million: { input: 1, output: 16, ...prices } });
      const asked = { ...OWN, tokens_in: 1_000_000, tokens_out: 0, ...counted, ...counts };
      expect(await quote(asked)).toMatchObject({ cost_usd: usd, cost_source: 'rule' });
    },
  );

  it('of tools that a rule does not price is unknown, not the list price', async () => {
    await add({ ...GPUS, match: { model: 'claude-opus-4-8' } });
    const searched = { ...CALL, tool_uses: { web_search: 1 } };
    expect((await quote(searched)).cost_source).toBe('unknown');
  });

  it('of a surcharge adds to the list price with its fees', async () => {
    await add({ ...CONTRACT, discount_percent: -10 });
    const searched = { ...CALL, service_tier: 'batch', tool_uses: { web_search: 5 } };
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
    const sessions = await sessionRows(ctx).find({ org_id: fx.orgId }).toArray();
    const summed = (values: unknown[]) => values.reduce((sum: number, one) => sum + Number(one ?? 0), 0);
    const costOf = summed(recorded.map(([, cost]) => cost));
    expect(summed(sessions.map(({ cost_nusd }) => cost_nusd))).toBe(costOf);
    const unpriced = recorded.filter(([, cost]) => cost === null).length;
    expect(summed(sessions.map(({ unpriced_signals }) => unpriced_signals))).toBe(unpriced);
  });
});
