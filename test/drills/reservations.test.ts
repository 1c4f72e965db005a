import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CALL, newTally, post, reserveUntilRefused } from '../support/drills/reserve.ts';
import { type Part, type Stack, startStack } from '../support/drills/stack.ts';
import { makeTenant } from '../support/factories.ts';
import { until } from '../support/harness.ts';
import { seeded } from '../support/random.ts';

const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
const LIMIT_USD = 100;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
beforeEach(() => stack.mend());
afterAll(() => stack?.stop());

/** A budget of each kind, with its clients. Each has an organization of its own, so that it alone refuses. */
const KINDS = [
  { kind: 'plain', clients: 8, fields: {} },
  { kind: 'filter', clients: 4, fields: { filter: { models: ['gpt-4o*'], providers: ['openai'] } } },
  { kind: 'template', clients: 4, fields: { per: 'user' } },
  { kind: 'rolling', clients: 4, fields: { window: 'rolling', rolling_days: 3 } },
  { kind: 'total', clients: 4, fields: { window: 'total' } },
];

test.each(['api', 'worker', 'redis', 'mongo'] as const satisfies Part[])(
  `kill -9 of %s (seed ${SEED}): never more than the threshold is reserved, and nothing of it is lost`,

  async (part) => {
    const random = seeded(SEED);
    const pace = () => new Promise((resolve) => setTimeout(resolve, random() * 200));
    const driven = [];
    for (const { kind, clients, fields } of KINDS) {
      const { key } = await makeTenant(stack.ctx);
      const shape = { name: kind, scope: 'org', metric: 'cost_usd', threshold: LIMIT_USD, window: 'monthly' };
      const budget = { ...shape, enforce: 'hard', ...fields };
      expect((await post(`${stack.url}/api/v1/budgets`, key, budget)).status).toBe(201);
      driven.push({ kind, clients, key, tally: newTally() });
    }
    const done = Promise.all(
      driven.flatMap(({ clients, key, tally }) =>
        Array.from({ length: clients }, () =>
          reserveUntilRefused(stack.url, key, tally, { pace, isReporting: true }),
        ),
      ),
    );
    // It fails with the kills when these fail.
    done.catch(() => undefined);
    const [first] = driven.map(({ tally }) => tally);
    for (let share = 0.2; share < 1; share += 0.25) {
      await until(() => first !== undefined && first.allowed + first.unknown >= share * LIMIT_USD);
      await stack.kill(part);
      await new Promise((resolve) => setTimeout(resolve, random() * 500));
      await stack.start(part);
      await until(() => stack.isReady(part), { what: `${part} back` });
    }
    await done;
    for (const { kind, key, tally } of driven) {
      console.log(
        `${part}, ${kind}: ${tally.allowed} of ${LIMIT_USD} acknowledged, ${tally.unknown} unknown`,
      );
      const others = [...tally.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status));
      expect(others, kind).toEqual([]);
      expect(tally.allowed, kind).toBeLessThanOrEqual(LIMIT_USD);
      expect(tally.allowed + tally.unknown, kind).toBeGreaterThanOrEqual(LIMIT_USD);
      // A check may be a second behind the reservations that have been settled.
      const refuses = async () => {
        const asked = { ...CALL, estimate_usd: 1 };
        const { status, body } = await post(`${stack.url}/api/v1/budgets/check`, key, asked);
        return status === 200 && !body.allow;
      };
      await until(refuses, { what: `the check refuses too (${kind})` });
    }
  },
);
