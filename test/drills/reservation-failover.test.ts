import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ReplicaStack, startReplicaStack } from '../support/drills/replica-stack.ts';
import { newTally, post, reserveUntilRefused } from '../support/drills/reserve.ts';
import type { Stack } from '../support/drills/stack.ts';
import { makeTenant } from '../support/factories.ts';
import { until } from '../support/harness.ts';
import { seeded } from '../support/random.ts';

/** An even number, so that each is promoted as often as it is demoted. */
const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 2);
const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
/** Reservations before a promotion, and as many while it lasts: those of more than a second. */
const PER_ROUND = 60;
const LIMIT_USD = (2 * ROUNDS + 1) * (PER_ROUND + 5);

let replicated: ReplicaStack;
let stack: Stack;

beforeAll(async () => {
  replicated = await startReplicaStack();
  stack = replicated.stack;
});
beforeEach(() => stack.mend());

// Undefined after a beforeAll that failed.
afterAll(() => replicated?.stop());

test(`a replica is promoted and its primary demoted under load, ${ROUNDS} times to and fro (seed ${SEED}): with REDIS_WAIT_REPLICAS=1 never more than the threshold is reserved`, {
  timeout: 300_000 + ROUNDS * 120_000,
}, async () => {
  const random = seeded(SEED);
  const { key } = await makeTenant(stack.ctx);
  const budget = { name: 'B', scope: 'org', metric: 'cost_usd', threshold: LIMIT_USD, window: 'monthly' };
  expect((await post(`${stack.url}/api/v1/budgets`, key, { ...budget, enforce: 'hard' })).status).toBe(201);
  const tally = newTally();
  let gate = 0;
  const pace = async () => {
    await new Promise((resolve) => setTimeout(resolve, random() * 200));
    await until(() => tally.allowed < gate);
  };
  const clients = Promise.all(
    Array.from({ length: 8 }, () => reserveUntilRefused(stack.url, key, tally, { pace, isReporting: false })),
  );
  clients.catch(() => undefined);
  for (let round = 0; round < ROUNDS; round += 1) {
    gate = tally.allowed + PER_ROUND;
    await new Promise((resolve) => setTimeout(resolve, 200 + random() * 400));
    const unconfirmed = tally.unknown;
    // None is confirmed meanwhile, so that the clients would wait at a gate that a slow machine has let them reach.
    gate = tally.allowed + PER_ROUND;
    await replicated.swap(() =>
      until(() => tally.unknown > unconfirmed, { what: 'an answer that no replica confirms' }),
    );
    const before = tally.allowed;
    gate = before + 10;
    await until(() => tally.allowed > before, { what: 'a reservation' });
  }
  gate = Number.POSITIVE_INFINITY;
  await clients;
  const { allowed, unknown } = tally;
  console.log(`${ROUNDS} promotions, ${allowed} of ${LIMIT_USD} acknowledged, ${unknown} unknown`);
  expect([...tally.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status))).toEqual([]);
  expect(tally.allowed).toBeLessThanOrEqual(LIMIT_USD);
  expect(tally.allowed + tally.unknown).toBeGreaterThanOrEqual(LIMIT_USD);
});
