import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { startCodeHost, type TestCodeHost } from './code-hosts.ts';
import { makeSignal, makeTenant } from './factories.ts';
import { createTestClock, startApi, type TestApi } from './harness.ts';

export const DAY = 86_400_000;
export const NOW = Date.parse('2026-02-01T12:00:00Z');
export const SHOP = 'github.com/acme/shop';
export const clock = createTestClock(NOW);
export let api: TestApi;
export let orgId: string;
export let key: string;
export let host: TestCodeHost;

/** Gives a suite an api, and each of its tests an organization with a code host. */
export function setUpShop(): void {
  beforeAll(async () => {
    api = await startApi({ clock });
  });
  beforeEach(openShop);
  afterAll(() => api.close());
}

async function openShop(): Promise<void> {
  ({ orgId, key } = await makeTenant(api.ctx));
  host = await startCodeHost(api, orgId, 'github');
}

export const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
export const daysAgo = (days: number) => NOW - days * DAY;

/** Posts calls on branches of the shop, each of its cost in US dollars. All are accepted. */
export async function spend(
  ...calls: (readonly [ms: number, branch: string | undefined, usd: number, user?: string])[]
) {
  const signals = calls.map(([ts, branch, cost_usd, user_id = 'ada']) => {
    const place = branch === undefined ? {} : { repository: SHOP, branch };
    return makeSignal({ ts, cost_usd, user_id, ...place });
  });
  const { body } = await api.call('/api/v1/signals', { key, body: { signals } });
  expect(body.results.map(({ status }: { status: string }) => status)).toEqual(calls.map(() => 'accepted'));
}
