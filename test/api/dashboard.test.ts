import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
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
import { startApi } from '../support/harness.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { startSignIn } from '../support/sign-in.ts';
import { recordAll } from '../support/usage.ts';

const idp = await startSignIn();
const port = await findFreePort();
const base = `http://127.0.0.1:${port}`;
const env = { ...idp.env, BASE_URL: base, SUPPORT_CONTACT: 'help@example.org' };
const api = await startApi({ env, port });
const orgId = (await createOrganization(api.ctx, { name: 'Acme', plan: 'team' }))._id;
afterAll(async () => {
  await api.close();
  idp.stop();
});

let made = 0;

/** A member with an identity at the identity provider, where anybody signs in by e-mail. */
async function makeMember(role: 'admin' | 'member'): Promise<{ email: string; userId: string }> {
  made += 1;
  const email = `person-${made}@acme.example`;
  const identity = { iss: idp.issuer, sub: email };
  const member = await addMember(api.ctx, { org_id: orgId, email, role, idp: identity });
  return { email, userId: member.user_id };
}

const LOGIN = `${base}/dashboard/login`;

/** Signs in as whoever has this e-mail, and stays on the page where that ends. */
async function signIn(
  email: string,
  { browser = createHttpClient(), query = '' }: { browser?: HttpClient; query?: string } = {},
): Promise<HttpClient> {
  await browser.follow(LOGIN + query);
  await browser.follow(browser.url, new URLSearchParams({ sub: email }));
  return browser;
}

/** A member who has just signed in. */
async function signedIn(role: 'admin' | 'member', returnTo?: string) {
  const member = await makeMember(role);
  const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
  return { ...member, browser: await signIn(member.email, { query }) };
}
const get = (browser: HttpClient, path: string) => browser.get(`${base}/dashboard/${path}`);
const sessionOf = (browser: HttpClient) => get(browser, 'session');

const OURS = { 'X-Requested-With': 'dashboard', 'Sec-Fetch-Site': 'same-origin' };

describe('signing in', () => {
  test('ends in a session that says who is there', async () => {
    const { browser, email, userId } = await signedIn('admin', '/dashboard/sessions?range=30d');
    expect(browser.url).toBe(`${base}/dashboard/sessions?range=30d`);
    const org = { id: orgId, name: 'Acme', plan: 'team', timezone: 'UTC', k_anonymity: 5, window_s: 18_000 };
    const service = { sends_mail: false, sign_in_problem: null };
    const whole = { user_id: userId, name: null, email, role: 'admin', org, ...service };
    expect(await sessionOf(browser)).toEqual({ status: 200, body: whole });
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
    const browser = createHttpClient();
    browser.cookies.set('ug', 's%3Aknown-to-a-stranger.signature');
    await signIn((await makeMember('member')).email, { browser });
    const first = browser.cookies.get('ug');
    expect(first).not.toContain('known-to-a-stranger');
    await browser.follow(LOGIN);
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
    await browser.follow(LOGIN);
    const asked = browser.url;
    await browser.follow(`${base}/dashboard/callback?code=x&state=of-the-other-tab`);
    expect(browser.url).toContain('signed-out?problem=invalid_grant');
    await browser.follow(asked, new URLSearchParams({ sub: email }));
    expect(browser.url).toBe(`${base}/dashboard/`);
    expect(browser.cookies.get('ug-login') ?? '').toBe('');
  });

  test('writes nothing to a store before it has succeeded, and then who, since when and the ID token', async () => {
    const keys = () => api.ctx.redis.producer.keys('dashboard:session:*');
    const before = new Set(await keys());
    await createHttpClient().follow(LOGIN);
    expect(await keys()).toHaveLength(before.size);
    await signedIn('member');
    const added = (await keys()).filter((key) => !before.has(key));
    const { cookie: _, ...kept } = JSON.parse((await api.ctx.redis.producer.get(added.join())) ?? '{}');
    expect(Object.keys(kept).toSorted()).toEqual(['accountId', 'idToken', 'identity', 'loggedInAt']);
  });
});

describe('a session', () => {
  test('ends with signing out, everywhere', async () => {
    const { browser } = await signedIn('member');
    const thief = createHttpClient();
    thief.cookies.set('ug', browser.cookies.get('ug') ?? '');
    expect((await sessionOf(thief)).status).toBe(200);
    const { body } = await browser.post(`${base}/dashboard/logout`, {}, OURS);
    expect(body.location).toContain(`${idp.issuer}/session/end?`);
    expect(body.location).toContain(encodeURIComponent(`${base}/dashboard/signed-out`));
    expect((await sessionOf(thief)).status).toBe(401);
  });

  test('ends when the member is removed, and follows another role at once', async () => {
    const { browser, userId } = await signedIn('member');
    const look = async () => (await get(browser, 'v1/members')).status;
    expect(await look()).toBe(403);
    await changeMember(api.ctx, orgId, userId, { role: 'admin' });
    expect(await look()).toBe(200);
    await removeMember(api.ctx, orgId, userId);
    expect([await look(), (await sessionOf(browser)).status]).toEqual([401, 401]);
  });

  test('ends when the account is given to another identity', async () => {
    const { browser, email, userId } = await signedIn('member');
    await linkIdentity(api.ctx, orgId, userId, { iss: idp.issuer, sub: `new-${email}` });
    for (const path of ['session', 'api/v1/sessions']) expect((await get(browser, path)).status).toBe(401);
  });

  test('is kept in a cookie that no script reads and no other site sends along with a change', async () => {
    const { browser } = await signedIn('member');
    const cookie = browser.setCookies.findLast((line) => line.startsWith('ug='));
    expect(cookie).toMatch(/; Path=\/;.*HttpOnly; SameSite=Lax/);
  });

  test('is named by its sign-in alone, so that a late answer of the one before brings nothing back', async () => {
    const { browser } = await signedIn('member');
    const named = browser.setCookies.length;
    for (const path of ['session', 'api/v1/sessions']) expect((await get(browser, path)).status).toBe(200);
    expect(browser.setCookies).toHaveLength(named);
  });
});

describe('a change', () => {
  const makeKey = (browser: HttpClient, headers: Record<string, string>) =>
    browser.post(`${base}/dashboard/v1/keys`, { name: 'x', scopes: ['usage:read'] }, headers);
  const OWN = { 'X-Requested-With': 'dashboard' };

  test.each([
    ['without our header', { 'Sec-Fetch-Site': 'same-origin' }],
    ['from another site', { ...OURS, 'Sec-Fetch-Site': 'cross-site' }],
    ['from a sibling', { ...OURS, 'Sec-Fetch-Site': 'same-site' }],
    ['with a foreign origin', { ...OWN, Origin: 'https://evil.example' }],
    ['without any word', OWN],
  ])('is refused %s', async (_name, headers) => {
    const answer = await makeKey((await signedIn('admin')).browser, headers);
    expect([answer.status, answer.body.code]).toEqual([403, 'cross_site']);
  });

  test.each(['login', 'callback'])('is refused also where signing in begins and ends: %s', async (path) => {
    const { status, body } = await api.call(`/dashboard/${path}`, { method: 'POST' });
    expect([status, body.code]).toEqual([403, 'cross_site']);
  });

  test('is taken from our own origin, and stands in the audit log under the account of who made it', async () => {
    const { browser, email } = await signedIn('admin');
    expect((await makeKey(browser, { ...OWN, Origin: base })).status).toBe(201);
    const { body } = await get(browser, 'v1/audit');
    const account = await memberRows(api.ctx).findOne({ email });
    expect(body.data[0]).toMatchObject({ action: 'key.create', actor: account?._id });
  });
});

describe('joining', () => {
  const invite = async (email: string, org = orgId, role: 'admin' | 'member' = 'member') =>
    addMember(api.ctx, { org_id: org, email, role });
  const answer = async (browser: HttpClient, { _id: invitation }: { _id: string }, accept: boolean) =>
    (await browser.post(`${base}/dashboard/join`, { invitation, accept }, OURS)).status;
  const seenBy = async (browser: HttpClient) => (await sessionOf(browser)).body;

  test('asks first, and links after a yes', async () => {
    const member = await invite('Ida@Acme.example');
    // The provider may write the address with other capitals than the admin.
    const browser = await signIn('iDA@ACME.example');
    const invited_by = 'an operator of this service';
    const invitations = [{ id: member._id, organization: 'Acme', role: 'member', invited_by }];
    const body = { code: 'not_a_member', email: 'iDA@ACME.example', reason: 'invited', invitations };
    expect(await sessionOf(browser)).toMatchObject({ status: 403, body });
    expect((await get(browser, 'api/v1/sessions')).status).toBe(401);
    expect(await answer(browser, member, true)).toBe(204);
    expect((await seenBy(browser)).user_id).toBe(member.user_id);
    const entry = await auditRows(api.ctx).findOne({ action: 'member.join' }, { sort: { at: -1 } });
    expect(entry?.details).toMatchObject({ user_id: member.user_id });
  });

  test('says who has invited, also once that admin has left', async () => {
    const { userId } = await makeMember('admin');
    const email = 'late@acme.example';
    // Where none is given, the user id is that of the account.
    await actingAs(userId, () => invite(email));
    await removeMember(api.ctx, orgId, userId);
    const { invitations } = await seenBy(await signIn(email));
    expect(invitations).toMatchObject([{ invited_by: 'an admin who has left' }]);
  });

  test('takes a no for an answer until an admin renews it', async () => {
    const email = 'nora@acme.example';
    const member = await invite(email);
    const browser = await signIn('Nora@ACME.example');
    expect(await answer(browser, member, false)).toBe(204);
    expect((await memberRows(api.ctx).findOne({ _id: member._id }))?.declined_at).toBeDefined();
    for (const again of [browser, await signIn(email)]) expect((await seenBy(again)).reason).toBe('unknown');
    await changeMember(api.ctx, orgId, member.user_id, { email });
    expect((await seenBy(await signIn(email))).reason).toBe('invited');
  });

  test.each([true, false])('is for the e-mail that the admin means now (%s)', async (accept) => {
    const member = await invite(`mistyped-${accept}@acme.example`);
    const wrong = await signIn(`mistyped-${accept}@acme.example`);
    await changeMember(api.ctx, orgId, member.user_id, { email: `meant-${accept}@acme.example` });
    expect(await answer(wrong, member, accept)).toBe(409);
    expect(await seenBy(wrong)).toMatchObject({ reason: 'unknown', invitations: [] });
    expect((await seenBy(await signIn(`meant-${accept}@acme.example`))).reason).toBe('invited');
  });

  test('says why there is nothing to join, and whom to ask', async () => {
    const seen = await seenBy(await signIn('stranger@elsewhere.example'));
    expect(seen).toMatchObject({ reason: 'unknown', contact: 'help@example.org', invitations: [] });
  });

  test('lets a person choose whom two organizations have invited, so that neither keeps the other out', async () => {
    const other = await createOrganization(api.ctx, { name: 'Birch', plan: 'team' });
    const acme = await invite('both@acme.example');
    const birch = await invite('BOTH@acme.example', other._id, 'admin');
    const both = await signIn('both@acme.example');
    const invitations = [
      { id: acme._id, organization: 'Acme', role: 'member' },
      { id: birch._id, organization: 'Birch', role: 'admin' },
    ];
    expect(await seenBy(both)).toMatchObject({ reason: 'invited', invitations });
    const foreign = await invite('somebody-else@acme.example');
    expect(await answer(both, foreign, true)).toBe(404);
    expect(await answer(both, birch, false)).toBe(204);
    expect(await answer(both, birch, true)).toBe(404);
    expect((await seenBy(both)).invitations).toMatchObject([{ id: acme._id }]);
    expect(await answer(both, acme, true)).toBe(204);
    expect((await seenBy(both)).user_id).toBe(acme.user_id);
  });

  test.each(['', 'no', 'yes', 'no yes', 'no no'])(
    'leaves the way to end the session at the identity provider as well, after the answers: %s',
    async (said) => {
      const email = `way-${said.replace(' ', '-')}@acme.example`;
      const other = await createOrganization(api.ctx, { name: 'Elm', plan: 'team' });
      const invitations = [await invite(email), await invite(email, other._id)] as const;
      const browser = await signIn(email);
      for (const [index, word] of said.split(' ').filter(Boolean).entries())
        expect(await answer(browser, invitations[index] ?? invitations[0], word === 'yes')).toBe(204);
      const { body } = await browser.post(`${base}/dashboard/logout`, {}, OURS);
      const hint = new URL(body.location).searchParams.get('id_token_hint');
      expect(decodeJwt(hint ?? '').sub).toBe(email);
    },
  );

  test('is never by an address that only looks like the invited one', async () => {
    const member = await invite('kate@acme.example', orgId, 'admin');
    const thief = await signIn('\u212Aate@acme.example');
    expect(await seenBy(thief)).toMatchObject({ reason: 'unknown', invitations: [] });
    expect(await answer(thief, member, true)).toBe(401);
    expect(await answer(await signIn('kate@acme.example'), member, true)).toBe(204);
    expect((await memberRows(api.ctx).findOne({ _id: member._id }))?.email_confirmed).toBe(true);
  });

  test('takes a yes that is said twice for one', async () => {
    const member = await invite('twice@acme.example');
    const browsers = await Promise.all([signIn('twice@acme.example'), signIn('twice@acme.example')]);
    const answers = await Promise.all(browsers.map((browser) => answer(browser, member, true)));
    expect(answers).toEqual([204, 204]);
    const joins = { action: 'member.join', 'details.user_id': member.user_id };
    expect(await auditRows(api.ctx).countDocuments(joins)).toBe(1);
    const another = { iss: idp.issuer, sub: 'another' };
    const late = { accountId: member._id, email: 'twice@acme.example', identity: another };
    await expect(acceptInvitation(api.ctx, late)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('what a person sees', () => {
  test('is all of the organization for an admin, the own for a member, nothing of another', async () => {
    const [admin, member] = [await signedIn('admin'), await signedIn('member')];
    const foreign = await makeTenant(api.ctx);
    const ts = Date.now();
    const users = [member.userId, 'somebody'];
    await recordAll(
      api.ctx,
      orgId,
      users.map((user_id) => ({ ts, user_id })),
    );
    const { body } = await api.call('/api/v1/signals', { key: foreign.key, body: makeSignal({ ts }) });
    const look = ({ browser }: typeof admin, path: string) => get(browser, `api/v1/${path}`);
    const usersSeenBy = async (of: typeof admin) =>
      new Set((await look(of, 'sessions')).body.data.map((session: { user_id: string }) => session.user_id));
    expect(await usersSeenBy(admin)).toEqual(new Set(users));
    expect(await usersSeenBy(member)).toEqual(new Set([member.userId]));
    for (const id of [body.results[0].session_id, 'ses_never'])
      expect((await look(admin, `sessions/${id}`)).status).toBe(404);
    for (const path of ['webhooks', `org/${orgId}/usage`])
      expect((await look(member, path)).status).toBe(403);
    const written = await admin.browser.post(`${base}/dashboard/api/v1/signals`, {}, OURS);
    expect(written.status).toBe(404);
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
    for (const path of ['assets/gone.js', 'api/v1/nothing', 'v1/nothing'])
      expect((await api.call(`/dashboard/${path}`)).body.code, path).toBe('not_found');
    expect((await api.call('/dashboard/assets/..%2f..%2fpackage.json')).status).toBe(404);
  });

  test.each([
    ['where a device sends its person, with the code', '/activate?user_code=BCDF-GHJK&more=1', true],
    ['the bare address', '/', false],
  ])('the way from %s', async (_, path, isActivation) => {
    const { status, headers } = await fetch(base + path, { redirect: 'manual' });
    const led = isActivation ? `${base}/dashboard/activate?user_code=BCDF-GHJK` : '/dashboard/';
    expect([status, headers.get('location')]).toEqual([302, led]);
  });

  test('nobody as localhost, whose cookie would be another', async () => {
    expect((await api.call('/dashboard/budgets')).status).toBe(200);
    const url = `http://localhost:${port}/dashboard/budgets?range=7d`;
    const asLocalhost = await fetch(url, { redirect: 'manual' });
    expect(asLocalhost.headers.get('location')).toBe(`${base}/dashboard/budgets?range=7d`);
  });
});
