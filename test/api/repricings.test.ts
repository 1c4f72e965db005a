import { describe, expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { organizationVersionRows } from '../../shared/core/accounts/organizations/versions.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { applyRepricing } from '../../shared/wings/prices/repricing/apply-parts.ts';
import { beginApplying } from '../../shared/wings/prices/repricing/begin-applying.ts';
import { repricingPartRows } from '../../shared/wings/prices/repricing/model.ts';
import { previewRepricing } from '../../shared/wings/prices/repricing/preview.ts';
import { fixture } from '../support/fixture.ts';
import { openTestContext } from '../support/harness.ts';
import { standingStillAfter } from '../support/interleave.ts';
import { GPUS, LISTED, OWN } from '../support/prices.ts';
import { readCosts } from '../support/reprice.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const fx = await fixture({ clock: NOW, perTest: true });
const { ctx, clock, ask, spend } = fx;

const iso = (ms: number) => new Date(ms).toISOString();
const RANGE = { from: iso(NOW - 30 * DAY), to: iso(NOW + HOUR) };

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Body = any;

const PATH = '/api/v1/repricings';
const POST = { method: 'POST' };
const addRule = (rule: object = GPUS) => ask('/api/v1/price-rules', rule);
const voidCalls = (session: string, ...signal_ids: string[]) =>
  ask(`/api/v1/sessions/${session}/void`, { signal_ids, reason: 'wrong' });
const preview = (more: object = {}) => ask(PATH, { ...RANGE, ...more });
const begin = (id: string) => fx.send(`${PATH}/${id}/apply`, undefined, POST);
const remove = (id: string) => fx.remove(`${PATH}/${id}`);
async function work(id: string) {
  while ((await applyRepricing(ctx, id)) !== undefined);
  return ask(`${PATH}/${id}`);
}
async function apply(id: string) {
  expect((await begin(id)).status).toBe(202);
  return work(id);
}
/** Gives recorded calls the prices of a new rule. */
async function reprice(rule: object = GPUS) {
  await addRule(rule);
  await apply((await preview()).id);
  await evaluateDue(ctx, fx.orgId);
}
/** The previews of a rule for calls that were recorded before it. */
async function previewsOf(...calls: Parameters<typeof spend>): Promise<[first: string, second: string]> {
  await spend(...calls);
  await addRule();
  return [(await preview()).id, (await preview()).id];
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
    await spend({ ...OWN, ts: NOW - 20 * HOUR }, { ...OWN, ts: NOW - 30 * HOUR }, LISTED);
    await addRule();
    const before = await usage();
    const made = await preview();
    const costs = { cost_before: '0.750000000', cost_after: '1.270000000' };
    const counts = { signals: 3, changed: 2, unpriced_before: 2, unpriced_after: 0, applied: 0, skipped: 0 };
    expect(made).toMatchObject({ state: 'preview', ...counts, ...costs });
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
    await spend(
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
    await spend(...Array.from({ length: 4 }, (_, at) => ({ ...OWN, ts: NOW - at * DAY })));
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
    const [{ id }, key] = [await preview(), await fx.keyOf('ada')];
    for (const [method, path, body] of [
      ['POST', '', RANGE],
      ['GET', `/${id}`],
      ['POST', `/${id}/apply`],
      ['DELETE', `/${id}`],
    ] as const)
      expect((await fx.send(PATH + path, body, { key, method })).status, path).toBe(403);
  });
});

describe('what is applied', () => {
  const DEARER = { ...GPUS, usd_per_million: { input: 2, output: 6 } };
  it.each([
    ['none', 'a price', null, GPUS],
    ['none', 'no cost', null, { ...GPUS, usd_per_million: undefined, free: true }],
    ['a price', 'none', GPUS, null],
    ['a price', 'another one', GPUS, DEARER],
    ['a price', 'no cost', GPUS, { ...GPUS, usd_per_million: undefined, free: true }],
  ])('equals the preview of calls that go from %s to %s', async (_from, _to, before, after) => {
    const known = before && (await addRule(before));
    await spend(OWN, { ...OWN, ts: NOW - DAY, user_id: 'bob' }, LISTED);
    if (known) await fx.remove(`/api/v1/price-rules/${known.id}`);
    const rule = after && (await addRule(after));
    const figures = async () => {
      const { cost_usd, unpriced_signals } = await usage();
      return [cost_usd, unpriced_signals];
    };
    const recorded = await figures();
    const made = await preview();
    expectSums(made);
    expect([Number(made.cost_before), made.unpriced_before]).toEqual(recorded);
    const done = { state: 'applied', applied: 2, skipped: 0, applied_at: iso(clock.now()) };
    expect(await apply(made.id)).toMatchObject(done);
    expect(await figures()).toEqual([Number(made.cost_after), made.unpriced_after]);
    expect((await figures()).join()).not.toBe(recorded.join());
    const rows = await signalRows(ctx).find({ org_id: fx.orgId, model: OWN.model }).toArray();
    const priced = rule ? ['rule', { id: rule.id, name: rule.name }] : ['unknown', undefined];
    for (const { cost_source, price_rule } of rows) expect([cost_source, price_rule]).toEqual(priced);
    const costs = { cost_usd_before: recorded[0], cost_usd_after: Number(made.cost_after) };
    const details = { repricing_id: made.id, signals: 2, ...costs };
    expect(await fx.audited('repricing.apply')).toMatchObject([{ details }]);
    expect(await countParts()).toBe(0);
    expect(await preview()).toMatchObject({ changed: 0, cost_before: made.cost_after });
    await expectConserved();
  });

  it('leaves without a price what nobody counted, as recording does', async () => {
    await addRule({ ...GPUS, replaces_reported: true });
    await spend(
      { ...OWN, id: 'uncounted', tokens_in: null },
      { ...LISTED, id: 'uncounted-listed', tokens_out: null },
      { ...OWN, id: 'both', tokens_in: null, cost_usd: 2 },
    );
    const rows = await signalRows(ctx).find({ org_id: fx.orgId }).sort({ id: 1 }).toArray();
    expect(rows.map(({ id, cost_nusd }) => [id, cost_nusd])).toEqual([
      ['both', 2_000_000_000],
      ['uncounted', null],
      ['uncounted-listed', null],
    ]);
    expect(await preview()).toMatchObject({ changed: 0, unpriced_after: 2, cost_after: '2.000000000' });
  });

  it('leaves out calls that were voided, before the preview and while it is applied', async () => {
    const calls = Array.from({ length: 4 }, (_, at) => ({ ...OWN, id: `c${at}`, ts: NOW - at * 1_000 }));
    const session = await spend(...calls);
    await voidCalls(session, 'c0');
    await addRule();
    const { id, signals } = await preview();
    expect(signals).toBe(3);
    await begin(id);
    await voidCalls(session, 'c1');
    expect(await work(id)).toMatchObject({ state: 'applied', applied: 2, skipped: 1 });
    expect(await usage()).toMatchObject({ signals: 2, cost_usd: 0.52, unpriced_signals: 0 });
    await expectConserved();
    const voided = { org_id: fx.orgId, voided: { $exists: true }, cost_nusd: null };
    expect(await signalRows(ctx).countDocuments(voided)).toBe(2);
  });

  it('is applied once, by however many workers, in however many parts', async () => {
    const few = { ...(await openTestContext({ sharing: ctx, clock })), few: 1 };
    await spend(...Array.from({ length: 9 }, (_, at) => ({ ...OWN, ts: NOW - at * HOUR })));
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

  const RULES = '/api/v1/price-rules';
  const changes: [what: string, change: (rule: string, session: string) => Promise<unknown>][] = [
    ['a new rule', () => addRule({ ...GPUS, match: { model: 'other' } })],
    ['a rule that ends', (rule) => fx.patch(`${RULES}/${rule}`, { to: '2026-11-20' })],
    ['a rule that is gone', (rule) => fx.remove(`${RULES}/${rule}`)],
    ['a void of a call that changes', (_, session) => voidCalls(session, 'changing')],
    ['a void of a call that stays as it is', (_, session) => voidCalls(session, 'staying')],
    ['another one that gave its calls their prices', async () => apply((await preview()).id)],
    ['a day', async () => clock.advance(DAY)],
  ];
  it.each(changes)('is refused after %s', async (_, change) => {
    const session = await spend({ ...OWN, id: 'changing' }, { ...LISTED, id: 'staying' });
    const { id: rule } = await addRule();
    const { id } = await preview();
    await change(rule, session);
    expect(await begin(id)).toMatchObject(stale);
    expect(await ask(`${PATH}/${id}`)).toMatchObject({ state: 'preview' });
  });

  it('is refused while another one is applied, and one of two that are begun at once is', async () => {
    const [first, second] = await previewsOf(OWN);
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
    const [first, second] = await previewsOf(OWN);
    const slow = standingStillAfter(ctx, signalRows, () => apply(first));
    await expect(beginApplying(slow, fx.orgId, second)).rejects.toMatchObject({ code: 'preview_stale' });
    expect(await ask(`${PATH}/${second}`)).toMatchObject({ state: 'preview' });
  });

  it('holds beside calls that were recorded since, and after changes of budgets', async () => {
    const [id] = await previewsOf(OWN);
    await spend(OWN, LISTED);
    await fx.budget();
    expect(await apply(id)).toMatchObject({ state: 'applied', applied: 1, changed: 1 });
    expect(await usage()).toMatchObject({ cost_usd: 1.27, unpriced_signals: 0 });
    await expectConserved();
  });
});

describe('a cancelled preview', () => {
  it('is gone, and one that has begun stays', async () => {
    const [id, applied] = await previewsOf(OWN);
    await begin(applied);
    expect(await remove(applied)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await apply(applied);
    const statuses = [applied, id].map(async (each) => (await remove(each)).status);
    expect(await Promise.all(statuses)).toEqual([409, 204]);
    expect([(await fx.send(`${PATH}/${id}`)).status, (await begin(id)).status]).toEqual([404, 404]);
    expect(await countParts()).toBe(0);
  });

  it('and one that is applied at the same time are one of the two', async () => {
    await spend(OWN);
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
    await spend({ ...OWN, ts: NOW - HOUR }, { ...OWN, ts: NOW - HOUR / 2 });
    await evaluateDue(ctx, fx.orgId);
    await reprice();
    await evaluateDue(ctx, fx.orgId);
    for (const { _id } of [daily, rolling]) {
      expect(await ask(`/api/v1/budgets/${_id}`)).toMatchObject({ current: 0.52, state: 'exceeded' });
      const levels = (await eventsOf(_id)).map(({ level }) => String(level));
      expect(levels.toSorted()).toEqual(['exceeded', 'warning']);
    }
  });

  it('that sums days is exceeded by calls of a day that is over', async () => {
    const { _id } = await fx.budget({ threshold: 0.5, window: 'rolling', rolling_days: 7 });
    await spend({ ...OWN, ts: NOW - 3 * DAY }, { ...OWN, ts: NOW - 5 * DAY });
    await evaluateDue(ctx, fx.orgId);
    await reprice();
    const raised = (await eventsOf(_id)).filter(({ event_id }) => event_id !== null);
    expect(raised.map(({ level, window_end }) => `${level} ${window_end}`).toSorted()).toEqual([
      'exceeded 2026-11-22T00:00:00.000Z',
      'warning 2026-11-22T00:00:00.000Z',
    ]);
  });

  it('raises nothing of a window that is over, also when a late call comes', async () => {
    const { _id } = await fx.budget({ threshold: 0.2 });
    await spend({ ...OWN, ts: NOW - DAY });
    await evaluateDue(ctx, fx.orgId);
    await reprice();
    await spend({ ...OWN, tokens_in: 1, tokens_out: 0, ts: NOW - DAY });
    await evaluateDue(ctx, fx.orgId);
    expect((await eventsOf(_id)).filter(({ event_id }) => event_id !== null)).toEqual([]);
    const { data } = await ask(`/api/v1/budgets/${_id}/windows`);
    const window = data.find(({ start }: Body) => start.startsWith('2026-11-20'));
    expect(window).toMatchObject({ current: 0.26 });
  });

  it('no longer reaches a level below which a cheaper price takes it', async () => {
    const { _id } = await fx.budget({ threshold: 0.5, enforce: 'hard' });
    await spend(LISTED);
    await evaluateDue(ctx, fx.orgId);
    expect(await ask(`/api/v1/budgets/${_id}`)).toMatchObject({ state: 'exceeded' });
    await reprice({ name: 'Free', from: '2026-11-01', match: {}, free: true });
    expect(await ask(`/api/v1/budgets/${_id}`)).toMatchObject({ state: 'ok', current: 0 });
    expect((await eventsOf(_id)).every(({ reversed_at }) => reversed_at !== null)).toBe(true);
  });
});
