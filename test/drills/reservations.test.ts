import { afterAll, beforeAll, expect, test } from 'vitest';
import { newTally, post, reserveUntilRefused } from '../support/drills/reserve.ts';
import { type Part, type Stack, startStack } from '../support/drills/stack.ts';
import { makeTenant } from '../support/factories.ts';
import { until } from '../support/harness.ts';
import { seeded } from '../support/random.ts';

const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
const LIMIT_USD = 100;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
}, 60_000);
afterAll(() => stack.stop());

test.each(['api', 'worker', 'redis', 'mongo'] as const satisfies Part[])(
  `kill -9 of %s (seed ${SEED}): never more than the threshold is reserved, and nothing of it is lost`,
  { timeout: 180_000 },
  async (part) => {
    const random = seeded(SEED);
    const { key } = await makeTenant(stack.ctx);
    const budget = { name: 'B', scope: 'org', metric: 'cost_usd', threshold: LIMIT_USD, window: 'monthly' };
    expect((await post(`${stack.url}/api/v1/budgets`, key, { ...budget, enforce: 'hard' })).status).toBe(201);
    const tally = newTally();
    const pace = () => new Promise((resolve) => setTimeout(resolve, random() * 200));
    const clients = Array.from({ length: 8 }, () =>
      reserveUntilRefused(stack.url, key, tally, { pace, isReporting: true }),
    );
    for (let share = 0.2; share < 1; share += 0.25) {
      await until(() => tally.allowed + tally.unknown >= share * LIMIT_USD, { timeoutMs: 30_000 });
      await stack.kill(part);
      await new Promise((resolve) => setTimeout(resolve, random() * 500));
      await stack.start(part);
      await until(() => stack.isReady(part), { timeoutMs: 30_000, what: `${part} back` });
    }
    await Promise.all(clients);
    console.log(`${part}: ${tally.allowed} of ${LIMIT_USD} acknowledged, ${tally.unknown} unknown`);
    expect([...tally.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status))).toEqual([]);
    expect(tally.allowed).toBeLessThanOrEqual(LIMIT_USD);
    expect(tally.allowed + tally.unknown).toBeGreaterThanOrEqual(LIMIT_USD);
    // A check may be a second behind the reservations that have been settled.
    const refuses = async () => {
      const { status, body } = await post(`${stack.url}/api/v1/budgets/check`, key, { estimate_usd: 1 });
      return status === 200 && !body.allow;
    };
    await until(refuses, { timeoutMs: 5_000, what: 'the check refuses too' });
  },
);
