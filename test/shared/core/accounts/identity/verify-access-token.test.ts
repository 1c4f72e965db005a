import { exportJWK, generateKeyPair } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyAccessToken } from '../../../../../shared/core/accounts/identity/verify-access-token.ts';
import { readConfig } from '../../../../../shared/platform/basics/config.ts';
import {
  createTestClock,
  openTestContext,
  type TestClock,
  type TestContext,
  testEnv,
  until,
} from '../../../../support/harness.ts';
import { startIssuer, type TestIssuer } from '../../../../support/idp.ts';

let idp: TestIssuer;
let clock: TestClock;
let ctx: TestContext;

beforeEach(async () => {
  idp = await startIssuer();
  clock = createTestClock();
  ctx = await openTestContext({ clock, env: idp.env });
});
afterEach(async () => {
  await ctx.close();
  for (const other of others.splice(0)) await other.close();
  await idp.stop();
});

const others: TestContext[] = [];
/** Verifies as a process with these variables does. */
async function verifierWith(env: Record<string, string>): Promise<typeof verify> {
  const other = await openTestContext({ clock, env });
  others.push(other);
  return (token) => verifyAccessToken(other, token);
}

type Minted = NonNullable<Parameters<TestIssuer['mint']>[1]>;
const mint = (options: Minted = {}) => idp.mint('ada', { nowMs: clock.now(), ...options });
const verify = (token: string) => verifyAccessToken(ctx, token);
const AWAY = { code: 'issuer_unavailable' };
const nowS = () => Math.floor(clock.now() / 1_000);

test.each<[string, () => Minted]>([
  ['of now', () => ({})],
  ['for several audiences', () => ({ claims: { aud: ['other', 'urn:test:api'] } })],
  ['with the whole media type', () => ({ header: { typ: 'application/at+jwt' } })],
  ['that expired within the tolerance of 30 s', () => ({ claims: { exp: nowS() - 29 } })],
  ['of almost a day', () => ({ claims: { iat: nowS() - 23 * 3_600 } })],
])('names issuer and subject of a token %s', async (_, options) => {
  expect(await verify(await mint(options()))).toEqual({ iss: idp.issuer, sub: 'ada' });
});

describe('refuses a token', () => {
  test.each<[string, Minted | (() => Minted)]>([
    ['without exp', { claims: { exp: undefined } }],
    ['that expired 30 s ago', () => ({ claims: { exp: nowS() - 30 } })],
    ['that is not valid yet', () => ({ claims: { nbf: nowS() + 31 } })],
    ['without iat, whose age is not known', { claims: { iat: undefined } }],
    ['that was issued in the future', () => ({ claims: { iat: nowS() + 3_600 } })],
    ['that is older than the longest age', () => ({ claims: { iat: nowS() - 25 * 3_600 } })],
    ['without sub', { claims: { sub: undefined } }],
    ['with an empty sub', { claims: { sub: '' } }],
    ['with a sub that is no string', { claims: { sub: { $ne: null } } }],
    ['with a very long sub', { claims: { sub: 'x'.repeat(256) } }],
    ['of another issuer', { claims: { iss: 'https://other.example' } }],
    ['for another audience', { claims: { aud: 'urn:other' } }],
    ['without audience', { claims: { aud: undefined } }],
    ['that is an ID token', { claims: { aud: 'test-client' }, header: { typ: 'JWT' } }],
    ['without typ', { header: { typ: undefined } }],
    ['that is a receipt', { header: { typ: 'usage-receipt+jwt' } }],
    ['with an extension that it must understand', { header: { crit: ['b64x'], b64x: true } }],
    ['whose key is not known', { header: { kid: 'other' } }],
  ])('%s', async (_what, options) => {
    expect(await verify(await mint(typeof options === 'function' ? options() : options))).toBeNull();
  });

  test('without a signature, or with one bit changed', async () => {
    const [header = '', payload = '', signature = ''] = (await mint()).split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    const bytes = Buffer.from(signature, 'base64url');
    bytes.writeUInt8(bytes.readUInt8(10) ^ 1, 10);
    const changed = Buffer.from(payload, 'base64url').toString().replace('ada', 'eve');
    for (const token of [
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${bytes.toString('base64url')}`,
      `${header}.${Buffer.from(changed).toString('base64url')}.${signature}`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature}.`,
      'a.b.c',
      '..',
    ])
      expect(await verify(token), token).toBeNull();
  });

  test('that is signed by HS256 with the public key', async () => {
    const jwk = JSON.stringify(idp.publicJwk);
    const raw = Buffer.from(`${idp.publicJwk.x}${idp.publicJwk.y}`, 'base64url');
    for (const key of [Buffer.from(jwk), raw])
      expect(await verify(await mint({ key, header: { alg: 'HS256' } }))).toBeNull();
  });

  test('that brings its own key, and asks nobody for it', async () => {
    const evil = await startIssuer();
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'evil' };
    const urls = { jku: `${evil.issuer}/jwks`, x5u: `${evil.issuer}/cert` };
    for (const kid of ['evil', '../../etc/passwd', '{"$ne":null}', `${evil.issuer}/jwks`, undefined])
      expect(await verify(await mint({ key: privateKey, header: { jwk, kid, ...urls } }))).toBeNull();
    expect(await verify(await mint({ header: { ...urls } }))).not.toBeNull();
    expect(evil.fetches).toEqual({ keys: 0, other: 0 });
    await evil.stop();
  });

  test('of every kind while no issuer is configured', async () => {
    const verifyWithout = await verifierWith({});
    expect(await verifyWithout(await mint())).toBeNull();
  });
});

describe('the keys of the issuer', () => {
  test('are read once for a thousand tokens with unknown keys, and once more after 30 s', async () => {
    const stranger = await generateKeyPair('ES256');
    const tokens = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        mint({ key: stranger.privateKey, header: { kid: `unknown-${index}` } }),
      ),
    );
    const answers = await Promise.all(tokens.map(verify));
    expect(answers.every((answer) => answer === null)).toBe(true);
    expect(idp.fetches.keys).toBe(1);
    clock.advance(30_000);
    await Promise.all(tokens.slice(0, 100).map(verify));
    expect(idp.fetches.keys).toBe(2);
  });

  test('are read again when the issuer has turned to a new one', async () => {
    await verify(await mint());
    const old = await mint();
    await idp.rotate();
    clock.advance(30_000);
    expect(await verify(await mint())).not.toBeNull();
    expect(await verify(old)).toBeNull();
  });

  test('are read again when they are ten minutes old, whatever was tried meanwhile: a withdrawn one goes on no longer', async () => {
    const late = await mint({ nowMs: clock.now() + 600_000 });
    await verify(await mint());
    await idp.rotate();
    idp.answer = 'error';
    clock.advance(570_000);
    expect(await verify(await mint())).toBeNull();
    expect(idp.fetches.keys).toBe(2);
    idp.answer = 'keys';
    clock.advance(29_999);
    expect(await verify(late)).not.toBeNull();
    expect(idp.fetches.keys).toBe(2);
    clock.advance(1);
    await until(async () => (await verify(late)) === null, { what: 'the withdrawn key to be forgotten' });
    expect(idp.fetches.keys).toBe(3);
  });

  test('go on while the issuer is down, however long', async () => {
    await verify(await mint());
    await idp.stop();
    clock.advance(48 * 3_600_000);
    expect(await verify(await mint())).not.toBeNull();
    expect(await verify(await mint())).not.toBeNull();
    expect(await verify(await mint({ header: { kid: 'unknown' } }))).toBeNull();
    await idp.start();
  });

  test.each(['html', 'huge', 'error', 'redirect'] as const)(
    'make it 503 while they were never read (%s), and serve once they are',
    async (answer) => {
      idp.answer = answer;
      await expect(verify(await mint())).rejects.toMatchObject(AWAY);
      await expect(verify(await mint())).rejects.toMatchObject(AWAY);
      expect(idp.fetches.keys).toBe(1);
      idp.answer = 'keys';
      clock.advance(2_000);
      expect(await verify(await mint())).not.toBeNull();
    },
  );

  test('do not keep anybody waiting: an issuer that hangs is a 503 within seconds', async () => {
    idp.answer = 'slow';
    const startedMs = performance.now();
    await expect(verify(await mint())).rejects.toMatchObject(AWAY);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  test('are not asked for by what cannot be a token', async () => {
    for (const token of ['garbage', 'a.b.c', 'x'.repeat(8_000)]) expect(await verify(token)).toBeNull();
    expect(idp.fetches.keys).toBe(0);
  });

  test('are fetched by https only in production, wherever the issuer says they are', async () => {
    const production: TestContext = { ...ctx, config: { ...ctx.config, nodeEnv: 'production' } };
    await expect(verifyAccessToken(production, await mint())).rejects.toMatchObject(AWAY);
    expect(await verify(await mint())).not.toBeNull();
  });

  test('must come from an issuer that calls itself what it was called', async () => {
    const iss = `${idp.issuer}/`;
    const env = { ...idp.env, OIDC_ISSUER: iss };
    const verifyOther = await verifierWith(env);
    await expect(verifyOther(await mint())).rejects.toMatchObject(AWAY);
    const verifyTold = await verifierWith({ ...env, OIDC_JWKS_URL: `${idp.issuer}/jwks` });
    expect(await verifyTold(await mint({ claims: { iss } }))).toEqual({ iss, sub: 'ada' });
  });
});

test('an issuer that signs with typ JWT can be told so', async () => {
  const verifyTold = await verifierWith({ ...idp.env, OIDC_TOKEN_TYPE: 'JWT' });
  expect(await verifyTold(await mint({ header: { typ: 'JWT' } }))).not.toBeNull();
  expect(await verifyTold(await mint())).toBeNull();
});

test('the configuration refuses what would not be safe', () => {
  const read = (env: Record<string, string>) => () => readConfig(testEnv('t', { env }));
  const https = { OIDC_ISSUER: 'https://idp.example', OIDC_AUDIENCE: 'urn:api' };
  const production = { NODE_ENV: 'production', RATE_LIMITS: 'on', BASE_URL: 'https://governor.example' };
  expect(read({ ...https, ...production })).not.toThrow();
  expect(read({ OIDC_ISSUER: 'https://idp.example' })).toThrow('OIDC_AUDIENCE');
  expect(read({ ...https, OIDC_CLIENT_ID: 'urn:api' })).toThrow('OIDC_CLIENT_ID');
  const plain = { ...https, OIDC_ISSUER: 'http://idp.example' };
  expect(read({ ...plain, ...production })).toThrow('OIDC_ISSUER: must be https');
  expect(read({ OIDC_ISSUER: 'ftp://idp.example' })).toThrow('OIDC_ISSUER');
});

test.each(['RS256', 'PS256', 'ES384', 'EdDSA'])('takes a token signed by %s', async (alg) => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'its-own' };
  idp.addKey(jwk);
  expect(await verify(await mint({ key: privateKey, header: { alg, kid: 'its-own' } }))).not.toBeNull();
});
