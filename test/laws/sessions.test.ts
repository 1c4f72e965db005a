import { afterAll, expect, test } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { closeSession, endIfSilent } from '../../shared/core/calls/ingest/end-session.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { endSessionJob } from '../../shared/core/calls/sessions/jobs.ts';
import { type Session, sessionHeadRows, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { moveSessionEnds } from '../../shared/core/calls/sessions/move-session-ends.ts';
import { type Signal, signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { eventRows } from '../../shared/core/events/record/model.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { moveToOtherShard } from '../../shared/platform/mongo/counter-shards.ts';
import { senderOf } from '../support/factories.ts';
import { storesFixture } from '../support/fixture.ts';
import { openTestContext, type TestContext } from '../support/harness.ts';
import { pick, seeded } from '../support/random.ts';
import { subscribe } from '../support/webhooks.ts';

const MINUTE = 60_000;
/** So that midnight comes soon. */
const START = Date.UTC(2026, 10, 21, 23);
const ROUNDS = 8;
const STEPS = 25;
const { ctx: first, clock, tenant } = await storesFixture({ clock: START });
const second = await openTestContext({ clock, sharing: first });
const contexts = [first, second] as const;
afterAll(() => second.close());

test('sessions hold their signals, overlap none of their user, and each begins and ends once, whatever two processes do at once', async () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    clock.set(START);
    const { orgId } = await tenant();
    await subscribe(first, orgId, { events: ['session.started', 'session.ended'] });
    const act = actor(orgId, seeded(seed));
    for (let step = 0; step < STEPS; step += 1) await act();
    await check(orgId, `seed ${seed}`);
  }
});

/** Does some things at once, some minutes after what it did before. */
function actor(orgId: string, random: () => number): () => Promise<void> {
  const posted: object[] = [];
  const signal = () => {
    if (posted.length > 0 && random() < 0.15) return pick(random, posted);
    const lateMs = random() * (random() < 0.6 ? 5 : 120) * MINUTE;
    const made = {
      id: `signal-${posted.length}`,
      ts: new Date(Math.floor(clock.now() - lateMs)).toISOString(),
      user_id: pick(random, ['ada', 'bob']),
      adapter: 'codex',
      model: pick(random, ['gpt-4o', 'gpt-5', 'o3', 'claude-sonnet-4-5']),
      tokens_in: Math.floor(random() * 100),
    };
    posted.push(made);
    return made;
  };
  const deed = (): (() => Promise<unknown>) => {
    const ctx = pick(random, contexts);
    const luck = random();
    if (luck < 0.1) return () => closeOne(ctx, orgId);
    if (luck < 0.25) return () => endSilent(ctx, orgId);
    const timeout = pick(random, [60, 600, 1_800]);
    if (luck < 0.3) return () => changeTimeout(ctx, orgId, timeout);
    const signals = Array.from({ length: 1 + Math.floor(random() * 4) }, signal);
    return () => record(ctx, orgId, signals);
  };
  return async () => {
    const deeds = Array.from({ length: 1 + Math.floor(random() * 5) }, deed);
    await Promise.all(deeds.map((each) => each()));
    clock.advance(Math.floor(random() ** 2 * 20 * MINUTE));
  };
}

async function record(ctx: TestContext, orgId: string, signals: object[]): Promise<void> {
  // Two processes are mostly on different ones.
  moveToOtherShard();
  const results = await recordSignals(ctx, senderOf(orgId), signals);
  for (const { status } of results) expect(status).not.toBe('rejected');
}

async function closeOne(ctx: TestContext, orgId: string): Promise<void> {
  const open = await sessionRows(ctx).findOne({ org_id: orgId, state: 'open' });
  if (open) await closeSession(ctx, { orgId, userId: null }, open._id);
}

async function endSilent(ctx: TestContext, orgId: string): Promise<void> {
  const due = await dueRows(ctx).find({ kind: endSessionJob.kind, org_id: orgId }).toArray();
  for (const { key } of due) await endIfSilent(ctx, key);
}

async function changeTimeout(ctx: TestContext, orgId: string, session_timeout: number): Promise<void> {
  await changeOrganization(ctx, orgId, { session_timeout });
  await moveSessionEnds(ctx, orgId);
}

async function check(orgId: string, seed: string): Promise<void> {
  const sessions = await sessionRows(first).find({ org_id: orgId }).sort({ started_at: 1 }).toArray();
  const signals = await signalRows(first).find({ org_id: orgId }).toArray();
  const bySession = Map.groupBy(signals, ({ session_id }) => session_id);
  expect(bySession.size, seed).toBe(sessions.length);
  for (const session of sessions) expect(sumsOf(session), seed).toEqual(sumUp(bySession.get(session._id)));
  for (const [key, own] of Map.groupBy(sessions, (session) => session.key)) await checkKey(key, own, seed);
  await checkEvents(orgId, sessions, seed);
  const organization = await readOrganization(first, orgId);
  expect(await reconcileUsage(first, organization, { repair: false }), seed).toMatchObject({ wrong: 0 });
}

function sumsOf({ started_at, last_activity_at, signal_count, tokens_in, cost_nusd }: Session) {
  return { started_at, last_activity_at, signal_count, tokens_in, cost_nusd };
}

function sumUp(signals: readonly Signal[] = []): ReturnType<typeof sumsOf> {
  const times = signals.map(({ ts }) => ts.getTime());
  return {
    started_at: new Date(Math.min(...times)),
    last_activity_at: new Date(Math.max(...times)),
    signal_count: signals.length,
    tokens_in: signals.reduce((sum, signal) => sum + signal.tokens_in, 0),
    cost_nusd: signals.reduce((sum, signal) => sum + (signal.cost_nusd ?? 0), 0),
  };
}

/** Sessions of one user: in order, only the newest open, with its due row. */
async function checkKey(key: string, sessions: readonly Session[], seed: string): Promise<void> {
  const newest = sessions.at(-1);
  const overlapping = sessions.filter((session, index) => {
    const next = sessions[index + 1];
    return next !== undefined && session.ended_at >= next.started_at;
  });
  expect(overlapping, seed).toEqual([]);
  expect(sessions.slice(0, -1).filter(({ state }) => state === 'open')).toEqual([]);
  expect(await sessionHeadRows(first).findOne({ _id: key }), seed).toMatchObject({ session_id: newest?._id });
  const due = await dueRows(first).findOne({ kind: endSessionJob.kind, key });
  expect(due !== null, seed).toBe(newest?.state === 'open');
}

async function checkEvents(orgId: string, sessions: readonly Session[], seed: string): Promise<void> {
  const events = await eventRows(first).find({ org_id: orgId }).toArray();
  const told = (type: string): string[] =>
    events.filter((event) => event.type === type).map(({ body }): string => JSON.parse(body).data.id);
  const ids = (some: readonly Session[]) => some.map(({ _id }) => _id).toSorted();
  expect(told('session.started').toSorted(), seed).toEqual(ids(sessions));
  const ended = sessions.filter(({ state }) => state === 'ended');
  expect(told('session.ended').toSorted(), seed).toEqual(ids(ended));
}
