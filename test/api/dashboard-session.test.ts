import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startIdp } from '../../scripts/idp/provider.ts';
import { ensureIdpState, type IdpState, idpEnvironment, issuerOf } from '../../scripts/idp/state.ts';
import { findFreePort } from '../../scripts/stack/ports.ts';
import { type RunningStore, startRedis } from '../../scripts/stack/stores.ts';
import { addMember } from '../../shared/administration/members.ts';
import { createOrganization } from '../../shared/organizations/create-organization.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { createTestClock, startApi, type TestApi, type TestClock } from '../support/harness.ts';
import { beginBrowserSession } from '../support/people.ts';

const HOUR_MS = 3_600_000;
const BASE = 'https://usage.example.org';
const IDENTITY = { iss: 'https://idp.example.org', sub: 'ida' };
const BEHIND_TLS = { 'X-Forwarded-Proto': 'https' };

let idp: Server;
let state: IdpState;
let folder: string;
let redis: RunningStore;
let clock: TestClock;
let api: TestApi;
let accountId: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'usage-governor-sessions-'));
  state = await ensureIdpState(folder);
  idp = await startIdp(state, () => []);
  redis = await startRedis({ port: await findFreePort(), dir: join(folder, 'redis'), fast: true });
  clock = createTestClock();
  api = await startApi({ clock, redisUrl: redis.url, env: { ...idpEnvironment(state), BASE_URL: BASE } });
  await waitUntilReady(api.ctx.redis.producer, 5_000);
  const { _id: org_id } = await createOrganization(api.ctx, { name: 'Acme', plan: 'team' });
  const ida = { org_id, email: 'ida@acme.example', role: 'admin', idp: IDENTITY } as const;
  accountId = (await addMember(api.ctx, ida))._id;
});
afterAll(async () => {
  await api.close().catch(() => undefined);
  await redis.stop();
  idp.closeAllConnections();
  idp.close();
  rmSync(folder, { recursive: true, force: true });
});

const begin = () => beginBrowserSession(api.ctx, { accountId, identity: IDENTITY });

const look = (cookie: string) =>
  api.call('/dashboard/session', { headers: { ...BEHIND_TLS, Cookie: cookie } });

test('a session ends eight hours after its last request', async () => {
  const { key, cookie } = await begin();
  expect((await look(cookie)).status).toBe(200);
  const { producer } = api.ctx.redis;
  const prolonged = async () => (await producer.ttl(key)) > 600;
  await expect.poll(prolonged).toBe(true);
  expect((await producer.ttl(key)) * 1_000).toBeLessThanOrEqual(8 * HOUR_MS);
});

test('a session ends twenty-four hours after its sign-in, however busy it is', async () => {
  const { cookie } = await begin();
  clock.advance(24 * HOUR_MS - 1);
  expect((await look(cookie)).status).toBe(200);
  clock.advance(1);
  expect((await look(cookie)).status).toBe(401);
});

test('behind TLS a cookie is for this host alone, and a sign-in that would lose it says so', async () => {
  const lost = await api.call('/dashboard/login');
  expect(lost.headers.get('location')).toMatch(`${BASE}/dashboard/signed-out?problem=not_ready`);
  const kept = await api.call('/dashboard/login', { headers: BEHIND_TLS });
  expect(kept.headers.get('location')).toContain(issuerOf(state));
  expect(kept.headers.get('set-cookie')).toMatch(/^__Host-ug-login=.*; HttpOnly; Secure; SameSite=Lax$/);
});

test('a sign-in that the identity provider leaves without an answer is told as that', async () => {
  const begun = await api.call('/dashboard/login', { headers: BEHIND_TLS });
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
  const asked = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  idp.closeAllConnections();
  idp.close();
  const query = new URLSearchParams({ code: 'x', state: asked, iss: issuerOf(state) });
  const ended = await api.call(`/dashboard/callback?${query.toString()}`, {
    headers: { ...BEHIND_TLS, Cookie: cookie },
  });
  expect(ended.headers.get('location')).toContain('signed-out?problem=issuer_unavailable');
});

test('without Redis a session is a 503, not a new sign-in', async () => {
  const { cookie } = await begin();
  await redis.stop();
  for (const path of ['/dashboard/login', '/dashboard/callback?code=x&state=y']) {
    const { headers } = await api.call(path, { headers: { ...BEHIND_TLS, Cookie: cookie } });
    expect(headers.get('location'), path).toContain('signed-out?problem=store_unavailable');
  }
  const { status, body } = await look(cookie);
  expect([status, body.code]).toEqual([503, 'store_unavailable']);
});
