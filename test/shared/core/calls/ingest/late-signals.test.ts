import { beforeEach, expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { assignSignals } from '../../../../../shared/core/calls/sessions/assign.ts';
import { findNewest, findReachable } from '../../../../../shared/core/calls/sessions/assign-by-key.ts';
import { type Session, sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { checkSignal } from '../../../../../shared/core/calls/signals/check-signal.ts';
import { currentShard, moveToOtherShard } from '../../../../../shared/platform/mongo/counter-shards.ts';
import { inTransaction } from '../../../../../shared/platform/mongo/transaction.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { standingStillAfter } from '../../../../support/interleave.ts';
import { pick, seeded } from '../../../../support/random.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = NOON + 240 * MINUTE;
const { ctx, clock } = await storesFixture({ clock: START });
beforeEach(() => clock.set(START));

/** Posts a batch of signals at these minutes after noon; says in which session each is. */
async function post(orgId: string, minutes: readonly number[], of = {}, by = ctx): Promise<string[]> {
  const signals = minutes.map((minute) => makeSignal({ ts: NOON + minute * MINUTE, ...of }));
  const results = await recordSignals(by, senderOf(orgId), signals);
  return results.map((result) => (result.status === 'accepted' ? result.session_id : result.status));
}

async function sessionsOf(orgId: string): Promise<Session[]> {
  return sessionRows(ctx).find({ org_id: orgId }).sort({ started_at: 1 }).toArray();
}

test('a late signal joins the long session that it lies in, though that began long before and another came since', async () => {
  const { orgId } = await makeTenant(ctx);
  const [long] = await post(orgId, [0, 20, 40, 60, 80]);
  const [newer] = await post(orgId, [200]);
  expect(newer).not.toBe(long);
  expect(await post(orgId, [65])).toEqual([long]);
});

test('late signals go where they would if every session of their key were read, however long each has lasted', async () => {
  const { orgId } = await makeTenant(ctx);
  await post(orgId, [0]);
  const [like] = await sessionsOf(orgId);
  const draft = checkSignal(makeSignal({ ts: NOON }), senderOf(orgId), clock.now());
  if (!like || !('_id' in draft)) throw new Error('there is no session');
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = seeded(seed);
    const key = `${like.key} ${seed}`;
    const timeoutMs = pick(random, [0.5, 1, 8, 24]) * HOUR;
    const all = severalLike({ ...like, key }, timeoutMs, random);
    await sessionRows(ctx).insertMany(all);
    const newest = all.at(-1);
    const edges = all.flatMap(({ started_at, ended_at }) => [started_at.getTime(), ended_at.getTime()]);
    await inTransaction(ctx.db, async (transaction) => {
      for (let turn = 0; turn < 15; turn += 1) {
        const earliestMs = pick(random, edges) + pick(random, [-1, -0.6, 0, 0.6, 1]) * timeoutMs;
        const latestMs = earliestMs + pick(random, [0, 0, 2, 50]) * HOUR;
        const found = await findReachable(ctx, newest, { earliestMs, latestMs }, timeoutMs, transaction);
        const signals = [...new Set([earliestMs, latestMs])].map((ms) => ({
          ...draft,
          _id: String(ms),
          ts: new Date(ms),
        }));
        const limits = { timeoutMs, nowMs: clock.now(), mostModels: 100, newSessionId: () => 'another' };
        const assign = (existing: readonly Session[]) => assignSignals({ key, existing, signals, ...limits });
        expect(assign(found), `seed ${seed}, ${earliestMs} to ${latestMs}`).toEqual(assign(all));
      }
    });
  }
});

/** Four sessions, ended and one after the other, that last from no time to months. */
function severalLike(like: Session, timeoutMs: number, random: () => number): Session[] {
  let atMs = NOON;
  return ['a', 'b', 'c', 'd'].map((name) => {
    const startMs = atMs + timeoutMs * pick(random, [1.01, 1.5, 40]);
    atMs = startMs + pick(random, [0, 1, 23, 25, 60, 400, 3_000]) * HOUR;
    const [started_at, ended_at] = [new Date(startMs), new Date(atMs)];
    const of = { state: 'ended', end_reason: 'timeout', last_activity_at: ended_at } as const;
    return { ...like, ...of, _id: `${like.key} ${name}`, started_at, ended_at };
  });
}

test('two processes that record late signals of a user at once make no sessions that overlap', async () => {
  const { orgId } = await makeTenant(ctx);
  await post(orgId, [0]);
  await post(orgId, [100]);
  // With a model in common they would meet in its rollup, with one shard in the version of the organization's rules.
  const other = () => {
    const shard = currentShard();
    while (currentShard() === shard) moveToOtherShard();
    return post(orgId, [35], { model: 'gpt-5' });
  };
  await post(orgId, [25, 50], { model: 'gpt-4o' }, standingStillAfter(ctx, sessionRows, other));
  const sessions = await sessionsOf(orgId);
  expect(sessions.reduce((sum, { signal_count }) => sum + signal_count, 0)).toBe(5);
  for (const [index, session] of sessions.entries()) {
    const next = sessions[index + 1];
    if (next) expect(session.ended_at.getTime()).toBeLessThan(next.started_at.getTime());
  }
});

test('of a key with many sessions, late signals read those that they may join, and the newest', async () => {
  const { orgId } = await makeTenant(ctx);
  const [first] = await post(orgId, [-400]);
  for (let minute = -300; minute <= 200; minute += 50) await post(orgId, [minute]);
  const all = await sessionsOf(orgId);
  const at = (minute: number) => NOON + minute * MINUTE;
  const found = await inTransaction(ctx.db, async (transaction) => {
    const key = all[0]?.key ?? '';
    const newest = (await findNewest(ctx, orgId, new Set([key]), transaction)).get(key);
    const span = { earliestMs: at(-385), latestMs: at(-321) };
    return findReachable(ctx, newest, span, 30 * MINUTE, transaction);
  });
  expect(found.map(({ _id }) => _id)).toEqual([first, all[1]?._id, all.at(-1)?._id]);
});
