import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkCredits } from '../support/drills/checker.ts';
import { makeRichAccounts, startLoad } from '../support/drills/load.ts';
import { type Part, type Stack, startStack } from '../support/drills/stack.ts';
import { until } from '../support/harness.ts';
import { seeded } from '../support/random.ts';

const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 3);
const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
beforeEach(() => stack.mend());

afterAll(() => stack?.stop());

test.each(['api', 'worker', 'redis', 'mongo'] as const satisfies Part[])(
  `kill -9 of %s under load, ${ROUNDS} times (seed ${SEED}): every answered spend is in the ledger once`,
  { timeout: 300_000 + ROUNDS * 120_000 },
  async (part) => {
    const random = seeded(SEED);
    const accounts = await makeRichAccounts(stack.ctx, 4);
    const load = startLoad(() => stack.url, accounts, { clients: 4, random });
    for (let round = 0; round < ROUNDS; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, random() * 500));
      await stack.kill(part);
      await new Promise((resolve) => setTimeout(resolve, random() * 200));
      await stack.start(part);
      await until(() => stack.isReady(part), { what: `${part} back` });
      const before = load.statuses.get(200) ?? 0;
      await until(() => (load.statuses.get(200) ?? 0) > before, { what: 'a spend' });
    }
    await load.finish();
    expect([...load.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status))).toEqual([]);
    await checkCredits(stack.ctx, stack.url, accounts, load.attempts);
  },
);
