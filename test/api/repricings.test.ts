import { describe, expect, it } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { organizationVersionRows } from '../../shared/core/accounts/organizations/versions.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { applyRepricing } from '../../shared/wings/prices/repricing/apply-parts.ts';
import { beginApplying } from '../../shared/wings/prices/repricing/begin-applying.ts';
import { repricingPartRows } from '../../shared/wings/prices/repricing/model.ts';
import { previewRepricing } from '../../shared/wings/prices/repricing/preview.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { openTestContext } from '../support/harness.ts';
import { standingStillAfter } from '../support/interleave.ts';
import { readCosts } from '../support/reprice.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const fx = await fixture({ clock: NOW, perTest: true });
const { ctx, clock, ask } = fx;

/** A model that no list has, and its price. */
const OWN = { model: 'llama-4-70b', provider: 'vllm', tokens_in: 1_000_000, tokens_out: 100_000 };
const GPUS = {
  name: 'Our own GPUs',
  from: '2026-10-01',
  match: { provider: 'vllm' },
  usd_per_million: { input: 0.2, output: 0.6 },
};
const LISTED = { model: 'claude-opus-4-8', provider: 'anthropic', tokens_in: 100_000, tokens_out: 10_000 };
const iso = (ms: number) => new Date(ms).toISOString();
const RANGE = { from: iso(NOW - 30 * DAY), to: iso(NOW + HOUR) };

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Body = any;

const PATH = '/api/v1/repricings';
const POST = { method: 'POST' };
const DELETE = { method: 'DELETE' };
const addRule = (rule: object = GPUS) => ask('/api/v1/price-rules', rule);
/** Posts calls of now. Returns the session of the first. */
async function post(...calls: object[]): Promise<string> {
  const signals = calls.map((call) => makeSignal({ ts: clock.now(), ...call }));
  const { results } = await ask('/api/v1/signals', { signals });
  expect(results.filter(({ status }: Body) => status !== 'accepted')).toEqual([]);
  return results[0].session_id;
}
const voidCalls = (session: string, ...signal_ids: string[]) =>
  ask(`/api/v1/sessions/${session}/void`, { signal_ids, reason: 'wrong' });
const preview = (more: object = {}) => ask(PATH, { ...RANGE, ...more });
const begin = (id: string) => fx.send(`${PATH}/${id}/apply`, undefined, POST);
const remove = (id: string) => fx.send(`${PATH}/${id}`, undefined, DELETE);
async function work(id: string) {
  while ((await applyRepricing(ctx, id)) !== undefined);
  return ask(`${PATH}/${id}`);
}
async function apply(id: string) {
  expect((await begin(id)).status).toBe(202);
  return work(id);
}
const usage = async () => (await ask('/api/v1/usage?from=2026-10-21&to=2026-11-22')).totals;
const eventsOf = async (id: string): Promise<Body[]> => (await ask(`/api/v1/budgets/${id}/events`)).data;
const countParts = () => repricingPartRows(ctx).countDocuments({ org_id: fx.orgId });
/** Signals, sessions and usage agree. */
async function expectConserved(): Promise<void> {
  const organization = await readOrganization(ctx, fx.orgId);
  expect(await reconcileUsage(ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
  const { calls, sessions, unpriced, unpricedOfSessions } = await readCosts(ctx, fx.orgId);
  expect([sessions, unpricedOfSessions]).toEqual([calls, unpriced]);
}

/** Days and models that sum to the whole. */
function expectSums({ days, models, ...whole }: Body) {
  const measures = ['signals', 'changed', 'unpriced_before', 'unpriced_after'] as const;
  const nusd = (text: string) => BigInt(text.replace('.', ''));
  for (const rows of [days, models]) {
    for (const measure of measures)
      expect(rows.reduce((sum: number, row: Body) => sum + row[measure], 0)).toBe(whole[measure]);
    for (const cost of ['cost_before', 'cost_after'] as const)
      expect(rows.reduce((sum: bigint, row: Body) => sum + nusd(row[cost]), 0n)).toBe(nusd(whole[cost]));
  }
}

describe('a preview', () => {
  it('says what would change, whole, by day of the organization and by model, and changes nothing', async () => {
    Object.assign(fx, await fx.tenant({ timezone: 'Asia/Tokyo' }));
    await post({ ...OWN, ts: NOW - 20 * HOUR }, { ...OWN, ts: NOW - 30 * HOUR }, LISTED);
    await addRule();
    const before = await usage();
    const made = await preview();
    expect(made).toMatchObject({
      id: expect.stringMatching(/^rpc_/),
      state: 'preview',
      signals: 3,
      changed: 2,
      cost_before: '0.750000000',
      cost_after: '1.270000000',
      unpriced_before: 2,
      unpriced_after: 0,
      applied: 0,
      skipped: 0,
    });
    expect(made.days.map(({ day, changed }: Body) => [day, changed])).toEqual([
      ['2026-11-20', 1],
      ['2026-11-21', 1],
    ]);
    expect(made.models.map(({ model, cost_after }: Body) => [model, cost_after])).toEqual([
      ['claude-opus-4-8', '0.750000000'],
      ['llama-4-70b', '0.520000000'],
    ]);
    expectSums(made);
    expect(await usage()).toEqual(before);
    expect(await ask(`${PATH}/${made.id}`)).toEqual(made);
  });

  it('asks for a time of the last 35 days, in order', async () => {
    const early = await fx.send(PATH, { ...RANGE, from: iso(NOW - 35 * DAY - 1) });
    expect([early.status, early.body.errors]).toMatchObject([400, [{ pointer: '/from' }]]);
    expect((await fx.send(PATH, { ...RANGE, from: iso(NOW - 35 * DAY) })).status).toBe(201);
    expect((await fx.send(PATH, { from: RANGE.to, to: RANGE.to })).status).toBe(400);
  });

  it('looks at one model, one provider or calls without a price alone', async () => {
    await post(
      OWN,
      { ...OWN, model: 'qwen' },
      { ...LISTED, provider: 'vllm', cost_usd: 1 },
      { model: undefined, tokens_in: 0, tokens_out: 0 },
    );
    await addRule();
    const seen = async (more: object) => (await preview(more)).models.map(({ model }: Body) => model);
    expect(await seen({ model: 'LLAMA-4-70b' })).toEqual(['llama-4-70b']);
    expect(await seen({ model: 'unknown' })).toEqual(['unknown']);
    expect(await seen({ provider: 'vllm' })).toEqual(['claude-opus-4-8', 'llama-4-70b', 'qwen']);
    expect(await seen({ provider: 'vllm', only_unpriced: true })).toEqual(['llama-4-70b', 'qwen']);
  });

  it('takes the place of the oldest where there are three', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      ids.push((await preview()).id);
      clock.advance(1_000);
    }
    const statuses = await Promise.all(ids.map(async (id) => (await fx.send(`${PATH}/${id}`)).status));
    expect(statuses).toEqual([404, 200, 200, 200]);
    expect(await countParts()).toBe(0);
    clock.set(NOW);
  });

  it('looks at a number of calls at most, and one more leaves nothing behind', async () => {
    await post(...Array.from({ length: 4 }, (_, at) => ({ ...OWN, ts: NOW - at * DAY })));
    await addRule();
    const input = { from: NOW - 20 * DAY, to: NOW + 1, only_unpriced: false };
    const few = { ...ctx, few: 1 };
    await expect(previewRepricing(few, fx.orgId, input, 3)).rejects.toMatchObject({
      code: 'invalid_request',
      extra: { errors: [{ pointer: '/to' }] },
    });
    expect(await countParts()).toBe(0);
    expect(await previewRepricing(few, fx.orgId, input, 4)).toMatchObject({ signals: 4, parts: 4 });
  });

  it('is made one at a time', async () => {
    const input = { from: NOW - DAY, to: NOW, only_unpriced: false };
    const refusals: unknown[] = [];
    const meanwhile = async () => {
      await previewRepricing(slow, fx.orgId, input).catch((error: unknown) => refusals.push(error));
    };
    const slow = standingStillAfter(ctx, organizationVersionRows, meanwhile);
    expect(await previewRepricing(slow, fx.orgId, input)).toMatchObject({ state: 'preview' });
    expect(refusals).toMatchObject([{ code: 'conflict' }]);
    expect(await previewRepricing(slow, fx.orgId, input)).toMatchObject({ state: 'preview' });
  });

  it('is for keys that are bound to nobody', async () => {
    const { id } = await preview();
    const key = await fx.keyOf('ada');
    for (const [method, path] of [
      ['POST', ''],
      ['GET', `/${id}`],
      ['POST', `/${id}/apply`],
      ['DELETE', `/${id}`],
    ] as const) {
      const body = path === '' ? RANGE : undefined;
      expect((await fx.send(PATH + path, body, { key, method })).status, path).toBe(403);
    }
  });
});

describe('what is applied', () => {
  it('equals the preview, in signals, sessions, usage and exports', async () => {
    await post(
      ...Array.from({ length: 12 }, (_, at) => ({ ...OWN, ts: NOW - at * 7 * HOUR, user_id: `u${at % 3}` })),
      { ...LISTED, ts: NOW - DAY },
    );
    const { id: rule } = await addRule();
    const before = await usage();
    const made = await preview();
    expect(before).toMatchObject({
      unpriced_signals: made.unpriced_before,
      cost_usd: Number(made.cost_before),
    });
    const { state, applied, skipped, applied_at } = await apply(made.id);
    expect({ state, applied, skipped }).toEqual({ state: 'applied', applied: 12, skipped: 0 });
    expect(applied_at).toBe(iso(clock.now()));
    expect(await usage()).toEqual({
      ...before,
      cost_usd: Number(made.cost_after),
      unpriced_signals: made.unpriced_after,
    });
    const signals = await signalRows(ctx).find({ org_id: fx.orgId, model: OWN.model }).toArray();
    expect(new Set(signals.map(({ cost_nusd }) => cost_nusd))).toEqual(new Set([260_000_000]));
    expect(signals[0]).toMatchObject({ cost_source: 'rule', price_rule: { id: rule, name: GPUS.name } });
    await expectConserved();
    expect(await preview()).toMatchObject({
      changed: 0,
      cost_before: made.cost_after,
      cost_after: made.cost_after,
    });
    expect(await countParts()).toBe(1);
    expect(await auditRows(ctx).findOne({ org_id: fx.orgId, action: 'repricing.apply' })).toMatchObject({
      details: { repricing_id: made.id, signals: 12, cost_usd_before: 0.75, cost_usd_after: 3.87 },
    });
  });

  const DEARER = { ...GPUS, usd_per_million: { input: 2, output: 6 } };
  it.each([
    ['none', 'a price', null, GPUS],
    ['none', 'no cost', null, { ...GPUS, usd_per_million: undefined, free: true }],
    ['a price', 'none', GPUS, null],
    ['a price', 'another one', GPUS, DEARER],
    ['a price', 'no cost', GPUS, { ...GPUS, usd_per_million: undefined, free: true }],
  ])('equals the preview of calls that go from %s to %s', async (_from, _to, before, after) => {
    const known = before && (await addRule(before));
    await post(OWN, { ...OWN, ts: NOW - DAY }, LISTED);
    if (known) await ask(`/api/v1/price-rules/${known.id}`, undefined, DELETE);
    if (after) await addRule(after);
    const figures = async () => {
      const { cost_usd, unpriced_signals } = await usage();
      return [cost_usd, unpriced_signals];
    };
    const recorded = await figures();
    const made = await preview();
    expectSums(made);
    expect([Number(made.cost_before), made.unpriced_before]).toEqual(recorded);
    await apply(made.id);
    expect(await figures()).toEqual([Number(made.cost_after), made.unpriced_after]);
    expect((await figures()).join()).not.toBe(recorded.join());
    const [{ details } = { details: {} }] = await fx.audited('repricing.apply');
    expect(details).toMatchObject({ cost_usd_before: recorded[0], cost_usd_after: Number(made.cost_after) });
    await expectConserved();
  });

  it('prices as recording does: what nobody counted stays unknown, and what was reported comes back', async () => {
    await addRule({ ...GPUS, replaces_reported: true });
    const session = await post(
      { ...OWN, id: 'uncounted', tokens_in: null },
      { ...OWN, id: 'reported', cost_usd: 1.5 },
      { ...LISTED, id: 'uncounted-listed', tokens_out: null },
      { ...OWN, id: 'both', tokens_in: null, cost_usd: 2 },
    );
    const costs = async () =>
      Object.fromEntries(
        (await signalRows(ctx).find({ org_id: fx.orgId }).toArray()).map((signal) => [
          signal.id,
          [signal.cost_nusd, signal.cost_source],
        ]),
      );
    const recorded = {
      uncounted: [null, 'unknown'],
      reported: [260_000_000, 'rule'],
      'uncounted-listed': [null, 'unknown'],
      both: [2_000_000_000, 'reported'],
    };
    expect(await costs()).toEqual(recorded);
    const { signals } = await ask(`/api/v1/sessions/${session}`);
    for (const name of ['uncounted', 'reported_nusd'])
      expect(signals.some((signal: object) => name in signal)).toBe(false);
    expect((await preview()).changed).toBe(0);
    const { data } = await ask('/api/v1/price-rules');
    await ask(`/api/v1/price-rules/${data[0].id}`, undefined, DELETE);
    const made = await preview();
    expect(made).toMatchObject({ changed: 1, cost_before: '2.260000000', cost_after: '3.500000000' });
    await apply(made.id);
    expect(await costs()).toEqual({ ...recorded, reported: [1_500_000_000, 'reported'] });
    const row = await signalRows(ctx).findOne({ org_id: fx.orgId, id: 'reported' });
    expect(row).not.toHaveProperty('price_rule');
    expect(row).not.toHaveProperty('reported_nusd');
  });

  it('leaves out calls that were voided, before the preview and while it is applied', async () => {
    const calls = Array.from({ length: 4 }, (_, at) => ({ ...OWN, id: `c${at}`, ts: NOW - at * 1_000 }));
    const session = await post(...calls);
    await voidCalls(session, 'c0');
    await addRule();
    const { id, signals } = await preview();
    expect(signals).toBe(3);
    await begin(id);
    await voidCalls(session, 'c1');
    expect(await work(id)).toMatchObject({ state: 'applied', applied: 2, skipped: 1 });
    expect(await usage()).toMatchObject({ signals: 2, cost_usd: 0.52, unpriced_signals: 0 });
    await expectConserved();
    const voided = await signalRows(ctx)
      .find({ org_id: fx.orgId, voided: { $exists: true } })
      .toArray();
    expect(voided.map(({ cost_nusd }) => cost_nusd)).toEqual([null, null]);
  });

  it('is applied once, by however many workers, in however many parts', async () => {
    const few = { ...(await openTestContext({ sharing: ctx, clock })), few: 1 };
    await post(...Array.from({ length: 9 }, (_, at) => ({ ...OWN, ts: NOW - at * HOUR })));
    await addRule();
    const { id } = await preview();
    const begun = await Promise.all([begin(id), begin(id)]);
    expect(begun.map(({ status }) => status)).toEqual([202, 202]);
    const other = await openTestContext({ sharing: ctx, clock });
    await Promise.all([applyRepricing(few, id), applyRepricing(other, id), applyRepricing(ctx, id)]);
    expect(await ask(`${PATH}/${id}`)).toMatchObject({ state: 'applied', applied: 9 });
    expect((await usage()).cost_usd).toBe(2.34);
    await expectConserved();
    expect((await begin(id)).body).toMatchObject({ state: 'applied' });
    await Promise.all([few.close(), other.close()]);
  });
});

describe('a preview that no longer holds', () => {
  const stale = { status: 409, body: { code: 'preview_stale' } };

  it.each([
    ['a new rule', 'POST', '', { ...GPUS, match: { model: 'other' } }],
    ['a rule that ends', 'PATCH', '/{id}', { to: '2026-11-20' }],
    ['a rule that is gone', 'DELETE', '/{id}', undefined],
  ] as const)('is refused after %s', async (_, method, path, body) => {
    await post(OWN);
    const rule = await addRule();
    const { id } = await preview();
    await ask(`/api/v1/price-rules${path.replace('{id}', rule.id)}`, body, { method });
    expect(await begin(id)).toMatchObject(stale);
    expect(await ask(`${PATH}/${id}`)).toMatchObject({ state: 'preview' });
  });

  it.each(['changing', 'staying'])('is refused after a %s call was voided', async (which) => {
    const session = await post({ ...OWN, id: 'changing' }, { ...LISTED, id: 'staying' });
    await addRule();
    const { id } = await preview();
    await voidCalls(session, which);
    expect(await begin(id)).toMatchObject(stale);
  });

  it('is refused after another one gave its calls their prices, and after a day', async () => {
    await post(OWN);
    await addRule();
    const [{ id: first }, { id: second }] = [await preview(), await preview()];
    await apply(first);
    expect(await begin(second)).toMatchObject(stale);
    const { id: third } = await preview();
    clock.advance(DAY);
    expect(await begin(third)).toMatchObject(stale);
    clock.set(NOW);
  });

  it('is refused while another one is applied, and one of two that are begun at once is', async () => {
    await post(OWN);
    await addRule();
    const [{ id: first }, { id: second }] = [await preview(), await preview()];
    await begin(first);
    expect(await begin(second)).toMatchObject(stale);
    expect(await ask(`${PATH}/${second}`)).toMatchObject({ state: 'preview' });
    expect(await begin(first)).toMatchObject({ status: 202, body: { state: 'applying' } });
    expect(await work(first)).toMatchObject({ applied: 1, skipped: 0 });
    await addRule({ ...GPUS, from: '2026-10-02', usd_per_million: { input: 2, output: 6 } });
    const both = [await preview(), await preview()];
    const begun = await Promise.all(both.map(({ id }) => begin(id)));
    expect(begun.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409]);
    expect(begun.find(({ status }) => status === 409)).toMatchObject(stale);
  });

  it('is refused where another one began and ended while its calls were compared', async () => {
    await post(OWN);
    await addRule();
    const [{ id: first }, { id: second }] = [await preview(), await preview()];
    const slow = standingStillAfter(ctx, signalRows, () => apply(first));
    await expect(beginApplying(slow, fx.orgId, second)).rejects.toMatchObject({ code: 'preview_stale' });
    expect(await ask(`${PATH}/${second}`)).toMatchObject({ state: 'preview' });
  });

  it('holds beside calls that were recorded since, and after changes of budgets', async () => {
    await post(OWN);
    await addRule();
    const { id } = await preview();
    await post(OWN, LISTED);
    await fx.budget();
    expect(await apply(id)).toMatchObject({ state: 'applied', applied: 1, changed: 1 });
    expect(await usage()).toMatchObject({ cost_usd: 1.27, unpriced_signals: 0 });
    await expectConserved();
  });
});

describe('a cancelled preview', () => {
  it('is gone, and one that has begun stays', async () => {
    await post(OWN);
    await addRule();
    const { id } = await preview();
    expect((await remove(id)).status).toBe(204);
    expect((await fx.send(`${PATH}/${id}`)).status).toBe(404);
    expect((await begin(id)).status).toBe(404);
    expect(await countParts()).toBe(0);
    const { id: applied } = await preview();
    await begin(applied);
    expect(await remove(applied)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await apply(applied);
    expect((await remove(applied)).status).toBe(409);
  });

  it('and one that is applied at the same time are one of the two', async () => {
    await post(OWN);
    await addRule();
    for (let round = 0; round < 4; round += 1) {
      const { id } = await preview({ model: OWN.model });
      const [removed, begun] = await Promise.all([remove(id), begin(id)]);
      expect([
        [204, 404],
        [409, 202],
      ]).toContainEqual([removed.status, begun.status]);
      if (begun.status === 202) await apply(id);
    }
    await expectConserved();
  });
});

describe('a budget', () => {
  it('counts the new cost, and says once that it is exceeded by it', async () => {
    const daily = await fx.budget({ threshold: 0.5 });
    const rolling = await fx.budget({ name: 'R', threshold: 0.5, window: 'rolling', rolling_days: 7 });
    await post({ ...OWN, ts: NOW - HOUR }, { ...OWN, ts: NOW - HOUR / 2 });
    await evaluateDue(ctx, fx.orgId);
    await addRule();
    await apply((await preview()).id);
    await evaluateDue(ctx, fx.orgId);
    await evaluateDue(ctx, fx.orgId);
    for (const { _id } of [daily, rolling]) {
      expect(await ask(`/api/v1/budgets/${_id}`)).toMatchObject({ current: 0.52, state: 'exceeded' });
      expect(new Set((await eventsOf(_id)).map(({ level }) => level))).toEqual(
        new Set(['exceeded', 'warning']),
      );
      expect(await eventsOf(_id)).toHaveLength(2);
    }
  });

  it('that sums days is exceeded by calls of a day that is over', async () => {
    const { _id } = await fx.budget({ threshold: 0.5, window: 'rolling', rolling_days: 7 });
    await post({ ...OWN, ts: NOW - 3 * DAY }, { ...OWN, ts: NOW - 5 * DAY });
    await evaluateDue(ctx, fx.orgId);
    await addRule();
    await apply((await preview()).id);
    await evaluateDue(ctx, fx.orgId);
    const raised = (await eventsOf(_id)).filter(({ event_id }) => event_id !== null);
    expect(raised.map(({ level, window_end }) => `${level} ${window_end}`).toSorted()).toEqual([
      'exceeded 2026-11-22T00:00:00.000Z',
      'warning 2026-11-22T00:00:00.000Z',
    ]);
  });

  it('raises nothing of a window that is over, also when a late call comes', async () => {
    const { _id } = await fx.budget({ threshold: 0.2 });
    await post({ ...OWN, ts: NOW - DAY });
    await evaluateDue(ctx, fx.orgId);
    await addRule();
    await apply((await preview()).id);
    await evaluateDue(ctx, fx.orgId);
    await post({ ...OWN, tokens_in: 1, tokens_out: 0, ts: NOW - DAY });
    await evaluateDue(ctx, fx.orgId);
    expect((await eventsOf(_id)).filter(({ event_id }) => event_id !== null)).toEqual([]);
    const { data } = await ask(`/api/v1/budgets/${_id}/windows`);
    const window = data.find(({ start }: Body) => start.startsWith('2026-11-20'));
    expect(window).toMatchObject({ current: 0.26 });
  });

  it('no longer reaches a level below which a cheaper price takes it', async () => {
    const { _id } = await fx.budget({ threshold: 0.5, enforce: 'hard' });
    await post(LISTED);
    await evaluateDue(ctx, fx.orgId);
    expect(await ask(`/api/v1/budgets/${_id}`)).toMatchObject({ state: 'exceeded' });
    await addRule({ name: 'Free', from: '2026-11-01', match: {}, free: true });
    await apply((await preview()).id);
    expect(await ask(`/api/v1/budgets/${_id}`)).toMatchObject({ state: 'ok', current: 0 });
    expect((await eventsOf(_id)).every(({ reversed_at }) => reversed_at !== null)).toBe(true);
  });
});
