import { describe, expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { readLastActivity } from '../../shared/core/calls/sessions/last-activity.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { anomalyRows } from '../../shared/wings/anomalies/model.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { type TestApi, until } from '../support/harness.ts';
import { toolCall } from '../support/mcp.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const NOW = Date.parse('2026-11-18T10:20:00Z');
const DAY = 86_400_000;
const fx = await fixture({ clock: NOW, perTest: true, other: true });
const { api, ctx, clock, other, ask } = fx;

const REASON = 'A counter was not reset.';

/** Posts calls of a minute ago. Returns the session of the first. */
const record = (...calls: object[]) => fx.spend(...calls.map((call) => ({ ts: NOW - 60_000, ...call })));

const voidIds = (session: string, signal_ids: string[], key = fx.key) =>
  fx.send(`/api/v1/sessions/${session}/void`, { signal_ids, reason: REASON }, { key });
const sessionOf = (id: string, query = '') => ask(`/api/v1/sessions/${id}${query}`);
const usage = async () => (await ask('/api/v1/usage')).totals;
/** The result of a tool of the MCP endpoint. */
async function useTool(name: string, args: object) {
  const { body, headers } = toolCall(name, args);
  return (await ask('/mcp', body, { headers })).result.structuredContent;
}
/** A monthly budget of a thousand tokens. */
const makeBudget = (fields: object = {}) =>
  fx.budget({ metric: 'tokens', window: 'monthly', threshold: 1_000, ...fields });

describe('POST /api/v1/sessions/{id}/void', () => {
  it('leaves a session without signals out of search, and its person without a last signal', async () => {
    const search = async (text: string) =>
      (await ask(`/api/v1/search?q=${text}`)).data.map(({ kind }: { kind: string }) => kind);
    const id = await record({ id: 'wrong-one', user_id: 'ada' });
    const earlier = await record({ id: 'true-one', user_id: 'bob', ts: NOW - 9 * DAY });
    const later = await record({ id: 'wrong-two', user_id: 'bob' });
    expect(await search(id)).toEqual(['session']);
    expect(await search('wrong-one')).toEqual(['signal']);
    await voidIds(id, ['wrong-one']);
    expect((await voidIds(later, ['wrong-two'])).body.session).toMatchObject({ signal_count: 0 });
    expect(later).not.toBe(earlier);
    expect(await search(id)).toEqual([]);
    expect(await search('wrong-one')).toEqual([]);
    const activity = await readLastActivity(ctx, fx.orgId, ['ada', 'bob']);
    expect([...activity]).toEqual([['bob', new Date(NOW - 9 * DAY)]]);
  });

  it('takes signals out of session and usage; a repeat changes nothing and says so, and their ids stay taken', async () => {
    const id = await record({ id: 'right', tokens_in: 7 }, { id: 'wrong', tokens_in: 9_000 });
    const left = { id, signal_count: 1, tokens_in: 7 };
    const { body } = await voidIds(id, ['wrong']);
    expect(body).toMatchObject({ voided: ['wrong'], already: [], session: left });
    expect(await usage()).toMatchObject({ signals: 1, tokens_in: 7, sessions: 1 });
    const both = ['wrong', 'right'];
    const again = await voidIds(id, both);
    expect(again.body).toMatchObject({ voided: ['right'], already: ['wrong'], session: { signal_count: 0 } });
    expect((await voidIds(id, both)).body).toMatchObject({ voided: [], already: both });
    const repeat = makeSignal({ id: 'wrong', ts: NOW, tokens_in: 9_000 });
    const { results } = await ask('/api/v1/signals', repeat);
    expect(results).toEqual([{ id: 'wrong', status: 'duplicate', session_id: id }]);
    expect(await usage()).toMatchObject({ signals: 0, tokens_in: 0, sessions: 0 });
    const row = await signalRows(ctx).findOne({ org_id: fx.orgId, id: 'wrong' });
    const voided = { by: fx.keyId, reason: REASON };
    expect(row, 'the row stays').toMatchObject({ tokens_in: 9_000, session_id: id, voided });
    const wrong = { session_id: id, signal_ids: ['wrong'], tokens: 9_010, reason: REASON };
    expect(await fx.audited('signals.void')).toMatchObject([
      { actor: fx.keyId, details: wrong },
      { details: { signal_ids: ['right'], tokens: 17 } },
    ]);
  });

  it('leaves the models that a session has without all that was voided, in whatever order that was', async () => {
    const calls = [
      { id: 'first', model: 'gpt-5', tokens_in: 400 },
      { id: 'other', model: 'o3', tokens_in: 180 },
      { id: 'second', model: 'gpt-5', tokens_in: 200 },
      { id: 'last', model: 'gpt-5', tokens_in: 150 },
    ];
    for (const [order, ...shown] of [
      ['first second last', 'gpt-5 of o3, gpt-5', 'o3 of o3, gpt-5', 'o3 of o3'],
      ['first last second', 'gpt-5 of o3, gpt-5', 'gpt-5 of o3, gpt-5', 'o3 of o3'],
      ['second first last', 'gpt-5 of gpt-5, o3', 'o3 of o3, gpt-5', 'o3 of o3'],
      ['second last first', 'gpt-5 of gpt-5, o3', 'gpt-5 of gpt-5, o3', 'o3 of o3'],
      ['last first second', 'gpt-5 of gpt-5, o3', 'gpt-5 of o3, gpt-5', 'o3 of o3'],
      ['last second first', 'gpt-5 of gpt-5, o3', 'gpt-5 of gpt-5, o3', 'o3 of o3'],
    ] as const) {
      const of = { user_id: order, tokens_out: 0 };
      const ownOf = (call: (typeof calls)[number], turn: number) => ({
        ...of,
        ...call,
        id: `${call.id} of ${order}`,
        ts: NOW - 60_000 + turn,
      });
      const id = await record(...calls.map(ownOf));
      for (const [turn, name] of order.split(' ').entries()) {
        await voidIds(id, [`${name} of ${order}`]);
        const { model, models } = await sessionOf(id);
        expect(`${model} of ${models.join(', ')}`, `${order}: ${name}`).toBe(shown[turn]);
        const found = await ask(`/api/v1/sessions?model=${model}&user_id=${encodeURIComponent(order)}`);
        expect(found).toMatchObject({ total: 1, data: [{ id }] });
      }
    }
  });

  it('leaves voided signals out of the session, for agents too, unless they are asked for', async () => {
    const intervention = { kind: 'tool', verdict: 'warn', action: 'allow', source: 'x' };
    const gate = { id: 'gate', type: 'intervention', intervention };
    const id = await record({ id: 'right', cost_usd: 1 }, { id: 'wrong', cost_usd: 2 }, gate);
    await voidIds(id, ['wrong', 'gate']);
    expect((await sessionOf(id)).signals).toMatchObject([{ id: 'right' }]);
    const shown = await useTool('get_session', { session_id: id });
    expect([shown.signal_count, shown.signals, shown.has_more]).toMatchObject([1, [{ id: 'right' }], false]);
    expect(shown.cost_usd).toBe(shown.signals[0].cost_usd);
    const explained = await useTool('explain_cost', { session_id: id });
    expect(explained).toMatchObject({ cost_usd: shown.cost_usd, calls: { reported: 1, computed: 0 } });
    const all: { id: string; voided?: object }[] = (await sessionOf(id, '?voided=include')).signals;
    const voided = { at: new Date(NOW).toISOString(), by: fx.keyId, reason: REASON };
    const seen = Object.fromEntries(all.map((signal) => [signal.id, signal.voided]));
    expect(seen).toEqual({ right: undefined, wrong: voided, gate: voided });
    expect(await ask(`/api/v1/sessions/${id}/interventions`)).toMatchObject({ data: [], total: 0 });
  });

  it('voids nothing when an id is unknown or a signal is too old, and names these', async () => {
    const id = await record({ id: 'right' }, { id: 'other' });
    const elsewhere = await record({ id: 'elsewhere', user_id: 'bob' });
    expect((await voidIds(id, ['right', 'right'])).body.code, 'an id is named once').toBe('invalid_request');
    const unknown = await voidIds(id, ['right', 'nobody', 'elsewhere']);
    expect(unknown.body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(unknown.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/signal_ids/1',
      '/signal_ids/2',
    ]);
    await voidIds(elsewhere, ['elsewhere']);
    clock.set(NOW + 35 * DAY);
    const old = await voidIds(id, ['right']);
    const detail = expect.stringContaining('right');
    expect(old.body).toMatchObject({ status: 409, code: 'conflict', detail });
    expect((await voidIds(elsewhere, ['elsewhere'])).body).toMatchObject({ already: ['elsewhere'] });
    clock.set(NOW);
    expect(await sessionOf(id)).toMatchObject({ signal_count: 2 });
  });

  it('is for keys that hold its scope, which no key that is bound to a user does, and tells totals only to readers', async () => {
    const id = await record({ id: 'right' }, { id: 'wrong' });
    expect((await voidIds(id, ['wrong'], await fx.keyOf(null))).status).toBe(403);
    for (const scope of ['signals:correct', 'members:read'] as const)
      await expect(fx.keyOf('ada', [scope])).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await voidIds(id, ['wrong'], (await fx.tenant()).key)).status).toBe(404);
    const { body } = await voidIds(id, ['wrong'], await fx.keyOf(null, ['signals:correct']));
    expect(body).toMatchObject({ voided: ['wrong'], session: { id, state: 'open' } });
    expect(body.session).not.toHaveProperty('cost_usd');
  });

  it('lets a level fire once more after the window has fallen below it, and none that it still reaches', async () => {
    await subscribeToAll(ctx, fx.orgId);
    const { _id } = await makeBudget();
    const plain = { tokens_out: 0 };
    const right = { id: 'right', tokens_in: 850, ...plain };
    const id = await record(right, { id: 'wrong', tokens_in: 500, ...plain });
    await evaluateDue(ctx, fx.orgId);
    const levels = async (): Promise<string[]> => {
      const { data } = await ask(`/api/v1/budgets/${_id}/events?order=asc`);
      const shown = ({ level, reversed_at }: Record<string, string | null>) =>
        reversed_at === null ? level : `${level} before`;
      return data.map(shown);
    };
    expect((await levels()).toSorted()).toEqual(['exceeded', 'warning']);
    clock.advance(1_000);
    await voidIds(id, ['wrong']);
    await evaluateDue(ctx, fx.orgId);
    expect((await levels()).toSorted()).toEqual(['exceeded before', 'warning']);
    expect(await ask(`/api/v1/budgets/${_id}`)).toMatchObject({ current: 850, state: 'warning' });
    for (const turn of [1, 2]) {
      clock.advance(1_000);
      await record({ id: `more-${turn}`, ts: NOW, tokens_in: 200, ...plain });
      await evaluateDue(ctx, fx.orgId);
      await evaluateDue(ctx, fx.orgId);
      const told = await levels();
      expect(told.at(-1)).toBe('exceeded');
      const before = Array<string>(turn).fill('exceeded before');
      expect(told.toSorted()).toEqual(['exceeded', ...before, 'warning']);
      clock.advance(1_000);
      await voidIds(id, [`more-${turn}`]);
      await evaluateDue(ctx, fx.orgId);
    }
    const raised = (await readEvents(ctx, fx.orgId)).filter(({ type }) => type === 'budget.exceeded');
    expect(raised).toHaveLength(3);
  });

  it.each([0, 3])(
    'takes a session out of a window of sessions once, though it is emptied again after that took no more (%i days)',
    async (days) => {
      const { _id } = await makeBudget({ metric: 'sessions', window: 'daily' });
      const counted = async () => {
        const { data } = await ask(`/api/v1/budgets/${_id}/windows`);
        return data.find(({ start }: { start: string }) => start === '2026-11-18T00:00:00.000Z')?.current;
      };
      await record({ id: 'of-bob', user_id: 'bob' });
      const id = await record({ id: 'first' });
      expect(await counted()).toBe(2);
      clock.advance(days * DAY);
      await voidIds(id, ['first']);
      expect(await counted()).toBe(1);
      clock.advance(4 * DAY);
      expect(await record({ id: 'second' })).toBe(id);
      expect(await counted()).toBe(1);
      expect((await voidIds(id, ['second'])).body).toMatchObject({ session: { signal_count: 0 } });
      expect(await counted()).toBe(1);
    },
  );

  it('notes on the anomalies of the session that their figures were corrected', async () => {
    const id = await record({ id: 'right' }, { id: 'wrong' });
    const of = { org_id: fx.orgId, user_id: 'ada', session_id: id, anomaly_type: 'token_spike' } as const;
    const figures = { baseline_avg: 1, observed: 9, deviation_pct: 800, reports: 1 };
    const times = { detected_at: new Date(NOW), updated_at: new Date(NOW) };
    await anomalyRows(ctx).insertOne({ _id: `anm_${id}`, ...of, ...figures, ...times });
    const list = async () => (await ask('/api/v1/anomalies')).data;
    expect(await list()).toMatchObject([{ corrected_at: null }]);
    await voidIds(id, ['wrong']);
    expect(await list()).toMatchObject([{ corrected_at: new Date(NOW).toISOString(), observed: 9 }]);
  });

  it('counts the voided signals in a metric', async () => {
    const read = () => fx.metric('governor_signals_voided_total');
    const before = await read();
    const id = await record({ id: 'right' }, { id: 'wrong' });
    for (let turn = 0; turn < 2; turn += 1) await voidIds(id, ['wrong']);
    expect((await read()) - before).toBe(1);
  });

  it('applies once, whatever is voided, posted and closed at the same time in two processes', async () => {
    const { key } = fx;
    const calls = Array.from({ length: 30 }, (_, at) => ({ id: `s${at}`, tokens_in: 100 + at }));
    const id = await record(...calls);
    const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `s${from + at}`);
    const inTurn = (turn: number) => (turn % 2 === 0 ? api : other);
    const asked = [ids(0, 10), ids(5, 15), ids(0, 10), ids(12, 20)].map((signal_ids, at) =>
      inTurn(at).call(`/api/v1/sessions/${id}/void`, { key, body: { signal_ids, reason: REASON } }),
    );
    const late = (turn: number) => makeSignal({ id: `late-${turn}`, ts: NOW - 30_000 });
    const posted = [1, 2, 3].map((turn) => inTurn(turn).call('/api/v1/signals', { key, body: late(turn) }));
    const closed = other.call(`/api/v1/sessions/${id}/close`, { key, method: 'POST' });
    const answers = await Promise.all(asked);
    await Promise.all([...posted, closed]);
    for (const answer of answers) expect(answer.status, answer.text).toBe(200);
    const voided = answers.flatMap(({ body }) => body.voided as string[]);
    expect(voided.toSorted()).toEqual(ids(0, 20).toSorted());
    expect(await sessionOf(id)).toMatchObject({ signal_count: 13 });
    expect(await usage()).toMatchObject({ signals: 13 });
    const organization = await readOrganization(ctx, fx.orgId);
    expect(await reconcileUsage(ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
  });

  it('frees what a hard budget had refused within two seconds, in every process', async () => {
    await makeBudget({ enforce: 'hard' });
    const id = await record({ id: 'right', tokens_in: 1 }, { id: 'wrong', tokens_in: 5_000 });
    const allow = async (of: TestApi) =>
      (await of.call('/api/v1/budgets/check', { key: fx.key, body: { user_id: 'ada' } })).body.allow;
    await until(async () => (await allow(other)) === false && (await allow(api)) === false);
    await voidIds(id, ['wrong']);
    await until(async () => (await allow(other)) && (await allow(api)), { timeoutMs: 2_000 });
  });
});
