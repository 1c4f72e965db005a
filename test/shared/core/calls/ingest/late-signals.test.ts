import { beforeEach, expect, test } from 'vitest';
import { decideBatch } from '../../../../../shared/core/calls/ingest/decide-batch.ts';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { assignSignals } from '../../../../../shared/core/calls/sessions/assign.ts';
import { findNewest, findReachable } from '../../../../../shared/core/calls/sessions/assign-by-key.ts';
import { type Session, sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { checkSignal, type Draft } from '../../../../../shared/core/calls/signals/check-signal.ts';
import { readRules } from '../../../../../shared/core/limits/budgets/rules/rules.ts';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import { DAY_MS } from '../../../../../shared/platform/basics/interval.ts';
import { commitPlan } from '../../../../../shared/platform/context/commit-plan.ts';
import { inTransaction } from '../../../../../shared/platform/mongo/transaction.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { pick, seeded } from '../../../../support/random.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = NOON + 240 * MINUTE;
const { ctx, clock } = await storesFixture({ clock: START });
beforeEach(() => clock.set(START));

/** Posts a batch of signals at these minutes after noon; says in which session each is. */
async function post(orgId: string, minutes: readonly number[]): Promise<string[]> {
  const signals = minutes.map((minute) => makeSignal({ ts: NOON + minute * MINUTE }));
  const results = await recordSignals(ctx, senderOf(orgId), signals);
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

test('a signal shortly before the newest session joins the one before that, which is nearer', async () => {
  const { orgId } = await makeTenant(ctx);
  const [older] = await post(orgId, [0]);
  const [newest] = await post(orgId, [50]);
  expect(await post(orgId, [20])).toEqual([older]);
  expect(await post(orgId, [45])).toEqual([newest]);
});

test('a late signal just one timeout before or after an older session joins it, and one a millisecond further away begins another', async () => {
  const { orgId } = await makeTenant(ctx);
  const [older] = await post(orgId, [0]);
  const [newer] = await post(orgId, [100]);
  await post(orgId, [200]);
  const ms = 1 / MINUTE;
  expect(await post(orgId, [30])).toEqual([older]);
  expect(await post(orgId, [70])).toEqual([newer]);
  const [between] = await post(orgId, [130 + ms]);
  expect([older, newer]).not.toContain(between);
  expect(await sessionsOf(orgId)).toHaveLength(4);
});

test('a late signal joins the session that it lies in, though that has lasted for months', async () => {
  const { orgId } = await makeTenant(ctx);
  await changeOrganization(ctx, orgId, { session_timeout: 86_400 });
  const day = (days: number) => (START - NOON + days * DAY_MS) / MINUTE;
  const ids = new Set<string>();
  for (let days = 0; days <= 120; days += 1) {
    clock.set(START + days * DAY_MS);
    for (const id of await post(orgId, [day(days)])) ids.add(id);
  }
  expect(ids.size).toBe(1);
  clock.set(START + 125 * DAY_MS);
  const [newer] = await post(orgId, [day(125)]);
  expect(ids).not.toContain(newer);
  expect(await post(orgId, [day(119.5)])).toEqual([...ids]);
});

test('late signals go where they would if every session of their key were read, however long each has lasted', async () => {
  const { orgId } = await makeTenant(ctx);
  await post(orgId, [0]);
  const [like] = await sessionsOf(orgId);
  const [draft] = draftsOf(orgId, [0], 'gpt-4o');
  if (!like || !draft) throw new Error('there is no session');
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

/** Four sessions, ended and one after the other, that last from no time to weeks. */
function severalLike(like: Session, timeoutMs: number, random: () => number): Session[] {
  let atMs = NOON;
  return ['a', 'b', 'c', 'd'].map((name) => {
    const startMs = atMs + timeoutMs * pick(random, [1.01, 1.5, 40]);
    atMs = startMs + pick(random, [0, 1, 23, 25, 60, 400]) * HOUR;
    const [started_at, ended_at] = [new Date(startMs), new Date(atMs)];
    const of = { state: 'ended', end_reason: 'timeout', last_activity_at: ended_at } as const;
    return { ...like, ...of, _id: `${like.key} ${name}`, started_at, ended_at };
  });
}

test('two processes that record late signals of a user at once make no sessions that overlap', async () => {
  const { orgId } = await makeTenant(ctx);
  await post(orgId, [0]);
  await post(orgId, [100]);
  const bothHaveRead = meeting(2);
  // With a model in common they would meet in its rollup, with one shard in the version of the organization's rules.
  const record = (shard: number, model: string, minutes: readonly number[]) => {
    let attempts = 0;
    return commitPlan(ctx, async (transaction) => {
      attempts += 1;
      const drafts = draftsOf(orgId, minutes, model);
      const batch = {
        drafts,
        historical: new Set<never>(),
        overLimit: new Map<never, never>(),
      };
      const rules = await readRules(ctx, orgId, shard, transaction);
      const attempt = { rules, shard, isFirst: false, isAssumed: false, waiting: 'after' as const };
      const plan = await decideBatch(ctx, attempt, batch, transaction);
      if (attempts === 1) await bothHaveRead();
      return plan;
    });
  };
  await Promise.all([record(0, 'gpt-4o', [25, 50]), record(1, 'gpt-5', [35])]);
  const sessions = await sessionsOf(orgId);
  for (const [index, session] of sessions.entries()) {
    const next = sessions[index + 1];
    if (next) expect(session.ended_at.getTime()).toBeLessThan(next.started_at.getTime());
  }
});

/** Resolves for each that calls it once `count` have. */
function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let here = 0;
  return () => {
    here += 1;
    if (here === count) resolve();
    return promise;
  };
}

function draftsOf(orgId: string, minutes: readonly number[], model: string): Draft[] {
  return minutes
    .map((minute) =>
      checkSignal(makeSignal({ ts: NOON + minute * MINUTE, model }), senderOf(orgId), clock.now()),
    )
    .filter((checked) => '_id' in checked);
}

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
