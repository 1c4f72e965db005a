import { describe, expect, test } from 'vitest';
import { closeSession } from '../../shared/core/calls/ingest/end-session.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { voidSignals } from '../../shared/core/calls/ingest/void-signals.ts';
import { type Session, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { readDue } from '../../shared/platform/due/plan-due.ts';
import { sweepDue } from '../../shared/platform/due/sweep-due.ts';
import { checkSession, readBaseline } from '../../shared/wings/anomalies/check-session.ts';
import { checkSessionJob } from '../../shared/wings/anomalies/jobs.ts';
import { anomalyRows, expectationRows } from '../../shared/wings/anomalies/model.ts';
import { checkSession as checkSessionRow } from '../../workers/index.ts';
import { makeSignal, senderOf } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { standingStillAfter } from '../support/interleave.ts';
import { readEvents, type StoredEvent, subscribeToAll } from '../support/webhooks.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const own = await fixture({ clock: NOW, perTest: true });
const { ctx, clock } = own;

/** Records one call of ada's and returns its session. */
async function post(overrides: Record<string, unknown> = {}): Promise<string> {
  const signal = makeSignal({ ts: clock.now(), tokens_out: 0, cost_usd: 0.01, ...overrides });
  const [result] = await recordSignals(ctx, senderOf(own.orgId), [signal]);
  if (result?.status !== 'accepted') throw new Error(JSON.stringify(result));
  return result.session_id;
}

/** Twenty sessions of 10,000 tokens, one an hour, the last two hours ago. */
async function makePast(): Promise<void> {
  await subscribeToAll(ctx, own.orgId);
  for (let ago = 21; ago >= 2; ago -= 1) await post({ ts: NOW - ago * HOUR, tokens_in: 10_000 });
}

async function events(): Promise<StoredEvent[]> {
  return (await readEvents(ctx, own.orgId)).filter(({ type }) => type === 'anomaly.detected');
}

test('a session that a newer one ends is looked at once more, at once', async () => {
  const ended = await post({ tokens_in: 16_000_000 });
  await checkSession(ctx, ended);
  expect(await readDue(ctx, checkSessionJob, ended)).toBeNull();
  clock.advance(31 * 60_000);
  expect(await post()).not.toBe(ended);
  expect((await readDue(ctx, checkSessionJob, ended))?.due_at).toEqual(new Date(clock.now()));
});

test.each([
  { signals: 5_000, minutes: 1 },
  { signals: 200_000, minutes: 20 },
])('one of $signals signals that may have run away is looked at again after $minutes min', async (row) => {
  const sessionId = await post({ tokens_in: 6_000_000 });
  await sessionRows(ctx).updateOne({ _id: sessionId }, { $set: { signal_count: row.signals } });
  await checkSession(ctx, sessionId);
  clock.advance(10_000);
  await post({ tokens_in: 1 });
  const due = await readDue(ctx, checkSessionJob, sessionId);
  expect(due?.due_at.getTime()).toBeGreaterThanOrEqual(NOW + row.minutes * 60_000);
  expect(due?.due_at.getTime()).toBeLessThan(NOW + (row.minutes + 1) * 60_000);
});

describe('a session that stands out', () => {
  test('is reported while it runs, with its documented payload, and listed', async () => {
    await makePast();
    const sessionId = await post({ tokens_in: 100_000 });
    expect(await checkSessionRow.handle({ key: sessionId }, ctx)).toBeUndefined();
    const [event, ...more] = await events();
    expect(more).toEqual([]);
    expect(event?.data).toEqual({
      anomaly_type: 'token_spike',
      user_id: 'ada',
      baseline_avg: 10_000,
      observed: 100_000,
      deviation_pct: 900,
      session_id: sessionId,
    });
    const { data, ...page } = await own.ask('/api/v1/anomalies');
    expect(page).toMatchObject({ has_more: false, total: 1 });
    expect(data).toEqual([
      {
        ...event?.data,
        state: 'new',
        id: expect.stringMatching(/^anm_/),
        detected_at: new Date(NOW).toISOString(),
        session_started_at: new Date(NOW).toISOString(),
        corrected_at: null,
      },
    ]);
    for (const range of [`from=${new Date(NOW + 1).toISOString()}`, `to=${new Date(NOW).toISOString()}`])
      expect(await own.ask(`/api/v1/anomalies?${range}`), range).toMatchObject({ total: 0 });
  });

  test('is held against the last thirty sessions, however many more its user has', async () => {
    const many = Array.from({ length: 300 }, (_, ago) =>
      makeSignal({ ts: NOW - 10 * 86_400_000 - ago * HOUR, tokens_in: ago, tokens_out: 0 }),
    );
    await recordSignals(ctx, senderOf(own.orgId), many);
    const session = await sessionRows(ctx).findOne({ _id: await post() });
    const batches: number[] = [];
    const client = ctx.db.connection.getClient();
    const note = ({ reply }: { reply: unknown }) => {
      const { cursor } = reply as { cursor?: { firstBatch?: unknown[] } };
      if (cursor?.firstBatch) batches.push(cursor.firstBatch.length);
    };
    client.on('commandSucceeded', note);
    const last = await readBaseline(ctx, session as Session, 1_800_000);
    expect(last.map(({ tokens }) => tokens)).toEqual([...Array(30).keys()]);
    client.off('commandSucceeded', note);
    expect(batches.length).toBeGreaterThan(0);
    expect(Math.max(...batches)).toBeLessThanOrEqual(31);
  });

  test('is looked at no more than once a minute, and at once when it ends', async () => {
    await makePast();
    const sessionId = await post({ tokens_in: 55_000 });
    expect(await checkSession(ctx, sessionId)).toEqual({ reported: 0 });
    clock.advance(10_000);
    await post({ tokens_in: 45_000 });
    expect(await checkSession(ctx, sessionId)).toEqual({ notBeforeMs: NOW + 60_000 });
    await closeSession(ctx, { orgId: own.orgId, userId: null }, sessionId);
    expect(await checkSession(ctx, sessionId)).toEqual({ reported: 1 });
    expect(await checkSession(ctx, sessionId)).toEqual({ reported: 0 });
    expect(await readDue(ctx, checkSessionJob, sessionId)).toBeNull();
  });

  test('is one incident, reported again only when it has doubled', async () => {
    await makePast();
    const sessionId = await post({ tokens_in: 100_000 });
    const looks: number[] = [];
    for (const tokens_in of [0, 99_999, 1, 100_000, 100_000]) {
      if (tokens_in > 0) await post({ tokens_in });
      const { reported } = (await checkSession(ctx, sessionId)) as { reported: number };
      looks.push(reported);
      clock.advance(61_000);
    }
    expect(looks).toEqual([1, 0, 1, 0, 1]);
    expect((await events()).map(({ data }) => data.observed)).toEqual([100_000, 200_000, 400_000]);
    const [incident, ...others] = await anomalyRows(ctx).find({ org_id: own.orgId }).toArray();
    expect(others).toEqual([]);
    expect(incident).toMatchObject({ observed: 400_000, reports: 3, detected_at: new Date(NOW) });
  });

  test.each([
    ['after it was read', sessionRows],
    ['while it is reported', expectationRows],
  ])('is reported as corrected where its signals are voided %s', async (_, rows) => {
    await makePast();
    const sessionId = await post({ id: 'wrong', tokens_in: 100_000 });
    const voiding = { sessionId, signalIds: ['wrong'], reason: 'twice' };
    const meanwhile = standingStillAfter(ctx, rows, () => voidSignals(ctx, own.orgId, voiding));
    expect(await checkSession(meanwhile, sessionId)).toMatchObject({ notBeforeMs: expect.any(Number) });
    const incidents = await anomalyRows(ctx).find({ org_id: own.orgId }).toArray();
    expect(incidents).toMatchObject([{ observed: 100_000, corrected_at: new Date(NOW) }]);
  });

  test('is reported once by two workers at the same moment', async () => {
    await makePast();
    const sessionId = await post({ tokens_in: 100_000 });
    await Promise.all(Array.from({ length: 6 }, () => checkSession(ctx, sessionId)));
    expect(await events()).toHaveLength(1);
  });

  test('stays due when a signal comes while it is looked at', async () => {
    await makePast();
    const sessionId = await post({ tokens_in: 55_000 });
    const beside = () => post({ tokens_in: 60_000 });
    await checkSession(standingStillAfter(ctx, sessionRows, beside), sessionId);
    expect(await readDue(ctx, checkSessionJob, sessionId)).not.toBeNull();
    clock.advance(61_000);
    expect(await checkSession(ctx, sessionId)).toEqual({ reported: 1 });
  });
});

describe('the baseline', () => {
  test('holds sessions that had finished before this one began, whether or not a job has ended them', async () => {
    await makePast();
    const open = await sessionRows(ctx).countDocuments({ org_id: own.orgId, state: 'open' });
    expect(open).toBeLessThanOrEqual(1);
    // Another user, and a session beside it: neither counts.
    await post({ user_id: 'bob', ts: NOW - HOUR, tokens_in: 1_900_000 });
    await post({ project_id: 'other', ts: NOW - 60_000, tokens_in: 1_900_000 });
    const sessionId = await post({ tokens_in: 100_000 });
    await checkSession(ctx, sessionId);
    expect((await events())[0]?.data).toMatchObject({ baseline_avg: 10_000 });
  });

  test('leaves out what began more than 28 days earlier', async () => {
    for (let index = 0; index < 8; index += 1)
      await post({ ts: NOW - 28 * 24 * HOUR - (index + 1) * HOUR, tokens_in: 10_000 });
    const sessionId = await post({ tokens_in: 1_000_000 });
    expect(await checkSession(ctx, sessionId)).toEqual({ reported: 0 });
  });
});

test('a session below every floor is never due for a look', async () => {
  const sessionId = await post({ tokens_in: 49_999 });
  expect(await readDue(ctx, checkSessionJob, sessionId)).toBeNull();
});

test('a check whose job was lost is found by the sweeper', async () => {
  await makePast();
  const sessionId = await post({ tokens_in: 100_000 });
  await ctx.queues.drained();
  await ctx.queues.of('check-session').obliterate({ force: true });
  clock.advance(2_500);
  await sweepDue(ctx);
  await ctx.queues.drained();
  const jobs = await ctx.queues.of('check-session').getJobs(['waiting', 'delayed']);
  expect(jobs.map((job) => job.data.key)).toContain(sessionId);
});

test('5 M tokens within an hour are a runaway session, spread over two hours they are not', async () => {
  await changeOrganization(ctx, own.orgId, { session_timeout: 7_200 });
  await subscribeToAll(ctx, own.orgId);
  for (let index = 0; index < 6; index += 1)
    await post({ ts: NOW - 2 * HOUR + index * 1_300_000, tokens_in: 1_000_000 });
  const sessionId = await post({ tokens_in: 1 });
  await checkSession(ctx, sessionId);
  expect((await events()).map(({ data }) => data.anomaly_type)).toEqual(['token_spike']);
  clock.advance(61_000);
  for (let index = 0; index < 4; index += 1) await post({ tokens_in: 1_000_000 });
  await checkSession(ctx, sessionId);
  const runaway = (await events()).find(({ data }) => data.anomaly_type === 'runaway_session');
  expect(runaway?.data).toMatchObject({ baseline_avg: 5_000_000, session_id: sessionId });
});
