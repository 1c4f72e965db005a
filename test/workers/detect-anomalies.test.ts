import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { closeSession } from '../../shared/core/calls/ingest/end-session.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { voidSignals } from '../../shared/core/calls/ingest/void-signals.ts';
import { type Session, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { readDue } from '../../shared/platform/due/plan-due.ts';
import { sweepDue } from '../../shared/platform/due/sweep-due.ts';
import { checkSession, readBaseline } from '../../shared/wings/anomalies/check-session.ts';
import { checkSessionJob } from '../../shared/wings/anomalies/jobs.ts';
import { anomalyRows, expectationRows } from '../../shared/wings/anomalies/model.ts';
import { checkSession as checkSessionRow } from '../../workers/index.ts';
import { makeSignal, makeTenant, senderOf } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import type { TestContext } from '../support/harness.ts';
import { standingStillAfter } from '../support/interleave.ts';
import { readEvents, type StoredEvent, subscribeToAll } from '../support/webhooks.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const { api, clock } = await fixture({ clock: NOW });
let ctx: TestContext;
beforeAll(async () => {
  ctx = api.ctx;
});

const own = (orgId: string) => ({ orgId, userId: null });

/** Posts one call of ada's and returns its session. */
async function post(orgId: string, overrides: Record<string, unknown> = {}): Promise<string> {
  const signal = makeSignal({ ts: clock.now(), tokens_out: 0, cost_usd: 0.01, ...overrides });
  const [result] = await recordSignals(ctx, senderOf(orgId), [signal]);
  if (result?.status !== 'accepted') throw new Error(JSON.stringify(result));
  return result.session_id;
}

/** Twenty sessions of 10,000 tokens, one an hour, the last two hours ago. */
async function makePast(): Promise<{ orgId: string; key: string }> {
  clock.set(NOW);
  const tenant = await makeTenant(ctx);
  await subscribeToAll(ctx, tenant.orgId);
  for (let ago = 21; ago >= 2; ago -= 1)
    await post(tenant.orgId, { ts: NOW - ago * HOUR, tokens_in: 10_000 });
  return tenant;
}

async function events(orgId: string): Promise<StoredEvent[]> {
  return (await readEvents(ctx, orgId)).filter(({ type }) => type === 'anomaly.detected');
}

test('a session that a newer one ends is looked at once more, at once', async () => {
  clock.set(NOW);
  const { orgId } = await makeTenant(ctx);
  const ended = await post(orgId, { tokens_in: 16_000_000 });
  await checkSession(ctx, ended);
  expect(await readDue(ctx, checkSessionJob, ended)).toBeNull();
  clock.advance(31 * 60_000);
  expect(await post(orgId)).not.toBe(ended);
  expect((await readDue(ctx, checkSessionJob, ended))?.due_at).toEqual(new Date(clock.now()));
});

test.each([
  { signals: 5_000, minutes: 1 },
  { signals: 200_000, minutes: 20 },
])('one of $signals signals that may have run away is looked at again after $minutes min', async (row) => {
  clock.set(NOW);
  const { orgId } = await makeTenant(ctx);
  const sessionId = await post(orgId, { tokens_in: 6_000_000 });
  await sessionRows(ctx).updateOne({ _id: sessionId }, { $set: { signal_count: row.signals } });
  await checkSession(ctx, sessionId);
  clock.advance(10_000);
  await post(orgId, { tokens_in: 1 });
  const due = await readDue(ctx, checkSessionJob, sessionId);
  expect(due?.due_at.getTime()).toBeGreaterThanOrEqual(NOW + row.minutes * 60_000);
  expect(due?.due_at.getTime()).toBeLessThan(NOW + (row.minutes + 1) * 60_000);
});

describe('a session that stands out', () => {
  test('is reported while it runs, with its documented payload, and listed', async () => {
    const { orgId, key } = await makePast();
    const sessionId = await post(orgId, { tokens_in: 100_000 });
    expect(await checkSessionRow.handle({ key: sessionId }, ctx)).toBeUndefined();
    const [event, ...more] = await events(orgId);
    expect(more).toEqual([]);
    expect(event?.data).toEqual({
      anomaly_type: 'token_spike',
      user_id: 'ada',
      baseline_avg: 10_000,
      observed: 100_000,
      deviation_pct: 900,
      session_id: sessionId,
    });
    const { body } = await api.call('/api/v1/anomalies', { key });
    expect(body).toMatchObject({ has_more: false, total: 1 });
    expect(body.data).toEqual([
      {
        ...event?.data,
        state: 'new',
        id: expect.stringMatching(/^anm_/),
        detected_at: new Date(NOW).toISOString(),
        session_started_at: new Date(NOW).toISOString(),
        corrected_at: null,
      },
    ]);
  });

  test('is held against thirty sessions, however many more its user has', async () => {
    clock.set(NOW);
    const { orgId } = await makeTenant(ctx);
    const many = Array.from({ length: 300 }, (_, ago) =>
      makeSignal({ ts: NOW - 10 * 86_400_000 - ago * HOUR }),
    );
    await recordSignals(ctx, senderOf(orgId), many);
    const session = await sessionRows(ctx).findOne({ _id: await post(orgId) });
    const batches: number[] = [];
    const client = ctx.db.connection.getClient();
    const note = ({ reply }: { reply: unknown }) => {
      const { cursor } = reply as { cursor?: { firstBatch?: unknown[] } };
      if (cursor?.firstBatch) batches.push(cursor.firstBatch.length);
    };
    client.on('commandSucceeded', note);
    expect(await readBaseline(ctx, session as Session, 1_800_000)).toHaveLength(30);
    client.off('commandSucceeded', note);
    expect(batches.length).toBeGreaterThan(0);
    expect(Math.max(...batches)).toBeLessThanOrEqual(31);
  });

  test('is looked at no more than once a minute, and at once when it ends', async () => {
    const { orgId } = await makePast();
    const sessionId = await post(orgId, { tokens_in: 55_000 });
    expect(await checkSession(ctx, sessionId)).toEqual({ reported: 0 });
    clock.advance(10_000);
    await post(orgId, { tokens_in: 45_000 });
    expect(await checkSession(ctx, sessionId)).toEqual({ notBeforeMs: NOW + 60_000 });
    await closeSession(ctx, own(orgId), sessionId);
    expect(await checkSession(ctx, sessionId)).toEqual({ reported: 1 });
    expect(await checkSession(ctx, sessionId)).toEqual({ reported: 0 });
    expect(await readDue(ctx, checkSessionJob, sessionId)).toBeNull();
  });

  test('is one incident, reported again only when it has doubled', async () => {
    const { orgId } = await makePast();
    const sessionId = await post(orgId, { tokens_in: 100_000 });
    for (const [tokens_in, reported] of [
      [0, 1],
      [99_999, 0],
      [1, 1],
      [100_000, 0],
      [100_000, 1],
    ] as const) {
      if (tokens_in > 0) await post(orgId, { tokens_in });
      expect(await checkSession(ctx, sessionId)).toEqual({ reported });
      clock.advance(61_000);
    }
    expect((await events(orgId)).map(({ data }) => data.observed)).toEqual([100_000, 200_000, 400_000]);
    const [incident, ...others] = await anomalyRows(ctx).find({ org_id: orgId }).toArray();
    expect(others).toEqual([]);
    expect(incident).toMatchObject({ observed: 400_000, reports: 3, detected_at: new Date(NOW) });
  });

  test.each([
    ['after it was read', sessionRows],
    ['while it is reported', expectationRows],
  ])('is reported as corrected where its signals are voided %s', async (_, rows) => {
    const { orgId } = await makePast();
    const sessionId = await post(orgId, { id: 'wrong', tokens_in: 100_000 });
    const voiding = { sessionId, signalIds: ['wrong'], reason: 'twice' };
    const meanwhile = standingStillAfter(ctx, rows, () => voidSignals(ctx, orgId, voiding));
    expect(await checkSession(meanwhile, sessionId)).toMatchObject({ notBeforeMs: expect.any(Number) });
    const incidents = await anomalyRows(ctx).find({ org_id: orgId }).toArray();
    expect(incidents).toMatchObject([{ observed: 100_000, corrected_at: new Date(NOW) }]);
  });

  test('is reported once by two workers at the same moment', async () => {
    const { orgId } = await makePast();
    const sessionId = await post(orgId, { tokens_in: 100_000 });
    await Promise.all(Array.from({ length: 6 }, () => checkSession(ctx, sessionId)));
    expect(await events(orgId)).toHaveLength(1);
  });

  test('stays due when a signal comes while it is looked at', async () => {
    const { orgId } = await makePast();
    const sessionId = await post(orgId, { tokens_in: 55_000 });
    await Promise.all([checkSession(ctx, sessionId), post(orgId, { tokens_in: 60_000 })]);
    // Either it was seen, or another look is due.
    const wasSeen = (await events(orgId)).length > 0;
    expect(wasSeen || (await readDue(ctx, checkSessionJob, sessionId)) !== null).toBe(true);
    clock.advance(61_000);
    if (!wasSeen) expect(await checkSession(ctx, sessionId)).toEqual({ reported: 1 });
  });
});

describe('the baseline', () => {
  test('holds sessions that had finished before this one began, whether or not a job has ended them', async () => {
    const { orgId } = await makePast();
    expect(await sessionRows(ctx).countDocuments({ org_id: orgId, state: 'open' })).toBeLessThanOrEqual(1);
    // Another user, and a session beside it: neither counts.
    await post(orgId, { user_id: 'bob', ts: NOW - HOUR, tokens_in: 1_900_000 });
    await post(orgId, { project_id: 'other', ts: NOW - 60_000, tokens_in: 1_900_000 });
    const sessionId = await post(orgId, { tokens_in: 100_000 });
    await checkSession(ctx, sessionId);
    expect((await events(orgId))[0]?.data).toMatchObject({ baseline_avg: 10_000 });
  });

  test('leaves out what began more than 28 days earlier', async () => {
    clock.set(NOW);
    const { orgId } = await makeTenant(ctx);
    for (let index = 0; index < 8; index += 1)
      await post(orgId, { ts: NOW - 28 * 24 * HOUR - (index + 1) * HOUR, tokens_in: 10_000 });
    const sessionId = await post(orgId, { tokens_in: 1_000_000 });
    expect(await checkSession(ctx, sessionId)).toEqual({ reported: 0 });
  });
});

test('a session below every floor is never due for a look', async () => {
  clock.set(NOW);
  const { orgId } = await makeTenant(ctx);
  const sessionId = await post(orgId, { tokens_in: 49_999 });
  expect(await readDue(ctx, checkSessionJob, sessionId)).toBeNull();
});

test('a check whose job was lost is found by the sweeper', async () => {
  const { orgId } = await makePast();
  const sessionId = await post(orgId, { tokens_in: 100_000 });
  await ctx.queues.drained();
  await ctx.queues.of('check-session').obliterate({ force: true });
  clock.advance(2_500);
  await sweepDue(ctx);
  await ctx.queues.drained();
  const jobs = await ctx.queues.of('check-session').getJobs(['waiting', 'delayed']);
  expect(jobs.map((job) => job.data.key)).toContain(sessionId);
});

test('5 M tokens within an hour are a runaway session, spread over two hours they are not', async () => {
  clock.set(NOW);
  const { orgId } = await makeTenant(ctx, { session_timeout: 7_200 });
  await subscribeToAll(ctx, orgId);
  for (let index = 0; index < 6; index += 1)
    await post(orgId, { ts: NOW - 2 * HOUR + index * 1_300_000, tokens_in: 1_000_000 });
  const sessionId = await post(orgId, { tokens_in: 1 });
  await checkSession(ctx, sessionId);
  expect((await events(orgId)).map(({ data }) => data.anomaly_type)).toEqual(['token_spike']);
  clock.advance(61_000);
  for (let index = 0; index < 4; index += 1) await post(orgId, { tokens_in: 1_000_000 });
  await checkSession(ctx, sessionId);
  const runaway = (await events(orgId)).find(({ data }) => data.anomaly_type === 'runaway_session');
  expect(runaway?.data).toMatchObject({ baseline_avg: 5_000_000, session_id: sessionId });
});

describe('GET /api/v1/anomalies', () => {
  test('pages and filters, and shows a bound key its own user alone', async () => {
    clock.set(NOW);
    const { orgId, key } = await makeTenant(ctx);
    const sessions: string[] = [];
    for (const user_id of ['ada', 'bob', 'cyd']) {
      clock.advance(1_000);
      const sessionId = await post(orgId, { user_id, tokens_in: 3_000_000, cost_usd: 60 });
      await checkSession(ctx, sessionId);
      sessions.push(sessionId);
    }
    const get = (query: string) => api.call(`/api/v1/anomalies?${query}`, { key });
    const first = await get('limit=4&order=asc');
    expect(first.body).toMatchObject({ has_more: true, total: 6 });
    const second = await get(`limit=4&order=asc&cursor=${encodeURIComponent(first.body.cursor)}`);
    expect(second.body).toMatchObject({ has_more: false, total: 6 });
    const ids = [...first.body.data, ...second.body.data].map((row) => row.id);
    expect(new Set(ids).size).toBe(6);
    expect((await get('user_id=bob')).body.total).toBe(2);
    expect((await get('anomaly_type=cost_spike')).body.total).toBe(3);
    expect((await get(`session_id=${sessions[0]}`)).body.total).toBe(2);
    expect((await get(`user_id=ada&session_id=${sessions[0]}&anomaly_type=cost_spike`)).body.total).toBe(1);
    expect((await get(`from=${new Date(NOW + 2_000).toISOString()}`)).body.total).toBe(4);
    expect((await get(`to=${new Date(NOW + 2_000).toISOString()}`)).body.total).toBe(2);
    expect((await get('anomaly_type=nonsense')).status).toBe(400);
    expect((await get('model=x')).status).toBe(400);
    const bound = await createApiKey(ctx, { org_id: orgId, scopes: ['usage:read'], user_id: 'cyd' });
    const mine = await api.call('/api/v1/anomalies', { key: bound.key });
    expect(mine.body.data.map((row: { user_id: string }) => row.user_id)).toEqual(['cyd', 'cyd']);
    expect((await api.call('/api/v1/anomalies?user_id=ada', { key: bound.key })).body.total).toBe(0);
    const stranger = await makeTenant(ctx);
    expect((await api.call('/api/v1/anomalies', { key: stranger.key })).body.total).toBe(0);
    expect((await api.call('/api/v1/anomalies')).status).toBe(401);
    const writer = await createApiKey(ctx, { org_id: orgId, scopes: ['signals:write'] });
    expect((await api.call('/api/v1/anomalies', { key: writer.key })).status).toBe(403);
  });
});
