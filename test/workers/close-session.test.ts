import { describe, expect, it } from 'vitest';
import { closeSession } from '../../shared/core/calls/ingest/end-session.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { endSessionJob } from '../../shared/core/calls/sessions/jobs.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { readDue } from '../../shared/platform/due/plan-due.ts';
import { connectRedis } from '../../shared/platform/redis/connect.ts';
import { JOBS } from '../../shared/tables/jobs.ts';
import { endSession } from '../../workers/index.ts';
import { sweepOnce } from '../../workers/sweeper.ts';
import { startWorker } from '../../workers/worker.ts';
import { makeSignal, makeTenant, senderOf } from '../support/factories.ts';
import { storesFixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const TIMEOUT = 1_800_000;
const { ctx, clock } = await storesFixture({ clock: START });

async function openSession(): Promise<{ orgId: string; sessionId: string; key: string }> {
  const { orgId } = await makeTenant(ctx);
  await subscribeToAll(ctx, orgId);
  const [result] = await recordSignals(ctx, senderOf(orgId), [makeSignal({ ts: clock.now() })]);
  if (result?.status !== 'accepted') throw new Error(JSON.stringify(result));
  const session = await sessionRows(ctx).findOne({ _id: result.session_id });
  return { orgId, sessionId: result.session_id, key: session?.key ?? '' };
}

async function endedEvents(orgId: string): Promise<number> {
  return (await readEvents(ctx, orgId)).filter(({ type }) => type === 'session.ended').length;
}

describe('the timer of an open session', () => {
  it('has one delayed job, which a sweep adds shortly before its time, and none for later activity', async () => {
    const { orgId, key } = await openSession();
    await recordSignals(ctx, senderOf(orgId), [makeSignal({ ts: clock.now() })]);
    const delayed = async () => {
      await ctx.queues.drained();
      const jobs = await ctx.queues.of('end-session').getDelayed();
      return jobs.filter(({ data }) => data.key === key).map(({ id, delay }) => ({ id, delay }));
    };
    await sweepOnce(ctx);
    expect(await delayed()).toEqual([]);
    const dueMs = clock.now() + TIMEOUT + 1;
    clock.advance(TIMEOUT - 5_000);
    await sweepOnce(ctx);
    await sweepOnce(ctx);
    expect(await delayed()).toEqual([{ id: `${key}-${dueMs}`, delay: 5_001 }]);
  });

  it('is left to a sweep again when there was activity, as long as its time is far ahead', async () => {
    const { key } = await openSession();
    expect(await endSession.handle({ key }, ctx)).toBeUndefined();
    clock.advance(TIMEOUT - 5_000);
    expect(await endSession.handle({ key }, ctx)).toEqual({ notBeforeMs: clock.now() + 5_001 });
  });

  it('looks again while there is activity, ends after the silence, and raises one event however often it runs', async () => {
    const { orgId, sessionId, key } = await openSession();
    await endSession.handle({ key }, ctx);
    expect(await sessionRows(ctx).findOne({ _id: sessionId })).toMatchObject({ state: 'open' });
    clock.advance(TIMEOUT);
    expect(await endSession.handle({ key }, ctx)).toBeDefined();
    await recordSignals(ctx, senderOf(orgId), [makeSignal({ ts: clock.now() })]);
    await endSession.handle({ key }, ctx);
    const due = await readDue(ctx, endSessionJob, key);
    expect(due?.due_at.getTime()).toBe(clock.now() + TIMEOUT + 1);
    clock.advance(TIMEOUT + 1);
    await Promise.all(Array.from({ length: 5 }, () => endSession.handle({ key }, ctx)));
    const session = await sessionRows(ctx).findOne({ _id: sessionId });
    expect(session).toMatchObject({ state: 'ended', end_reason: 'timeout' });
    expect(session?.ended_at).toEqual(session?.last_activity_at);
    expect(await endedEvents(orgId)).toBe(1);
  });

  it('is not outrun by a close that comes after the silence: the idle gap is no work', async () => {
    const { orgId, sessionId } = await openSession();
    clock.advance(TIMEOUT + 60_000);
    const session = await closeSession(ctx, { orgId, userId: null }, sessionId);
    expect(session).toMatchObject({ state: 'ended', end_reason: 'timeout' });
    expect(session.ended_at).toEqual(session.last_activity_at);
    expect(await endedEvents(orgId)).toBe(1);
  });

  it('that is closed by hand ends no sooner than its last activity, which may be some minutes ahead', async () => {
    const { orgId, sessionId } = await openSession();
    await recordSignals(ctx, senderOf(orgId), [makeSignal({ ts: clock.now() + 240_000 })]);
    const session = await closeSession(ctx, { orgId, userId: null }, sessionId);
    expect(session).toMatchObject({
      end_reason: 'closed',
      last_activity_at: new Date(clock.now() + 240_000),
    });
    expect(session.ended_at).toEqual(session.last_activity_at);
  });

  it('is taken away where its session has ended', async () => {
    const { orgId, sessionId, key } = await openSession();
    const due = await readDue(ctx, endSessionJob, key);
    await closeSession(ctx, { orgId, userId: null }, sessionId);
    if (due) await dueRows(ctx).insertOne(due);
    await endSession.handle({ key }, ctx);
    expect(await readDue(ctx, endSessionJob, key)).toBeNull();
    expect(await endedEvents(orgId)).toBe(1);
  });

  it('follows a changed session_timeout', async () => {
    const { orgId, sessionId, key } = await openSession();
    await changeOrganization(ctx, orgId, { session_timeout: 60 });
    clock.advance(60_001);
    await endSession.handle({ key }, ctx);
    expect(await sessionRows(ctx).findOne({ _id: sessionId })).toMatchObject({ state: 'ended' });
  });

  it('ends sessions on time after every queue was flushed', async () => {
    const { orgId, sessionId } = await openSession();
    await ctx.queues.drained();
    for (const { kind } of JOBS) await ctx.queues.of(kind).obliterate({ force: true });
    clock.advance(TIMEOUT + 10_000);
    const connection = connectRedis(ctx.config, 'worker');
    const worker = startWorker(endSession, ctx, connection);
    await until(async () => {
      await sweepOnce(ctx);
      const session = await sessionRows(ctx).findOne({ _id: sessionId });
      return session?.state === 'ended';
    });
    expect(await endedEvents(orgId)).toBe(1);
    await worker.close();
    connection.disconnect();
  });

  it('does not end a session in which a signal arrives at the same moment twice or half', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { orgId, key } = await openSession();
      clock.advance(TIMEOUT + 1);
      await Promise.all([
        endSession.handle({ key }, ctx),
        recordSignals(ctx, senderOf(orgId), [makeSignal({ ts: clock.now() - 1_000 })]),
      ]);
      await endSession.handle({ key }, ctx);
      const sessions = await sessionRows(ctx).find({ org_id: orgId }).toArray();
      const open = sessions.filter((session) => session.state === 'open').length;
      expect(await endedEvents(orgId)).toBe(sessions.length - open);
      expect(sessions.reduce((sum, session) => sum + session.signal_count, 0)).toBe(2);
    }
  });
});
