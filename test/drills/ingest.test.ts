import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { type Child, startChild } from '../support/drills/child.ts';
import { type ProxiedMongo, startProxiedMongo } from '../support/drills/proxied-mongo.ts';
import type { NetProxy } from '../support/drills/proxy.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import type { TestApi, TestContext } from '../support/harness.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

/** More requests than one batch makes to MongoDB. */
const MOST_STEPS = 30;
let ctx: TestContext;
let proxy: NetProxy;
let mongo: ProxiedMongo;
let env: Record<string, string>;
let survivor: TestApi;
let next: Promise<Child>;

beforeAll(async () => {
  mongo = await startProxiedMongo();
  ({ ctx, survivor, proxy, env } = mongo);
  next = startChild('api/main.ts', env);
});
afterAll(async () => {
  await next?.then((child) => child.kill());
  await mongo?.stop();
});

async function post(url: string, key: string, signals: unknown[]): Promise<string[] | null> {
  try {
    const response = await fetch(`${url}/api/v1/signals`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ signals }),
    });
    const { results } = (await response.json()) as { results: { status: string }[] };
    return results.map((result) => result.status);
  } catch {
    return null;
  }
}

async function countOf(orgId: string) {
  const [signals, sessions, rollups, events] = await Promise.all([
    signalRows(ctx).find({ org_id: orgId }).toArray(),
    sessionRows(ctx).find({ org_id: orgId }).toArray(),
    rollupRows(ctx).find({ org_id: orgId }).toArray(),
    readEvents(ctx, orgId),
  ]);
  const sum = (rows: readonly { signals?: number; signal_count?: number }[]) =>
    rows.reduce((total, row) => total + (row.signals ?? row.signal_count ?? 0), 0);
  return {
    signals: signals.length,
    inSessions: sum(sessions),
    inDays: sum(rollups.filter((row) => row.period === 'day')),
    inQuarterHours: sum(rollups.filter((row) => row.period === 'quarter_hour')),
    sessions: sessions.length,
    started: events.filter((event) => event.type === 'session.started').length,
  };
}

describe('an api that is killed', () => {
  it('between any two steps of a batch keeps all or nothing of it, and the repeat completes it', async () => {
    const seen = new Set<number>();
    let step = 0;
    for (let isKilled = true; isKilled; ) {
      step += 1;
      expect(step).toBeLessThan(MOST_STEPS);
      const { orgId, key } = await makeTenant(ctx);
      await subscribeToAll(ctx, orgId);
      const signals = Array.from({ length: 10 }, (_, index) =>
        makeSignal({ ts: Date.now() - index * 1_000, user_id: `u${index % 2}` }),
      );
      proxy.onRequest = () => true;
      const first = await next;
      next = startChild('api/main.ts', env);
      await next;
      let requests = 0;
      proxy.onRequest = (chunk) => {
        // The driver's own heartbeats and the look-up of the key are no steps of the batch.
        if (!isStep(chunk)) return true;
        requests += 1;
        if (requests === step) first.process.kill('SIGKILL');
        return requests < step;
      };
      await post(first.url, key, signals);
      await first.kill();
      isKilled = requests >= step;
      const kept = await countOf(orgId);
      expect([0, 10], `step ${step}`).toContain(kept.signals);
      expect(kept, `step ${step}`).toMatchObject({
        inSessions: kept.signals,
        inDays: kept.signals,
        inQuarterHours: kept.signals,
      });
      seen.add(kept.signals);
      const statuses = await post(survivor.url, key, signals);
      expect(new Set(statuses)).toEqual(new Set([kept.signals === 0 ? 'accepted' : 'duplicate']));
      expect(await countOf(orgId)).toEqual({
        signals: 10,
        inSessions: 10,
        inDays: 10,
        inQuarterHours: 10,
        sessions: 2,
        started: 2,
      });
    }
    expect(step, 'steps were seen').toBeGreaterThan(4);
    expect(seen, 'both a lost and a kept batch were seen').toEqual(new Set([0, 10]));
  });
});

const STEP =
  /organization_versions|organizations|budgets|webhooks|signals|session_heads|bulkWrite|commitTransaction/;

function isStep(chunk: Buffer): boolean {
  const text = chunk.toString('latin1');
  return STEP.test(text) && !text.includes('hello') && !text.includes('instances');
}
