import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { evaluateBudgetsJob } from '../../shared/core/limits/budgets/rules/jobs.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { channelOf } from '../../shared/platform/queues/job.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { type TestApi, until } from '../support/harness.ts';

const f = await fixture({ other: true, perTest: true });
const { api, other } = f;
beforeAll(async () => {
  for (const { ctx } of [api, other]) withoutPolls(() => statusCache(ctx));
});
beforeEach(async () => {
  await f.spend({ cost_usd: 5 });
});

/** A context from `make` reads nothing again by itself. */
function withoutPolls(make: () => unknown): void {
  const never = setInterval(() => undefined, 1e9);
  never.unref();
  const timers = vi.spyOn(globalThis, 'setInterval').mockReturnValue(never);
  make();
  timers.mockRestore();
}

const isAllowed = async (at: TestApi) =>
  (await at.call('/api/v1/budgets/check', { key: f.key, body: { user_id: 'ada' } })).body.allow;
const whole = { ...BUDGET, threshold: 5, window: 'monthly', enforce: 'hard' };
const create = async (headers = {}) => (await f.ask('/api/v1/budgets', whole, { headers })).id;
const change = (id: string, body: object) => f.patch(`/api/v1/budgets/${id}`, body);

describe('the process that answered a change of a budget', () => {
  beforeEach(() => {
    // It hears nothing of it in another way.
    vi.spyOn(api.ctx.redis.queues, 'publish').mockResolvedValue(0);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('decides by it from its answer on', async () => {
    expect(await isAllowed(api)).toBe(true);
    const id = await create();
    expect(await isAllowed(api)).toBe(false);
    const changes = [{ threshold: 5.01 }, { threshold: 4 }, { enforce: 'soft' }, { enforce: 'hard' }];
    for (const [at, fields] of changes.entries()) {
      await change(id, fields);
      expect(await isAllowed(api), JSON.stringify(fields)).toBe(at % 2 === 0);
    }
    await f.remove(`/api/v1/budgets/${id}`);
    expect(await isAllowed(api)).toBe(true);
    await create({ 'Idempotency-Key': randomUUID() });
    expect(await isAllowed(api)).toBe(false);
  });

  test('reserves by it from its answer on', async () => {
    const id = await create();
    const request = { user_id: 'ada', estimate_usd: 1, ttl_s: 60 };
    const reserve = async () => (await f.ask('/api/v1/budgets/reserve', request)).allow;
    expect(await reserve()).toBe(false);
    await change(id, { threshold: 6 });
    expect(await reserve()).toBe(true);
    expect(await reserve()).toBe(false);
    await change(id, { threshold: 7 });
    expect(await reserve()).toBe(true);
  });
});

/** Waits until the other process was told of what is done, and not only until what it has read is too old. */
async function untilTold(act: () => Promise<unknown>): Promise<void> {
  const renew = vi.spyOn(statusCache(other.ctx), 'renew');
  await act();
  await until(() => renew.mock.calls.some(([id]) => id === f.orgId));
  renew.mockRestore();
}

/** Waits until changes of budgets are heard by somebody. */
async function untilHeard(): Promise<void> {
  const channel = channelOf(api.ctx.queues, evaluateBudgetsJob);
  await until(async () => {
    const [, count] = (await api.ctx.redis.queues.call('PUBSUB', 'NUMSUB', channel)) as [string, number];
    return count > 0;
  });
}

test('another process decides by a change and by the exception of a person at once, because they are published', async () => {
  await untilHeard();
  const { id } = await f.ask('/api/v1/budgets', { ...whole, per: 'user' });
  const path = `/api/v1/budgets/${id}`;
  const ada = `${path}/people/ada`;
  expect(await isAllowed(other)).toBe(false);
  for (const [url, options, isEnough] of [
    [path, { method: 'PATCH', body: { threshold: 6 } }, true],
    [path, { method: 'PATCH', body: { threshold: 4 } }, false],
    [ada, { method: 'PUT', body: { threshold: 5.01 } }, true],
    [ada, { method: 'PUT', body: { threshold: 4 } }, false],
    [ada, { method: 'PUT', body: { exempt: true } }, true],
    [ada, { method: 'DELETE' }, false],
  ] as const) {
    await statusCache(other.ctx).refresh(f.orgId);
    await untilTold(() => api.call(url, { key: f.key, ...options }));
    await until(async () => (await isAllowed(other)) === isEnough);
  }
});

test.each([
  { scope: 'user', scope_id: 'ada' },
  { scope: 'project', scope_id: 'shop' },
])('a change that repeats the scope $scope keeps its id', async (of) => {
  const { id } = await f.ask('/api/v1/budgets', { ...BUDGET, ...of });
  const { status, body } = await change(id, { scope: of.scope, threshold: 7 });
  expect([status, body]).toMatchObject([200, { ...of, threshold: 7 }]);
});
