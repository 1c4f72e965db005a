import type { SessionData } from 'express-session';
import { afterAll, expect, test } from 'vitest';
import { createSessionStore } from '../../api/people/session-store.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { addMember } from '../../shared/people/members.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { startOwnRedis } from '../support/credits.ts';
import { createTestClock, openKeptLog, startApi } from '../support/harness.ts';
import { beginBrowserSession } from '../support/people.ts';
import { startSignIn } from '../support/sign-in.ts';

const HOUR_MS = 3_600_000;
const BASE = 'https://usage.example.org';
const IDENTITY = { iss: 'https://idp.example.org', sub: 'ida' };
const BEHIND_TLS = { 'X-Forwarded-Proto': 'https' };
const OURS = { 'X-Requested-With': 'dashboard', 'Sec-Fetch-Site': 'same-origin' };

const idp = await startSignIn();
const redis = await startOwnRedis();
const clock = createTestClock();
const api = await startApi({ clock, redisUrl: redis.url, env: { ...idp.env, BASE_URL: BASE } });
await waitUntilReady(api.ctx.redis.producer, 5_000);
const orgId = (await createOrganization(api.ctx, { name: 'Acme', plan: 'team' }))._id;
const ida = { org_id: orgId, email: 'ida@acme.example', role: 'admin', idp: IDENTITY } as const;
const accountId = (await addMember(api.ctx, ida))._id;
afterAll(async () => {
  await api.close().catch(() => undefined);
  await redis.stop();
  idp.stop();
});

const begin = () => beginBrowserSession(api.ctx, { accountId, identity: IDENTITY });

const goTo = (path: string, cookie: string, at = api) =>
  at.call(`/dashboard/${path}`, { headers: { ...BEHIND_TLS, Cookie: cookie } });
const look = (cookie: string) => goTo('session', cookie);

test('a session ends eight hours after its last request', async () => {
  const { key, cookie } = await begin();
  expect((await look(cookie)).status).toBe(200);
  const { producer } = api.ctx.redis;
  const prolonged = async () => (await producer.ttl(key)) > 600;
  await expect.poll(prolonged).toBe(true);
  expect((await producer.ttl(key)) * 1_000).toBeLessThanOrEqual(8 * HOUR_MS);
});

test('a session that is stored lives for eight hours, not only once it is prolonged', async () => {
  const store = createSessionStore(api.ctx, 8 * 3_600);
  const content = { cookie: { originalMaxAge: null } };
  await new Promise((resolve) => store.set('fresh', content as SessionData, resolve));
  const leftMs = await api.ctx.redis.producer.pttl('dashboard:session:fresh');
  expect(leftMs).toBeGreaterThan(8 * HOUR_MS - 60_000);
  expect(leftMs).toBeLessThanOrEqual(8 * HOUR_MS);
});

/** A session of a person who has signed in and belongs to no organization, as a sign-in of now leaves it. */
async function beginVisitOf(invitations: string[]): Promise<string> {
  const { key, cookie } = await begin();
  const identity = { ...IDENTITY, sub: 'kim' };
  const candidate = { accountIds: invitations, email: 'kim@acme.example', identity };
  const visitor = { email: candidate.email, reason: 'invited', untilMs: clock.now() + 600_000, candidate };
  await api.ctx.redis.producer.set(key, JSON.stringify({ cookie: { path: '/' }, visitor }), 'EX', 3_600);
  return cookie;
}
const accept = (cookie: string, invitation: string) =>
  api.call('/dashboard/join', {
    body: { invitation, accept: true },
    headers: { ...BEHIND_TLS, ...OURS, Cookie: cookie },
  });

test('a visit ends after ten minutes: then nothing can be joined by it', async () => {
  const kim = await addMember(api.ctx, { org_id: orgId, email: 'kim@acme.example', role: 'member' });
  const cookie = await beginVisitOf([kim._id]);
  clock.advance(600_000 - 1);
  expect((await look(cookie)).body).toMatchObject({ code: 'not_a_member', reason: 'invited' });
  clock.advance(1);
  expect((await look(cookie)).status).toBe(401);
  expect((await accept(cookie, kim._id)).status).toBe(401);
  expect((await memberRows(api.ctx).findOne({ _id: kim._id }))?.idp).toBeUndefined();
});

test('a Redis that takes no writes is a 503 at sign-in, not a fault of ours', async () => {
  const kim = await memberRows(api.ctx).findOne({ email: 'kim@acme.example' });
  const cookie = await beginVisitOf([kim?._id ?? '']);
  const { producer } = api.ctx.redis;
  await producer.config('SET', 'maxmemory', '1');
  try {
    const full = await accept(cookie, kim?._id ?? '');
    expect([full.status, full.body.code]).toEqual([503, 'store_unavailable']);
  } finally {
    await producer.config('SET', 'maxmemory', '0');
  }
  // The yes was noted, and the visit is over: the next sign-in begins the session. The session that cannot be saved at the
  // end of the 503 closes its connection, which a client may notice only by its next request.
  await expect.poll(async () => (await look(cookie)).status).toBe(401);
  expect((await memberRows(api.ctx).findOne({ _id: kim?._id ?? '' }))?.idp).toMatchObject({ sub: 'kim' });
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
  expect(kept.headers.get('location')).toContain(idp.issuer);
  expect(kept.headers.get('set-cookie')).toMatch(/^__Host-ug-login=.*; HttpOnly; Secure; SameSite=Lax$/);
});

/** The cookie and the state of a sign-in that begins. */
async function beginSignIn(): Promise<{ cookie: string; asked: string }> {
  const begun = await api.call('/dashboard/login', { headers: BEHIND_TLS });
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, asked: new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '' };
}

test('an answer to a sign-in works once, and the log keeps two short codes of it', async () => {
  const { log, written } = openKeptLog();
  const logged = await startApi({ ctx: { ...api.ctx, log } });
  const { cookie, asked } = await beginSignIn();
  const error = `e${'x'.repeat(5_000)}`;
  const told = { error, error_description: 'TYPED-BY-A-STRANGER', code: 'UNUSED-CODE' };
  const query = String(new URLSearchParams({ ...told, state: asked, iss: idp.issuer }));
  for (let time = 0; time < 3; time += 1) {
    const { headers } = await goTo(`callback?${query}`, cookie, logged);
    expect(headers.get('location')).toContain('signed-out?problem=invalid_grant');
  }
  await logged.close();
  const lines = written()
    .split('\n')
    .filter((line) => line.includes('a sign-in failed'));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '').error).toHaveLength(64);
  expect(written()).not.toMatch(/TYPED-BY-A-STRANGER|UNUSED-CODE/);
});

test('a sign-in that the identity provider leaves without an answer is told as that', async () => {
  const { cookie, asked } = await beginSignIn();
  idp.stop();
  const query = String(new URLSearchParams({ code: 'x', state: asked, iss: idp.issuer }));
  const { headers } = await goTo(`callback?${query}`, cookie);
  expect(headers.get('location')).toContain('signed-out?problem=issuer_unavailable');
});

test('without Redis a session is a 503, not a new sign-in', async () => {
  const { cookie } = await begin();
  await redis.kill();
  for (const path of ['login', 'callback?code=x&state=y']) {
    const { headers } = await goTo(path, cookie);
    expect(headers.get('location'), path).toContain('signed-out?problem=store_unavailable');
  }
  const { status, body } = await look(cookie);
  expect([status, body.code]).toEqual([503, 'store_unavailable']);
});

test('says to somebody who is not signed in that nobody can sign in now, and whom to ask', async () => {
  const env = { SUPPORT_CONTACT: 'help@acme.example' };
  const apart = await startApi({ redisUrl: redis.url, env });
  const detail = 'Nobody can sign in: OIDC_ISSUER and OIDC_CLIENT_ID are not set.';
  const problem = { detail, contact: 'help@acme.example' };
  const { status, body } = await apart.call('/dashboard/session');
  expect([status, body.code, body.sign_in_problem]).toEqual([401, 'unauthorized', problem]);
  await apart.close();
  expect((await look('ug=unknown')).body).not.toHaveProperty('sign_in_problem');
});
