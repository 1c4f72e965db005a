import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { measureClockSkew, warnOfClock } from '../../shared/platform/context/clock-skew.ts';
import { runWhileClockIsRight } from '../../workers/run-while-clock-is-right.ts';
import { openTestContext, type TestContext, until } from '../support/harness.ts';

let shiftMs = 0;
const ctx = await openTestContext({ clock: { ...systemClock, now: () => systemClock.now() + shiftMs } });
afterAll(() => ctx.close());

/** A worker's jobs, as far as it is known whether they run. */
function jobs() {
  const seen = { started: 0, stopped: 0 };
  const start = () => {
    seen.started += 1;
    return async () => {
      seen.stopped += 1;
    };
  };
  return { seen, start };
}

/** The context with a Redis that answers TIME like this. */
function withRedisTime(time: () => Promise<string[]>): TestContext {
  const producer = Object.assign(Object.create(ctx.redis.producer), { time });
  return { ...ctx, redis: { ...ctx.redis, producer } };
}

test('jobs run while the clock is right, end while it is more than 5 s ahead or behind, and begin again', async () => {
  const { seen, start } = jobs();
  shiftMs = 4_000;
  const stop = runWhileClockIsRight(ctx, start, 10);
  for (const wrongMs of [6_000, -6_000]) {
    await until(() => seen.started === seen.stopped + 1, { what: 'jobs to begin' });
    shiftMs = wrongMs;
    await until(() => seen.started === seen.stopped, { what: 'jobs to end' });
    shiftMs = -4_000;
  }
  await until(() => seen.started === 3);
  await stop();
  expect(seen).toEqual({ started: 3, stopped: 3 });
});

test('nothing begins while the clock is wrong from the start, or while no store shows its time', async () => {
  const { seen, start } = jobs();
  shiftMs = 3_600_000;
  const lone = await openTestContext({ redisUrl: 'redis://127.0.0.1:1', clock: ctx.clock });
  const stops = [runWhileClockIsRight(ctx, start, 10)];
  expect(await warnOfClock(ctx)).toBe('The clock of this process is 3600 s ahead of those of the stores.');
  await lone.db.connection.close();
  stops.push(runWhileClockIsRight(lone, start, 10));
  expect(await measureClockSkew(lone)).toBeNull();
  await Promise.all(stops.map((stop) => stop()));
  expect(seen).toEqual({ started: 0, stopped: 0 });
  await lone.close().catch(() => undefined);
});

test('one store with a wrong clock makes no process wrong, but is warned of, and one store suffices', async () => {
  shiftMs = 0;
  const beside = withRedisTime(async () => [String(systemClock.now() / 1_000 + 3_600), '0']);
  expect(Math.abs((await measureClockSkew(beside)) ?? Number.NaN)).toBeLessThan(1_000);
  expect(await warnOfClock(beside)).toBe('The clock of Redis is 3600 s ahead of the others.');
  expect(await warnOfClock(ctx)).toBeNull();
  const lone = await openTestContext({ redisUrl: 'redis://127.0.0.1:1' });
  expect(Math.abs((await measureClockSkew(lone)) ?? Number.NaN)).toBeLessThan(1_000);
  await lone.close();
});

test('a Redis that is killed and answers TIME with nothing ends no jobs', async () => {
  shiftMs = 0;
  const { seen, start } = jobs();
  let answers = 0;
  const killed = withRedisTime(async () => {
    answers += 1;
    return [];
  });
  const stop = runWhileClockIsRight(killed, start, 10);
  await until(() => answers > 2);
  expect(seen).toEqual({ started: 1, stopped: 0 });
  await stop();
});
