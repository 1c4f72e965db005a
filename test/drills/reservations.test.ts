import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Part, type Stack, startStack } from '../support/drills/stack.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { until } from '../support/harness.ts';
import { seeded } from '../support/random.ts';

const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
const LIMIT_USD = 100;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
}, 60_000);
afterAll(() => stack.stop());

/** What clients were answered. `0` is no answer at all. */
interface Tally {
  allowed: number;
  unknown: number;
  statuses: Map<number, number>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
async function send(path: string, key: string, body: object): Promise<{ status: number; body: any }> {
  try {
    const response = await fetch(stack.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return { status: 0, body: null };
  }
}

/** Reserves a dollar at a time and reports it as spent until the budget refuses. */
async function client(key: string, tally: Tally, pauseMs: () => number): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs()));
    const { status, body } = await send('/api/v1/budgets/reserve', key, { estimate_usd: 1, ttl_s: 3_600 });
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    if (status === 0 || status === 504) tally.unknown += 1;
    if (status !== 200) continue;
    if (!body.allow) return;
    tally.allowed += 1;
    const signal = makeSignal({ ts: Date.now(), cost_usd: 1, reservation_id: body.reservation_id });
    await until(async () => (await send('/api/v1/signals', key, signal)).status === 200, {
      timeoutMs: 60_000,
    });
  }
}

test.each(['api', 'worker', 'redis', 'mongo'] as const satisfies Part[])(
  `kill -9 of %s (seed ${SEED}): never more than the threshold is reserved, and nothing of it is lost`,
  { timeout: 180_000 },
  async (part) => {
    const random = seeded(SEED);
    const { key } = await makeTenant(stack.ctx);
    const budget = { name: 'B', scope: 'org', metric: 'cost_usd', threshold: LIMIT_USD, window: 'monthly' };
    expect((await send('/api/v1/budgets', key, { ...budget, enforce: 'hard' })).status).toBe(201);
    const tally: Tally = { allowed: 0, unknown: 0, statuses: new Map() };
    const clients = Array.from({ length: 8 }, () => client(key, tally, () => random() * 200));
    for (let share = 0.2; share < 1; share += 0.25) {
      await until(() => tally.allowed + tally.unknown >= share * LIMIT_USD, { timeoutMs: 30_000 });
      await stack.kill(part);
      await new Promise((resolve) => setTimeout(resolve, random() * 500));
      await stack.start(part);
      await until(() => stack.isReady(part), { timeoutMs: 30_000, what: `${part} back` });
    }
    await Promise.all(clients);
    expect([...tally.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status))).toEqual([]);
    expect(tally.allowed).toBeLessThanOrEqual(LIMIT_USD);
    expect(tally.allowed + tally.unknown).toBeGreaterThanOrEqual(LIMIT_USD);
    // A check may be a second behind the reservations that have been settled.
    const refuses = async () => {
      const { status, body } = await send('/api/v1/budgets/check', key, { estimate_usd: 1 });
      return status === 200 && !body.allow;
    };
    await until(refuses, { timeoutMs: 5_000, what: 'the check refuses too' });
  },
);
