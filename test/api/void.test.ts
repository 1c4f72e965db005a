import { beforeEach, describe, expect, it } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { readLastActivity } from '../../shared/core/calls/sessions/last-activity.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import type { Scope } from '../../shared/platform/basics/contract.ts';
import { anomalyRows } from '../../shared/wings/anomalies/model.ts';
import { BOUND_SCOPES, makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { openTestContext, startApi, type TestApi, until } from '../support/harness.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const NOW = Date.parse('2026-11-18T10:20:00Z');
const DAY = 86_400_000;
const { api, clock } = await fixture({ clock: NOW });
let orgId: string;
let key: string;
let keyId: string;
beforeEach(async () => {
  clock.set(NOW);
  ({ orgId, key, keyId } = await makeTenant(api.ctx));
});

const REASON = 'A counter was not reset.';

async function record(...signals: Record<string, unknown>[]): Promise<string> {
  const made = signals.map((signal) => makeSignal({ ts: NOW - 60_000, ...signal }));
  const { body } = await api.call('/api/v1/signals', { key, body: { signals: made } });
  return body.results[0].session_id;
}

const voidIds = (session: string, signal_ids: unknown, as = key, reason: unknown = REASON) =>
  api.call(`/api/v1/sessions/${session}/void`, { key: as, body: { signal_ids, reason } });
const sessionOf = async (id: string, query = '') =>
  (await api.call(`/api/v1/sessions/${id}${query}`, { key })).body;
const usage = async () => (await api.call('/api/v1/usage', { key })).body.totals;

describe('POST /api/v1/sessions/{id}/void', () => {
  it('leaves a session without signals out of search, and its person without a last signal', async () => {
    const search = async (text: string) =>
      (await api.call(`/api/v1/search?q=${encodeURIComponent(text)}`, { key })).body.data.map(
        ({ kind }: { kind: string }) => kind,
      );
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
    const activity = await readLastActivity(api.ctx, orgId, ['ada', 'bob']);
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
    const { body } = await api.call('/api/v1/signals', { key, body: repeat });
    expect(body.results).toEqual([{ id: 'wrong', status: 'duplicate', session_id: id }]);
    expect(await usage()).toMatchObject({ signals: 0 });
    const audited = await auditRows(api.ctx).find({ org_id: orgId, action: 'signals.void' }).toArray();
    expect(audited.map(({ actor, details }) => ({ actor, ...details }))).toEqual([
      expect.objectContaining({
        actor: keyId,
        session_id: id,
        signal_ids: ['wrong'],
        tokens: 9_010,
        reason: REASON,
      }),
      expect.objectContaining({ signal_ids: ['right'], tokens: 17 }),
    ]);
  });

  it('leaves voided signals out of the session, unless they are asked for', async () => {
    const gate = {
      type: 'intervention',
      intervention: { kind: 'tool', verdict: 'warn', action: 'allow', source: 'x' },
    };
    const id = await record({ id: 'right' }, { id: 'wrong' }, { id: 'gate', ...gate });
    await voidIds(id, ['wrong', 'gate']);
    expect((await sessionOf(id)).signals).toMatchObject([{ id: 'right' }]);
    const all = await sessionOf(id, '?voided=include');
    const voided = { at: new Date(NOW).toISOString(), by: keyId, reason: REASON };
    expect(all.signals.find((signal: { id: string }) => signal.id === 'wrong')).toMatchObject({ voided });
    expect(all.signals.find((signal: { id: string }) => signal.id === 'right')).not.toHaveProperty('voided');
    expect((await api.call(`/api/v1/sessions/${id}?voided=only`, { key })).status).toBe(400);
    const { body } = await api.call(`/api/v1/sessions/${id}/interventions`, { key });
    expect(body).toMatchObject({ data: [], total: 0 });
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
    for (const [ids, reason] of wrong) expect((await voidIds(id, ids, key, reason)).status).toBe(400);
    expect(await sessionOf(id)).toMatchObject({ signal_count: 1 });
  });

  it('is for keys that hold its scope, which no key that is bound to a user does, and tells totals only to readers', async () => {
    const id = await record({ id: 'right' }, { id: 'wrong' });
    const keyWith = async (scopes: Scope[], user_id?: string) =>
      (await createApiKey(api.ctx, { org_id: orgId, scopes, user_id })).key;
    expect((await voidIds(id, ['wrong'], await keyWith([...BOUND_SCOPES]))).status).toBe(403);
    for (const scope of ['signals:correct', 'members:read'] as const)
      await expect(keyWith([scope], 'ada')).rejects.toMatchObject({ code: 'invalid_request' });
    const foreign = await makeTenant(api.ctx);
    expect((await voidIds(id, ['wrong'], foreign.key)).status).toBe(404);
    const writer = await keyWith(['signals:correct']);
    const { body } = await voidIds(id, ['wrong'], writer);
    expect(body).toMatchObject({ voided: ['wrong'], session: { id, state: 'open' } });
    expect(body.session).not.toHaveProperty('cost_usd');
  });

  it('lets a level fire once more after the window has fallen below it, and none that it still reaches', async () => {
    await subscribeToAll(api.ctx, orgId);
    const budget = {
      name: 'Month',
      scope: 'org',
      scope_id: orgId,
      metric: 'tokens',
      window: 'monthly',
    } as const;
    const { _id } = await createBudget(api.ctx, orgId, { ...budget, threshold: 1_000 });
    const plain = { tokens_out: 0 };
    const id = await record(
      { id: 'right', tokens_in: 850, ...plain },
      { id: 'wrong', tokens_in: 500, ...plain },
    );
    await evaluateDue(api.ctx, orgId);
    const levels = async () => {
      const { body } = await api.call(`/api/v1/budgets/${_id}/events?order=asc`, { key });
      return body.data.map(({ level, reversed_at }: { level: string; reversed_at: string | null }) => [
        level,
        reversed_at !== null,
      ]);
    };
    expect(new Set(await levels())).toEqual(
      new Set([
        ['warning', false],
        ['exceeded', false],
      ]),
    );
    clock.advance(1_000);
    await voidIds(id, ['wrong']);
    await evaluateDue(api.ctx, orgId);
    expect(await levels()).toEqual(
      expect.arrayContaining([
        ['warning', false],
        ['exceeded', true],
      ]),
    );
    expect((await api.call(`/api/v1/budgets/${_id}`, { key })).body).toMatchObject({
      current: 850,
      state: 'warning',
    });
    for (const turn of [1, 2]) {
      clock.advance(1_000);
      await record({ id: `more-${turn}`, ts: NOW, tokens_in: 200, ...plain });
      await evaluateDue(api.ctx, orgId);
      await evaluateDue(api.ctx, orgId);
      const told = await levels();
      expect(told.filter(([level]: [string]) => level === 'warning')).toEqual([['warning', false]]);
      expect(told.filter(([level]: [string]) => level === 'exceeded')).toHaveLength(1 + turn);
      expect(told.at(-1)).toEqual(['exceeded', false]);
      clock.advance(1_000);
      await voidIds(id, [`more-${turn}`]);
      await evaluateDue(api.ctx, orgId);
    }
    const raised = (await readEvents(api.ctx, orgId)).filter(({ type }) => type === 'budget.exceeded');
    expect(raised).toHaveLength(3);
  });

  it('notes on the anomalies of the session that their figures were corrected', async () => {
    const id = await record({ id: 'right' }, { id: 'wrong' });
    const of = { org_id: orgId, user_id: 'ada', session_id: id, anomaly_type: 'token_spike' } as const;
    const figures = { baseline_avg: 1, observed: 9, deviation_pct: 800, reports: 1 };
    const times = { detected_at: new Date(NOW), updated_at: new Date(NOW) };
    await anomalyRows(api.ctx).insertOne({ _id: `anm_${id}`, ...of, ...figures, ...times });
    const list = async () => (await api.call('/api/v1/anomalies', { key })).body.data;
    expect(await list()).toMatchObject([{ corrected_at: null }]);
    await voidIds(id, ['wrong']);
    expect(await list()).toMatchObject([{ corrected_at: new Date(NOW).toISOString(), observed: 9 }]);
  });

  it('counts the voided signals in a metric', async () => {
    const read = async () => {
      const { text } = await api.call('/metrics', { key: api.ctx.config.operatorToken });
      return Number(/^governor_signals_voided_total (\d+)$/m.exec(text)?.[1]);
    };
    const before = await read();
    const id = await record({ id: 'right' }, { id: 'wrong' });
    for (let turn = 0; turn < 2; turn += 1) await voidIds(id, ['wrong']);
    expect((await read()) - before).toBe(1);
  });

  it('applies once, whatever is voided, posted and closed at the same time in two processes', async () => {
    const other = await startApi({ ctx: await openTestContext({ clock, sharing: api.ctx }) });
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
    const organization = await readOrganization(api.ctx, orgId);
    expect(await reconcileUsage(api.ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
    await other.close();
  });

  it('frees what a hard budget had refused within two seconds, in every process', async () => {
    const other = await startApi({ ctx: await openTestContext({ clock, sharing: api.ctx }) });
    const budget = {
      name: 'Month',
      scope: 'org',
      scope_id: orgId,
      metric: 'tokens',
      window: 'monthly',
    } as const;
    await createBudget(api.ctx, orgId, { ...budget, threshold: 1_000, enforce: 'hard' });
    const id = await record({ id: 'right', tokens_in: 1 }, { id: 'wrong', tokens_in: 5_000 });
    const allow = async (of: TestApi) =>
      (await of.call('/api/v1/budgets/check', { key, body: { user_id: 'ada' } })).body.allow;
    await until(async () => (await allow(other)) === false && (await allow(api)) === false);
    await voidIds(id, ['wrong']);
    await until(async () => (await allow(other)) && (await allow(api)), { timeoutMs: 2_000 });
    await other.close();
  });

  it('keeps the row of a voided signal', async () => {
    const id = await record({ id: 'right' }, { id: 'wrong', tokens_in: 9_000 });
    await voidIds(id, ['wrong']);
    const row = await signalRows(api.ctx).findOne({ org_id: orgId, id: 'wrong' });
    expect(row).toMatchObject({ tokens_in: 9_000, session_id: id, voided: { by: keyId, reason: REASON } });
  });
});
