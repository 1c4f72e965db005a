import { beforeEach, describe, expect, it } from 'vitest';
import { closeSession } from '../../shared/core/calls/ingest/end-session.ts';
import { endSessionJob } from '../../shared/core/calls/sessions/jobs.ts';
import { type Session, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { type DueRow, dueRows } from '../../shared/platform/due/model.ts';
import { readDue } from '../../shared/platform/due/plan-due.ts';
import { connectRedis } from '../../shared/platform/redis/connect.ts';
import { JOBS } from '../../shared/tables/jobs.ts';
import { endSession } from '../../workers/index.ts';
import { sweepOnce } from '../../workers/sweeper.ts';
import { startWorker } from '../../workers/worker.ts';
import { storesFixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const START = Date.parse('2026-11-21T12:00:00Z');
const TIMEOUT = 1_800_000;
const own = await storesFixture({ clock: START, perTest: true });
const { ctx, clock } = own;

/** Records a call of now, or of then, and returns its session. */
async function call(ts = clock.now()): Promise<Session> {
  await own.record({ ts });
  return readSession();
}

async function readSession(): Promise<Session> {
  return (await sessionRows(ctx).findOne({ org_id: own.orgId })) as Session;
}

const close = ({ _id }: Session) => closeSession(ctx, { orgId: own.orgId, userId: null }, _id);

async function expectEndedOnce(end_reason: Session['end_reason']): Promise<void> {
  const session = await readSession();
  expect(session).toMatchObject({ state: 'ended', end_reason, ended_at: session.last_activity_at });
  const events = await readEvents(ctx, own.orgId);
  expect(events.filter(({ type }) => type === 'session.ended')).toHaveLength(1);
}

beforeEach(() => subscribeToAll(ctx, own.orgId));

describe('the timer of an open session', () => {
  it('has one delayed job, which a sweep adds shortly before its time, and none for later activity', async () => {
    const { key } = await call();
    await call();
    const delayed = async () => {
      await ctx.queues.drained();
      const jobs = await ctx.queues.of('end-session').getDelayed();
      return jobs.filter(({ data }) => data.key === key).map(({ id, delay }) => ({ id, delay }));
    };
    await sweepOnce(ctx);
    expect(await delayed()).toEqual([]);
    clock.advance(TIMEOUT - 5_000);
    await sweepOnce(ctx);
    await sweepOnce(ctx);
    expect(await delayed()).toEqual([{ id: `${key}-${START + TIMEOUT + 1}`, delay: 5_001 }]);
  });

  it('is left to a sweep again when there was activity, as long as its time is far ahead', async () => {
    const { key } = await call();
    expect(await endSession.handle({ key }, ctx)).toBeUndefined();
    clock.advance(TIMEOUT - 5_000);
    expect(await endSession.handle({ key }, ctx)).toEqual({ notBeforeMs: clock.now() + 5_001 });
  });

  it('looks again while there is activity, ends after the silence, and raises one event however often it runs', async () => {
    const { key } = await call();
    clock.advance(TIMEOUT);
    expect(await endSession.handle({ key }, ctx)).toBeDefined();
    await call();
    await endSession.handle({ key }, ctx);
    expect(await readSession()).toMatchObject({ state: 'open' });
    const due = await readDue(ctx, endSessionJob, key);
    expect(due?.due_at.getTime()).toBe(clock.now() + TIMEOUT + 1);
    clock.advance(TIMEOUT + 1);
    await Promise.all(Array.from({ length: 5 }, () => endSession.handle({ key }, ctx)));
    await expectEndedOnce('timeout');
  });

  it('is not outrun by a close that comes after the silence: the idle gap is no work', async () => {
    const session = await call();
    clock.advance(TIMEOUT + 60_000);
    await close(session);
    await expectEndedOnce('timeout');
  });

  it('that is closed by hand ends no sooner than its last activity, which may be some minutes ahead', async () => {
    await call();
    await close(await call(START + 240_000));
    await expectEndedOnce('closed');
    expect(await readSession()).toMatchObject({ ended_at: new Date(START + 240_000) });
  });

  it('is taken away where its session has ended', async () => {
    const session = await call();
    const due = (await readDue(ctx, endSessionJob, session.key)) as DueRow;
    await close(session);
    await dueRows(ctx).insertOne(due);
    await endSession.handle({ key: session.key }, ctx);
    expect(await readDue(ctx, endSessionJob, session.key)).toBeNull();
    await expectEndedOnce('closed');
  });

  it('follows a changed session_timeout', async () => {
    const { key } = await call();
    await changeOrganization(ctx, own.orgId, { session_timeout: 60 });
    clock.advance(60_001);
    await endSession.handle({ key }, ctx);
    await expectEndedOnce('timeout');
  });

  it('ends sessions on time after every queue was flushed', async () => {
    await call();
    await ctx.queues.drained();
    for (const { kind } of JOBS) await ctx.queues.of(kind).obliterate({ force: true });
    clock.advance(TIMEOUT + 10_000);
    const connection = connectRedis(ctx.config, 'worker');
    const worker = startWorker(endSession, ctx, connection);
    await until(async () => {
      await sweepOnce(ctx);
      return (await readSession()).state === 'ended';
    });
    await expectEndedOnce('timeout');
    await worker.close();
    connection.disconnect();
  });
});
