import { beforeEach, describe, expect, it } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { readLastActivity } from '../../shared/core/calls/sessions/last-activity.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { anomalyRows } from '../../shared/wings/anomalies/model.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { type TestApi, until } from '../support/harness.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const NOW = Date.parse('2026-11-18T10:20:00Z');
const DAY = 86_400_000;
const fx = await fixture({ clock: NOW, perTest: true, other: true });
const { api, ctx, clock, other, ask } = fx;
beforeEach(() => clock.set(NOW));

const REASON = 'A counter was not reset.';

async function record(...signals: Record<string, unknown>[]): Promise<string> {
  const made = signals.map((signal) => makeSignal({ ts: NOW - 60_000, ...signal }));
  return (await ask('/api/v1/signals', { signals: made })).results[0].session_id;
}

const voidIds = (session: string, signal_ids: unknown, key = fx.key, reason: unknown = REASON) =>
  fx.send(`/api/v1/sessions/${session}/void`, { signal_ids, reason }, { key });
const sessionOf = (id: string, query = '') => ask(`/api/v1/sessions/${id}${query}`);
const usage = async () => (await ask('/api/v1/usage')).totals;
/** The result of a tool of the MCP endpoint. */
async function useTool(name: string, args: object) {
  const headers = {
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2025-06-18',
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return (await ask('/mcp', call, { headers })).result.structuredContent;
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
    const answer = await voidIds(id, ['wrong']);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({
      voided: ['wrong'],
      already: [],
      session: { id, signal_count: 1, tokens_in: 7 },
    });
    expect(await usage()).toMatchObject({ signals: 1, tokens_in: 7, sessions: 1 });
    const again = await voidIds(id, ['wrong', 'right']);
    expect(again.body).toMatchObject({ voided: ['right'], already: ['wrong'], session: { signal_count: 0 } });
    expect((await voidIds(id, ['wrong', 'right'])).body).toMatchObject({
      voided: [],
      already: ['wrong', 'right'],
    });
    expect(await usage()).toMatchObject({ signals: 0, tokens_in: 0, sessions: 0 });
    const repeat = makeSignal({ id: 'wrong', ts: NOW, tokens_in: 9_000 });
    const { results } = await ask('/api/v1/signals', repeat);
    expect(results).toEqual([{ id: 'wrong', status: 'duplicate', session_id: id }]);
    expect(await usage()).toMatchObject({ signals: 0 });
    const row = await signalRows(ctx).findOne({ org_id: fx.orgId, id: 'wrong' });
    expect(row, 'the row stays').toMatchObject({
      tokens_in: 9_000,
      session_id: id,
      voided: { by: fx.keyId, reason: REASON },
    });
    const audited = await auditRows(ctx).find({ org_id: fx.orgId, action: 'signals.void' }).toArray();
    expect(audited.map(({ actor, details }) => ({ actor, ...details }))).toEqual([
      expect.objectContaining({
        actor: fx.keyId,
        session_id: id,
        signal_ids: ['wrong'],
        tokens: 9_010,
        reason: REASON,
      }),
      expect.objectContaining({ signal_ids: ['right'], tokens: 17 }),
    ]);
  });

  it('leaves the models that a session has without all that was voided, in whatever order that was', async () => {
    const orders = [
      ['first', 'second', 'last'],
      ['first', 'last', 'second'],
      ['second', 'first', 'last'],
      ['second', 'last', 'first'],
      ['last', 'first', 'second'],
      ['last', 'second', 'first'],
    ];
    const calls = [
      { id: 'first', model: 'gpt-5', tokens_in: 400 },
      { id: 'other', model: 'o3', tokens_in: 180 },
      { id: 'second', model: 'gpt-5', tokens_in: 200 },
      { id: 'last', model: 'gpt-5', tokens_in: 150 },
    ];
    for (const [at, order] of orders.entries()) {
      const user_id = `user-${at}`;
      const own = calls.map((call, turn) => ({ ...call, ts: NOW - 60_000 + turn, tokens_out: 0 }));
      const id = await record(...own.map((call) => ({ ...call, id: `${call.id}-${at}`, user_id })));
      const left = new Map(own.map((call) => [call.id, call]));
      for (const name of order) {
        await voidIds(id, [`${name}-${at}`]);
        left.delete(name);
        const models = Map.groupBy(left.values(), ({ model }) => model);
        const tokens = [...models].map(
          ([model, of]) => [model, of.reduce((sum, { tokens_in }) => sum + tokens_in, 0)] as const,
        );
        const [model = ''] = tokens.toSorted(([, a], [, b]) => b - a)[0] ?? [];
        expect(await sessionOf(id), order.join()).toMatchObject({ model, models: [...models.keys()] });
        const found = await ask(`/api/v1/sessions?user_id=${user_id}&model=${model}`);
        expect(found, order.join()).toMatchObject({ total: 1, data: [{ id }] });
      }
    }
  });

  it('leaves voided signals out of the session, for agents too, unless they are asked for', async () => {
    const gate = {
      type: 'intervention',
      intervention: { kind: 'tool', verdict: 'warn', action: 'allow', source: 'x' },
    };
    const wrong = { id: 'wrong', cost_usd: 2 };
    const id = await record({ id: 'right', cost_usd: 1 }, wrong, { id: 'gate', ...gate });
    await voidIds(id, ['wrong', 'gate']);
    expect((await sessionOf(id)).signals).toMatchObject([{ id: 'right' }]);
    const shown = await useTool('get_session', { session_id: id });
    expect([shown.signal_count, shown.signals, shown.has_more]).toMatchObject([1, [{ id: 'right' }], false]);
    expect(shown.cost_usd).toBe(shown.signals[0].cost_usd);
    const explained = await useTool('explain_cost', { session_id: id });
    expect([explained.cost_usd, explained.calls]).toMatchObject([
      shown.cost_usd,
      { reported: 1, computed: 0 },
    ]);
    const all = await sessionOf(id, '?voided=include');
    const voided = { at: new Date(NOW).toISOString(), by: fx.keyId, reason: REASON };
    expect(all.signals.find((signal: { id: string }) => signal.id === 'wrong')).toMatchObject({ voided });
    expect(all.signals.find((signal: { id: string }) => signal.id === 'right')).not.toHaveProperty('voided');
    expect((await fx.send(`/api/v1/sessions/${id}?voided=only`)).status).toBe(400);
    expect(await ask(`/api/v1/sessions/${id}/interventions`)).toMatchObject({ data: [], total: 0 });
  });

  it('voids nothing when an id is unknown or a signal is too old, and names these', async () => {
    const id = await record({ id: 'right' }, { id: 'other' });
    const elsewhere = await record({ id: 'elsewhere', user_id: 'bob' });
    const unknown = await voidIds(id, ['right', 'nobody', 'elsewhere']);
    expect(unknown.body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(unknown.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/signal_ids/1',
      '/signal_ids/2',
    ]);
    await voidIds(elsewhere, ['elsewhere']);
    clock.set(NOW + 35 * DAY);
    const old = await voidIds(id, ['right']);
    expect(old.body).toMatchObject({
      status: 409,
      code: 'conflict',
      detail: expect.stringContaining('right'),
    });
    expect((await voidIds(elsewhere, ['elsewhere'])).body).toMatchObject({ already: ['elsewhere'] });
    clock.set(NOW);
    expect(await sessionOf(id)).toMatchObject({ signal_count: 2 });
  });

  it('refuses a body that is not exactly what it takes', async () => {
    const id = await record({ id: 'right' });
    const wrong: [unknown, unknown][] = [
      [[], REASON],
      [['a', 'a'], REASON],
      [Array.from({ length: 101 }, (_, at) => `s${at}`), REASON],
      [['right'], ''],
      [['right'], 'x'.repeat(201)],
      ['right', REASON],
    ];
    for (const [ids, reason] of wrong) expect((await voidIds(id, ids, fx.key, reason)).status).toBe(400);
    expect(await sessionOf(id)).toMatchObject({ signal_count: 1 });
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
    const id = await record(
      { id: 'right', tokens_in: 850, ...plain },
      { id: 'wrong', tokens_in: 500, ...plain },
    );
    await evaluateDue(ctx, fx.orgId);
    const levels = async () => {
      const { data } = await ask(`/api/v1/budgets/${_id}/events?order=asc`);
      return data.map(({ level, reversed_at }: Record<string, string | null>) => [
        level,
        reversed_at !== null,
      ]);
    };
    const both = await levels();
    expect(both).toHaveLength(2);
    expect(both).toEqual(
      expect.arrayContaining([
        ['warning', false],
        ['exceeded', false],
      ]),
    );
    clock.advance(1_000);
    await voidIds(id, ['wrong']);
    await evaluateDue(ctx, fx.orgId);
    expect(await levels()).toEqual(
      expect.arrayContaining([
        ['warning', false],
        ['exceeded', true],
      ]),
    );
    expect(await ask(`/api/v1/budgets/${_id}`)).toMatchObject({ current: 850, state: 'warning' });
    for (const turn of [1, 2]) {
      clock.advance(1_000);
      await record({ id: `more-${turn}`, ts: NOW, tokens_in: 200, ...plain });
      await evaluateDue(ctx, fx.orgId);
      await evaluateDue(ctx, fx.orgId);
      const told = await levels();
      expect(told.filter(([level]: [string]) => level === 'warning')).toEqual([['warning', false]]);
      expect(told.filter(([level]: [string]) => level === 'exceeded')).toHaveLength(1 + turn);
      expect(told.at(-1)).toEqual(['exceeded', false]);
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
    const read = async () => {
      const { text } = await api.call('/metrics', { key: ctx.config.operatorToken });
      return Number(/^governor_signals_voided_total (\d+)$/m.exec(text)?.[1]);
    };
    const before = await read();
    const id = await record({ id: 'right' }, { id: 'wrong' });
    for (let turn = 0; turn < 2; turn += 1) await voidIds(id, ['wrong']);
    expect((await read()) - before).toBe(1);
  });

  it('applies once, whatever is voided, posted and closed at the same time in two processes', async () => {
    const { key } = fx;
    const id = await record(
      ...Array.from({ length: 30 }, (_, at) => ({ id: `s${at}`, tokens_in: 100 + at })),
    );
    const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `s${from + at}`);
    const inTurn = (turn: number) => (turn % 2 === 0 ? api : other);
    const asked = [ids(0, 10), ids(5, 15), ids(0, 10), ids(12, 20)].map((signal_ids, at) =>
      inTurn(at).call(`/api/v1/sessions/${id}/void`, { key, body: { signal_ids, reason: REASON } }),
    );
    const posted = [1, 2, 3].map((turn) =>
      inTurn(turn).call('/api/v1/signals', {
        key,
        body: makeSignal({ id: `late-${turn}`, ts: NOW - 30_000 }),
      }),
    );
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
