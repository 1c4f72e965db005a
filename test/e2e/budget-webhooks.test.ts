import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { type RunningStore, startRedis } from '../../packages/stack/stores.ts';
import { NAMED_EVENT_TYPES } from '../../shared/platform/basics/contract.ts';
import { type Child, startChild } from '../support/drills/child.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { openTestContext, type TestContext, testEnv, until } from '../support/harness.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const SECRET = 'a-secret-of-more-than-thirty-two-characters';
let redis: RunningStore;
let folder: string;
let ctx: TestContext;
let api: Child;
let worker: Child;
let receiver: Receiver;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'usage-governor-e2e-'));
  redis = await startRedis({ port: await findFreePort(), dir: folder, fast: true });
  ctx = await openTestContext({ redisUrl: redis.url });
  const name = new URL(ctx.config.mongodbUrl).pathname.slice(1);
  const env = testEnv(name, { redisUrl: redis.url });
  [api, worker, receiver] = await Promise.all([
    startChild('api/main.ts', env),
    startChild('workers/main.ts', env),
    startReceiver(),
  ]);
});
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop(), receiver.close()]);
  await ctx.close();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call(key: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok, await response.clone().text()).toBe(true);
  return (await response.json()) as Record<string, unknown>;
}

/** The requests of one type that arrived; each was signed. */
function arrived(type: string): { id: string; org_id: string; data: Record<string, unknown> }[] {
  return receiver.received.flatMap((request) => {
    expect(verifyWebhook(request.body, request.headers['x-service-signature'], SECRET)).toBe(true);
    const event = JSON.parse(request.body.toString());
    return event.type === type ? [event] : [];
  });
}

describe('signals posted to a running service', () => {
  it('make budget.warning, budget.exceeded and anomaly.detected arrive, signed, as the contract has them', async () => {
    const { key, orgId } = await makeTenant(ctx);
    await call(key, '/api/v1/webhooks', {
      url: receiver.url,
      events: [...NAMED_EVENT_TYPES],
      secret: SECRET,
    });
    const budget = await call(key, '/api/v1/budgets', {
      name: 'Monthly cost',
      scope: 'org',
      scope_id: orgId,
      metric: 'cost_usd',
      threshold: 10,
      window: 'monthly',
    });
    const signalOf = (cost_usd: number, extra: object = {}) =>
      makeSignal({ ts: Date.now(), cost_usd, ...extra });
    await call(key, '/api/v1/signals', signalOf(8.5));
    const warning = await until(() => arrived('budget.warning')[0], { timeoutMs: 20_000 });
    expect(arrived('budget.exceeded')).toEqual([]);
    expect(warning?.data).toEqual({
      budget_id: budget.id,
      budget_name: 'Monthly cost',
      threshold: 10,
      current: 8.5,
      scope: 'org',
      scope_id: orgId,
      event_id: warning?.id,
    });
    await call(key, '/api/v1/signals', signalOf(4.5));
    const exceeded = await until(() => arrived('budget.exceeded')[0], { timeoutMs: 20_000 });
    expect(exceeded).toMatchObject({ org_id: orgId });
    expect(exceeded?.data).toEqual({
      budget_id: budget.id,
      budget_name: 'Monthly cost',
      scope: 'org',
      scope_id: orgId,
      threshold: 10,
      current: 13,
      window: 'monthly',
      metric: 'cost_usd',
    });
    const spike = await call(key, '/api/v1/signals', signalOf(0, { user_id: 'bob', tokens_in: 2_500_000 }));
    const anomaly = await until(() => arrived('anomaly.detected')[0], { timeoutMs: 20_000 });
    const [{ session_id } = { session_id: '' }] = spike.results as { session_id: string }[];
    expect(anomaly?.data).toEqual({
      anomaly_type: 'token_spike',
      user_id: 'bob',
      baseline_avg: 2_000_000,
      observed: 2_500_010,
      deviation_pct: expect.closeTo(25.0005, 3),
      session_id,
    });
    expect(arrived('session.started')).toHaveLength(2);
    expect(arrived('budget.warning')).toHaveLength(1);
  });
});
