import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../harness.ts';
import { seeded } from '../random.ts';
import { checkCredits } from './checker.ts';
import { makeRichAccounts, startLoad } from './load.ts';
import { type Part, type Stack, startStack } from './stack.ts';

const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 2);
const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
}, 60_000);

afterAll(() => stack.stop());

test.each(['api', 'worker', 'redis', 'mongo'] as const satisfies Part[])(
  `kill -9 of %s under load, ${ROUNDS} times (seed ${SEED}): every answered spend is in the ledger once`,
  { timeout: 60_000 + ROUNDS * 20_000 },
  async (part) => {
    const random = seeded(SEED);
    const accounts = await makeRichAccounts(stack.ctx, 8);
    const load = startLoad(() => stack.url, accounts, { clients: 16, random });
    for (let round = 0; round < ROUNDS; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 200 + random() * 600));
      await stack.kill(part);
      await new Promise((resolve) => setTimeout(resolve, random() * 300));
      await stack.start(part);
      await until(() => stack.isReady(), { timeoutMs: 20_000, what: `${part} back` });
    }
    await load.finish();
    expect(load.statuses.get(200) ?? 0).toBeGreaterThan(0);
    expect([...load.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status))).toEqual([]);
    await checkCredits(stack.ctx, stack.url, accounts, load.attempts);
  },
);
