import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { startIdp } from '../../scripts/idp/provider.ts';
import { issueSessionToken } from '../../scripts/idp/session-token.ts';
import { ensureIdpState, IDP_CLIENT_ID, idpEnvironment, issuerOf } from '../../scripts/idp/state.ts';
import { addMember } from '../../shared/people/members.ts';
import { fixture } from '../support/fixture.ts';
import { startApi } from '../support/harness.ts';
import { temporaryFolder } from '../support/temporary.ts';

const grace = { sub: 'usr_grace', name: 'Grace <Lindqvist>', email: 'grace@acme.example' };
const people = [{ ...grace, organization: 'Acme', role: 'admin' }] as const;
const dataDir = temporaryFolder(afterAll);
const state = await ensureIdpState(dataDir);
let server = await startIdp(state, () => people);
afterAll(() => stop(server));
const { api, orgId } = await fixture({ env: idpEnvironment(state) });
const idp = { iss: issuerOf(state), sub: 'usr_grace' };
await addMember(api.ctx, { org_id: orgId, email: 'grace@acme.example', role: 'admin', idp });

async function stop(running: Server): Promise<void> {
  running.closeAllConnections();
  running.close();
  await once(running, 'close');
}

/** A browser that follows one redirect at a time and keeps cookies. */
function createBrowser() {
  const cookies = new Map<string, string>();
  return async (url: string, body?: URLSearchParams): Promise<Response> => {
    const response = await fetch(new URL(url, issuerOf(state)), {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body ? { body } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  };
}

const verifier = randomBytes(32).toString('base64url');
const REDIRECT = 'http://127.0.0.1:49152/dashboard/callback';

function authorizationRequest(overrides: Record<string, string> = {}): string {
  const parameters = new URLSearchParams({
    client_id: IDP_CLIENT_ID,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'openid profile email api',
    state: 'xyz',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...overrides,
  });
  return `/auth?${parameters.toString()}`;
}

async function exchange(code: string, more: Record<string, string> = {}) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: IDP_CLIENT_ID,
    redirect_uri: REDIRECT,
    code,
    code_verifier: verifier,
    ...more,
  });
  const response = await fetch(`${issuerOf(state)}/token`, { method: 'POST', body });
  return {
    status: response.status,
    ...((await response.json()) as Record<'access_token' | 'id_token', string>),
  };
}

/** From the login button to the code. */
async function signIn(overrides: Record<string, string> = {}): Promise<string> {
  const browse = createBrowser();
  const start = await browse(authorizationRequest(overrides));
  const login = start.headers.get('location') ?? '';
  const page = await (await browse(login)).text();
  expect(page).toContain('Grace &#60;Lindqvist&#62;');
  expect(page).toMatch(/<h2>Acme<\/h2>\n<button name="sub" value="usr_grace">.*<i>admin<\/i>/);
  const chosen = await browse(login, new URLSearchParams({ sub: 'usr_grace' }));
  const resumed = await browse(chosen.headers.get('location') ?? '');
  const callback = new URL(resumed.headers.get('location') ?? '');
  expect(callback.href.startsWith(REDIRECT)).toBe(true);
  expect(callback.searchParams.get('state')).toBe('xyz');
  return callback.searchParams.get('code') ?? '';
}

test('signs a person in with authorization code and PKCE; the access token is a session of the api', async () => {
  const code = await signIn();
  const answer = await exchange(code);
  expect(decodeProtectedHeader(answer.access_token).typ).toBe('at+jwt');
  const { status, body } = await api.call('/v1/devices', { key: answer.access_token });
  expect([status, body]).toEqual([200, { devices: [] }]);
  expect(decodeJwt(answer.id_token)).toMatchObject({ sub: 'usr_grace', email: 'grace@acme.example' });
  expect((await api.call('/v1/devices', { key: answer.id_token })).status).toBe(401);
});

test('wants the verifier, a client on this machine, and a person that it knows', async () => {
  const stolen = await exchange(await signIn(), { code_verifier: randomBytes(32).toString('base64url') });
  expect(stolen.status).toBe(400);
  const evil = authorizationRequest({ redirect_uri: 'https://evil.example/callback' });
  const elsewhere = await createBrowser()(evil);
  expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([400, null]);
  const browse = createBrowser();
  const login = (await browse(authorizationRequest())).headers.get('location') ?? '';
  expect((await browse(login, new URLSearchParams({ sub: 'usr_nobody' }))).status).toBe(400);
  // Not the browser that began.
  expect((await createBrowser()(login, new URLSearchParams({ sub: 'usr_grace' }))).status).toBe(400);
});

test('a session token made for the ready line verifies by the same keys, also after a restart', async () => {
  const token = await issueSessionToken({ dataDir, sub: 'usr_grace', lifetimeS: 43_200 });
  expect((await api.call('/v1/devices', { key: token })).status).toBe(200);
  const { iat = 0, exp = 0 } = decodeJwt(token);
  expect(exp - iat).toBe(43_200);
  await stop(server);
  expect(await ensureIdpState(dataDir)).toEqual(state);
  server = await startIdp(state, () => people);
  const later = await startApi({ ctx: api.ctx });
  expect((await later.call('/v1/devices', { key: token })).status).toBe(200);
  await later.close();
});

test('gives tokens for the MCP endpoint, by its resource and by hand, that open nothing else', async () => {
  const mcpEndpoint = 'http://127.0.0.1:8080/mcp';
  const made = await issueSessionToken({ dataDir, sub: 'usr_grace', lifetimeS: 600, mcpEndpoint });
  const resource = { resource: mcpEndpoint };
  const code = await signIn({ ...resource, scope: 'openid usage:read budgets:check' });
  const { access_token } = await exchange(code, resource);
  for (const token of [made, access_token]) {
    expect(decodeJwt(token)).toMatchObject({ aud: mcpEndpoint, scope: 'usage:read budgets:check' });
    expect((await api.call('/v1/devices', { key: token })).status).toBe(401);
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await api.call('/mcp', { key: token, body: message })).status).toBe(200);
  }
});

test('keeps its keys to itself, and takes another port when its own is taken', async () => {
  const file = join(dataDir, 'idp.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const jwks = await (await fetch(`${issuerOf(state)}/jwks`)).text();
  expect(jwks).not.toContain('"d"');
  const other = temporaryFolder();
  const first = await ensureIdpState(other);
  const squatter = await startIdp(first, () => people);
  const second = await ensureIdpState(other);
  await stop(squatter);
  expect([second.port !== first.port, second.key.kid]).toEqual([true, first.key.kid]);
});

test.each(['production', ''])('does not run with NODE_ENV=%s', (NODE_ENV) => {
  const env = { ...process.env, NODE_ENV };
  const { status, stderr } = spawnSync(process.execPath, ['scripts/idp.ts', dataDir], { env });
  expect(status).toBe(1);
  expect(stderr.toString()).toContain('does not run with NODE_ENV=production');
});
