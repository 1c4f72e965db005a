import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { startIdp } from '../../scripts/idp/provider.ts';
import { ensureIdpState, type IdpState, idpEnvironment, issuerOf } from '../../scripts/idp/state.ts';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { actingAs } from '../../shared/core/accounts/audit/record-audit.ts';
import { acceptInvitation } from '../../shared/core/accounts/identity/invitations.ts';
import { linkIdentity } from '../../shared/core/accounts/identity/link-identity.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { addMember } from '../../shared/people/members.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { startApi, type TestApi } from '../support/harness.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { recordAll } from '../support/usage.ts';

let dataDir: string;
let state: IdpState;
let idp: Server;
let api: TestApi;
let orgId: string;
let base: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'usage-governor-people-'));
  state = await ensureIdpState(dataDir);
  idp = await startIdp(state, () => []);
  const port = await findFreePort();
  base = `http://127.0.0.1:${port}`;
  const env = { ...idpEnvironment(state), BASE_URL: base, SUPPORT_CONTACT: 'help@example.org' };
  api = await startApi({ env, port });
  orgId = (await createOrganization(api.ctx, { name: 'Acme', plan: 'team' }))._id;
});
afterAll(async () => {
  await api.close();
  idp.closeAllConnections();
  idp.close();
  rmSync(dataDir, { recursive: true });
});

let made = 0;

/** A member with an identity at the identity provider, where anybody signs in by e-mail. */
async function makeMember(role: 'admin' | 'member', org = orgId): Promise<{ email: string; userId: string }> {
  made += 1;
  const email = `person-${made}@acme.example`;
  const identity = { iss: issuerOf(state), sub: email };
  const member = await addMember(api.ctx, { org_id: org, email, role, idp: identity });
  return { email, userId: member.user_id };
}

/** Signs in as whoever has this e-mail, and stays on the page where that ends. */
async function signIn(email: string, returnTo?: string): Promise<HttpClient> {
  const browser = createHttpClient();
  const query = returnTo === undefined ? '' : `?${new URLSearchParams({ return_to: returnTo }).toString()}`;
  await browser.follow(`${base}/dashboard/login${query}`);
  await browser.follow(browser.url, new URLSearchParams({ sub: email }));
  return browser;
}

/** A member who has just signed in. */
async function signedIn(role: 'admin' | 'member', returnTo?: string) {
  const { email, userId } = await makeMember(role);
  return { email, userId, browser: await signIn(email, returnTo) };
}
const sessionOf = (browser: HttpClient) => browser.get(`${base}/dashboard/session`);

const OURS = { 'X-Requested-With': 'dashboard', 'Sec-Fetch-Site': 'same-origin' };

describe('signing in', () => {
  test('ends in a session that says who is there', async () => {
    const { browser, email, userId } = await signedIn('admin', '/dashboard/sessions?range=30d');
    expect(browser.url).toBe(`${base}/dashboard/sessions?range=30d`);
    const { status, body } = await sessionOf(browser);
    expect([status, body]).toEqual([
      200,
      {
        user_id: userId,
        name: null,
        email,
        role: 'admin',
        org: { id: orgId, name: 'Acme', plan: 'team', timezone: 'UTC', k_anonymity: 5, window_s: 18_000 },
        sends_mail: false,
        sign_in_problem: null,
      },
    ]);
  });

  test.each([
    'https://evil.example/',
    '//evil.example/dashboard/',
    '/docs',
    '/dashboard/../docs',
    'javascript:alert(1)',
    '/dashboard/\\\\evil.example',
  ])('never returns to %s', async (returnTo) => {
    const { url } = (await signedIn('member', returnTo)).browser;
    expect(url.startsWith(`${base}/dashboard/`)).toBe(true);
  });

  test('succeeds also from a page whose parameters are too long to remember', async () => {
    const { browser } = await signedIn('member', `/dashboard/sessions?user_id=${'x'.repeat(5_000)}`);
    const { url, setCookies } = browser;
    expect(url).toBe(`${base}/dashboard/sessions`);
    // RFC 6265 section 6.1: what every browser keeps.
    for (const line of setCookies) expect(line.length).toBeLessThan(4_096);
  });

  test('gives a session id that nobody knew before', async () => {
    const { email } = await makeMember('member');
    const browser = createHttpClient();
    browser.cookies.set('ug', 's%3Aknown-to-a-stranger.signature');
    await browser.follow(`${base}/dashboard/login`);
    await browser.follow(browser.url, new URLSearchParams({ sub: email }));
    const first = browser.cookies.get('ug');
    expect(first).not.toContain('known-to-a-stranger');
    await browser.follow(`${base}/dashboard/login`);
    expect(browser.cookies.get('ug')).not.toBe(first);
  });

  test('fails for an answer that this browser did not ask for', async () => {
    const browser = createHttpClient();
    await browser.follow(`${base}/dashboard/callback?code=x&state=y`);
    expect(browser.url).toMatch(/signed-out\?problem=invalid_grant&request_id=/);
    expect((await sessionOf(browser)).status).toBe(401);
  });

  test('succeeds also after an answer to a sign-in that another tab began before', async () => {
    const { email } = await makeMember('member');
    const browser = createHttpClient();
    await browser.follow(`${base}/dashboard/login`);
    const asked = browser.url;
    await browser.follow(`${base}/dashboard/callback?code=x&state=of-the-other-tab`);
    expect(browser.url).toContain('signed-out?problem=invalid_grant');
    await browser.follow(asked, new URLSearchParams({ sub: email }));
    expect(browser.url).toBe(`${base}/dashboard/`);
    expect(browser.cookies.get('ug-login') ?? '').toBe('');
  });

  test('writes nothing to a store before it has succeeded', async () => {
    const before = await api.ctx.redis.producer.keys('dashboard:session:*');
    await createHttpClient().follow(`${base}/dashboard/login`);
    expect(await api.ctx.redis.producer.keys('dashboard:session:*')).toHaveLength(before.length);
  });

  test('keeps nothing but who, since when and the ID token', async () => {
    const before = new Set(await api.ctx.redis.producer.keys('dashboard:session:*'));
    await signedIn('member');
    const keys = await api.ctx.redis.producer.keys('dashboard:session:*');
    const kept = await api.ctx.redis.producer.get(keys.find((key) => !before.has(key)) ?? '');
    const { cookie: _cookie, ...fields } = JSON.parse(kept ?? '{}');
    expect(Object.keys(fields).toSorted()).toEqual(['accountId', 'idToken', 'identity', 'loggedInAt']);
  });
});

describe('a session', () => {
  test('ends with signing out, everywhere', async () => {
    const { browser } = await signedIn('member');
    const stolen = browser.cookies.get('ug') ?? '';
    const { body } = await browser.post(`${base}/dashboard/logout`, {}, OURS);
    expect(body.location).toContain(`${issuerOf(state)}/session/end?`);
    expect(body.location).toContain(encodeURIComponent(`${base}/dashboard/signed-out`));
    const thief = createHttpClient();
    thief.cookies.set('ug', stolen);
    expect((await sessionOf(thief)).status).toBe(401);
  });

  test('ends when the member is removed, and follows another role at once', async () => {
    const { browser, userId } = await signedIn('member');
    expect((await browser.get(`${base}/dashboard/v1/members`)).status).toBe(403);
    await changeMember(api.ctx, orgId, userId, { role: 'admin' });
    expect((await browser.get(`${base}/dashboard/v1/members`)).status).toBe(200);
    await removeMember(api.ctx, orgId, userId);
    expect((await browser.get(`${base}/dashboard/v1/members`)).status).toBe(401);
    expect((await sessionOf(browser)).status).toBe(401);
  });

  test('ends when the account is given to another identity', async () => {
    const { browser, email, userId } = await signedIn('member');
    await linkIdentity(api.ctx, orgId, userId, { iss: issuerOf(state), sub: `new-${email}` });
    expect((await sessionOf(browser)).status).toBe(401);
    expect((await browser.get(`${base}/dashboard/api/v1/sessions`)).status).toBe(401);
  });

  test('is kept in a cookie that no script reads and no other site sends along with a change', async () => {
    const { browser } = await signedIn('member');
    const cookie = browser.setCookies.findLast((line) => line.startsWith('ug='));
    expect(cookie).toMatch(/; Path=\/;.*HttpOnly; SameSite=Lax/);
  });

  test('is named by its sign-in alone, so that a late answer of the one before brings nothing back', async () => {
    const { browser } = await signedIn('member');
    const named = browser.setCookies.length;
    expect((await sessionOf(browser)).status).toBe(200);
    expect((await browser.get(`${base}/dashboard/api/v1/sessions`)).status).toBe(200);
    expect(browser.setCookies).toHaveLength(named);
  });
});

describe('a change', () => {
  test.each([
    ['without our header', { 'Sec-Fetch-Site': 'same-origin' }],
    ['from another site', { ...OURS, 'Sec-Fetch-Site': 'cross-site' }],
    ['from a sibling', { ...OURS, 'Sec-Fetch-Site': 'same-site' }],
    [
      'with a foreign origin and no other word',
      { 'X-Requested-With': 'dashboard', Origin: 'https://evil.example' },
    ],
    ['without any word', { 'X-Requested-With': 'dashboard' }],
  ])('is refused %s', async (_name, headers) => {
    const { browser } = await signedIn('admin');
    const body = { name: 'x', scopes: ['usage:read'] };
    const answer = await browser.post(`${base}/dashboard/v1/keys`, body, headers);
    expect([answer.status, answer.body.code]).toEqual([403, 'cross_site']);
  });

  test('is refused also where signing in begins and ends', async () => {
    for (const path of ['/dashboard/login', '/dashboard/callback']) {
      const { status, body } = await api.call(path, { method: 'POST' });
      expect([status, body.code], path).toEqual([403, 'cross_site']);
    }
  });

  test('is taken from our own origin, where the browser says no more', async () => {
    const { browser } = await signedIn('admin');
    const headers = { 'X-Requested-With': 'dashboard', Origin: base };
    const body = { name: 'x', scopes: ['usage:read'] };
    expect((await browser.post(`${base}/dashboard/v1/keys`, body, headers)).status).toBe(201);
  });

  test('stands in the audit log under the account of who made it', async () => {
    const { browser, email } = await signedIn('admin');
    await browser.post(`${base}/dashboard/v1/keys`, { name: 'x', scopes: ['usage:read'] }, OURS);
    const { body } = await browser.get(`${base}/dashboard/v1/audit`);
    const account = await memberRows(api.ctx).findOne({ email });
    expect(body.data[0]).toMatchObject({ action: 'key.create', actor: account?._id });
  });
});

describe('joining', () => {
  const invite = async (email: string, org = orgId, role: 'admin' | 'member' = 'member') =>
    addMember(api.ctx, { org_id: org, email, role });
  const answer = async (browser: HttpClient, invitation: string, accept: boolean) =>
    (await browser.post(`${base}/dashboard/join`, { invitation, accept }, OURS)).status;
  const seenBy = async (browser: HttpClient) => (await sessionOf(browser)).body;

  test('asks first, and links after a yes', async () => {
    const member = await invite('Ida@Acme.example');
    const browser = await signIn('ida@acme.example');
    const asked = await sessionOf(browser);
    expect([asked.status, asked.body.code]).toEqual([403, 'not_a_member']);
    const invited_by = 'an operator of this service';
    expect(asked.body).toMatchObject({
      email: 'ida@acme.example',
      reason: 'invited',
      invitations: [{ id: member._id, organization: 'Acme', role: 'member', invited_by }],
    });
    expect((await browser.get(`${base}/dashboard/api/v1/sessions`)).status).toBe(401);
    expect(await answer(browser, member._id, true)).toBe(204);
    expect((await sessionOf(browser)).body.user_id).toBe(member.user_id);
    const entry = await auditRows(api.ctx).findOne({ action: 'member.join' }, { sort: { at: -1 } });
    expect(entry?.details).toMatchObject({ user_id: member.user_id });
  });

  test.each([
    ['yes', true],
    ['no', false],
  ])(
    'takes a %s to an invitation whose address the provider writes with capital letters',
    async (said, accept) => {
      const member = await invite(`capital-${said}@acme.example`);
      const browser = await signIn(`Capital-${said}@ACME.example`);
      expect((await seenBy(browser)).invitations).toMatchObject([{ id: member._id }]);
      expect(await answer(browser, member._id, accept)).toBe(204);
      const answered = await memberRows(api.ctx).findOne({ _id: member._id });
      expect([answered?.idp !== undefined, answered?.declined_at !== undefined]).toEqual([accept, !accept]);
    },
  );

  test('says who has invited, also once that admin has left', async () => {
    const { userId } = await makeMember('admin');
    const email = 'late@acme.example';
    // Where none is given, the user id is that of the account.
    await actingAs(userId, () => invite(email));
    await removeMember(api.ctx, orgId, userId);
    const browser = await signIn(email);
    const { body } = await sessionOf(browser);
    expect(body.invitations[0].invited_by).toBe('an admin who has left');
  });

  test('takes a no for an answer until an admin renews it', async () => {
    const member = await invite('nora@acme.example');
    const browser = await signIn('nora@acme.example');
    expect(await answer(browser, member._id, false)).toBe(204);
    expect((await seenBy(browser)).reason).toBe('unknown');
    const again = await signIn('nora@acme.example');
    expect((await seenBy(again)).reason).toBe('unknown');
    await changeMember(api.ctx, orgId, member.user_id, { email: 'nora@acme.example' });
    const renewed = await signIn('nora@acme.example');
    expect((await seenBy(renewed)).reason).toBe('invited');
  });

  test.each([true, false])('is for the e-mail that the admin means now (%s)', async (accept) => {
    const member = await invite(`mistyped-${accept}@acme.example`);
    const wrong = await signIn(`mistyped-${accept}@acme.example`);
    await changeMember(api.ctx, orgId, member.user_id, { email: `meant-${accept}@acme.example` });
    expect(await answer(wrong, member._id, accept)).toBe(409);
    expect(await seenBy(wrong)).toMatchObject({ reason: 'unknown', invitations: [] });
    const meant = await signIn(`meant-${accept}@acme.example`);
    expect((await seenBy(meant)).reason).toBe('invited');
  });

  test('says why there is nothing to join, and whom to ask', async () => {
    const stranger = await signIn('stranger@elsewhere.example');
    const { body } = await sessionOf(stranger);
    expect(body).toMatchObject({ reason: 'unknown', contact: 'help@example.org', invitations: [] });
  });

  test('lets a person choose whom two organizations have invited, so that neither keeps the other out', async () => {
    const other = await createOrganization(api.ctx, { name: 'Birch', plan: 'team' });
    const acme = await invite('both@acme.example');
    const birch = await invite('BOTH@acme.example', other._id, 'admin');
    const both = await signIn('both@acme.example');
    const { reason, invitations } = await seenBy(both);
    expect(reason).toBe('invited');
    expect(invitations).toMatchObject([
      { id: acme._id, organization: 'Acme', role: 'member' },
      { id: birch._id, organization: 'Birch', role: 'admin' },
    ]);
    const foreign = await invite('somebody-else@acme.example');
    expect(await answer(both, foreign._id, true)).toBe(404);
    expect(await answer(both, birch._id, false)).toBe(204);
    expect(await answer(both, birch._id, true)).toBe(404);
    expect((await seenBy(both)).invitations).toMatchObject([{ id: acme._id }]);
    expect(await answer(both, acme._id, true)).toBe(204);
    expect((await seenBy(both)).user_id).toBe(acme.user_id);
  });

  test.each([
    { said: [] },
    { said: [false] },
    { said: [true] },
    { said: [false, true] },
    { said: [false, false] },
  ])(
    'leaves the way to end the session at the identity provider as well, after the answers $said',
    async ({ said }) => {
      const email = `way-${said.join('-')}@acme.example`;
      const other = await createOrganization(api.ctx, { name: 'Elm', plan: 'team' });
      const invitations = [await invite(email), await invite(email, other._id)];
      const browser = await signIn(email);
      for (const [index, accept] of said.entries())
        expect(await answer(browser, invitations[index]?._id ?? '', accept)).toBe(204);
      const { body } = await browser.post(`${base}/dashboard/logout`, {}, OURS);
      const hint = new URL(body.location).searchParams.get('id_token_hint');
      expect(decodeJwt(hint ?? '').sub).toBe(email);
    },
  );

  test.each([
    ['\u212Aate@acme.example', 'kate@acme.example'],
    ['\u0130da@acme.example', 'i\u0307da@acme.example'],
  ])('is never by an address that only looks like the invited one: %s', async (lookAlike, invited) => {
    const member = await invite(invited, orgId, 'admin');
    const thief = await signIn(lookAlike);
    expect(await seenBy(thief)).toMatchObject({ reason: 'unknown', invitations: [] });
    expect(
      (await thief.post(`${base}/dashboard/join`, { invitation: member._id, accept: true }, OURS)).status,
    ).toBe(401);
    const right = await signIn(invited);
    expect(await answer(right, member._id, true)).toBe(204);
    expect((await memberRows(api.ctx).findOne({ _id: member._id }))?.email_confirmed).toBe(true);
  });

  test('takes a yes that is said twice for one', async () => {
    const member = await invite('twice@acme.example');
    const [first, second] = await Promise.all([signIn('twice@acme.example'), signIn('twice@acme.example')]);
    const answers = await Promise.all([first, second].map((browser) => answer(browser, member._id, true)));
    expect(answers).toEqual([204, 204]);
    const joins = { action: 'member.join', 'details.user_id': member.user_id };
    expect(await auditRows(api.ctx).countDocuments(joins)).toBe(1);
    const another = { iss: issuerOf(state), sub: 'another' };
    const late = { accountId: member._id, email: 'twice@acme.example', identity: another };
    await expect(acceptInvitation(api.ctx, late)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('what a person sees', () => {
  test('is all of the organization for an admin, the own for a member, nothing of another', async () => {
    const [admin, member] = [await makeMember('admin'), await makeMember('member')];
    const foreign = await makeTenant(api.ctx);
    const ts = Date.now();
    await recordAll(api.ctx, orgId, [
      { ts, user_id: member.userId },
      { ts, user_id: 'somebody' },
    ]);
    const other = await api.call('/api/v1/signals', { key: foreign.key, body: makeSignal({ ts }) });
    const foreignId = other.body.results[0].session_id;
    const [asAdmin, asMember] = [await signIn(admin.email), await signIn(member.email)];
    const users = async (browser: HttpClient) => {
      const { body } = await browser.get(`${base}/dashboard/api/v1/sessions`);
      return new Set(body.data.map((session: { user_id: string }) => session.user_id));
    };
    expect(await users(asAdmin)).toEqual(new Set([member.userId, 'somebody']));
    expect(await users(asMember)).toEqual(new Set([member.userId]));
    const [foreignAnswer, never] = [
      await asAdmin.get(`${base}/dashboard/api/v1/sessions/${foreignId}`),
      await asAdmin.get(`${base}/dashboard/api/v1/sessions/ses_never`),
    ];
    expect([foreignAnswer.status, never.status]).toEqual([404, 404]);
    expect((await asMember.get(`${base}/dashboard/api/v1/webhooks`)).status).toBe(403);
    expect((await asMember.get(`${base}/dashboard/api/v1/org/${orgId}/usage`)).status).toBe(403);
    expect((await asAdmin.post(`${base}/dashboard/api/v1/signals`, {}, OURS)).status).toBe(404);
  });
});

describe('what is served', () => {
  test('a page with a nonce of its own, which the policy names, and never kept', async () => {
    const [first, second] = [await api.call('/dashboard/'), await api.call('/dashboard/budgets/any')];
    const nonces = [first, second].map(
      ({ headers }) => /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? '',
    );
    expect(new Set(nonces).size).toBe(2);
    expect(first.text).toContain(`nonce="${nonces[0]}"`);
    expect(first.text).not.toContain('__NONCE__');
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('content-security-policy')).not.toContain('unsafe');
  });

  test('hashed files for ever, unknown ones and unknown paths of the API as problems', async () => {
    const page = await api.call('/dashboard/');
    const script = /\/dashboard\/assets\/[\w-]+\.js/.exec(page.text)?.[0] ?? '';
    expect((await api.call(script)).headers.get('cache-control')).toContain('immutable');
    expect((await api.call('/dashboard/assets/gone.js')).body.code).toBe('not_found');
    expect((await api.call('/dashboard/api/v1/nothing')).body.code).toBe('not_found');
    expect((await api.call('/dashboard/v1/nothing')).body.code).toBe('not_found');
    expect((await api.call('/dashboard/assets/..%2f..%2fpackage.json')).status).toBe(404);
  });

  test('the way from where a device sends its person, with the code', async () => {
    const { status, headers } = await api.call('/activate?user_code=BCDF-GHJK&more=1');
    expect([status, headers.get('location')]).toEqual([
      302,
      `${base}/dashboard/activate?user_code=BCDF-GHJK`,
    ]);
  });

  test('the way from the bare address', async () => {
    const { status, headers } = await fetch(`${base}/`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, '/dashboard/']);
  });

  test('nobody as localhost, whose cookie would be another', async () => {
    const { port } = new URL(base);
    expect((await api.call('/dashboard/budgets')).status).toBe(200);
    const asLocalhost = await fetch(`http://localhost:${port}/dashboard/budgets?range=7d`, {
      redirect: 'manual',
    });
    expect(asLocalhost.headers.get('location')).toBe(`${base}/dashboard/budgets?range=7d`);
  });
});
