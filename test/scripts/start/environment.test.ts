import { createPrivateKey, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ensureSecrets } from '../../../packages/stack/secrets.ts';
import { apiAddress, buildEnvironment } from '../../../scripts/start/environment.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('what the user set wins over the defaults, what only the run knows over both', () => {
  const given = { HOME: '/home/me', LOG_LEVEL: 'debug', PORT: '1', OPERATOR_TOKEN: 'mine', HOST: '' };
  const defaults = { OPERATOR_TOKEN: 'made', HOST: '127.0.0.1' };
  const built = { ...given, PORT: '8080', HOST: '127.0.0.1' };
  expect(buildEnvironment(given, defaults, { PORT: '8080' })).toEqual(built);
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://127.0.0.1:80'],
  ['::1', 'http://[::1]:80'],
])('an api on %s is found at %s', (host, address) => {
  expect(apiAddress(host, 80)).toBe(address);
});

test('secrets are made once, long enough, with an Ed25519 key that signs', () => {
  const folder = temporaryFolder();
  const secrets = ensureSecrets(folder);
  expect(ensureSecrets(folder)).toEqual(secrets);
  for (const name of ['API_KEY_PEPPER', 'CURSOR_SECRET', 'OPERATOR_TOKEN'] as const)
    expect(secrets[name].length).toBeGreaterThanOrEqual(32);
  const [, webhookKey = ''] = secrets.WEBHOOK_SECRET_KEYS.split(':');
  expect(Buffer.from(webhookKey, 'base64')).toHaveLength(32);
  const jwk = JSON.parse(readFileSync(secrets.SIGNING_KEY_FILE, 'utf8'));
  const own = { kty: 'OKP', crv: 'Ed25519', alg: 'Ed25519', use: 'sig', kid: expect.any(String) };
  expect(jwk).toMatchObject(own);
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  expect(verify(null, Buffer.from('x'), key, sign(null, Buffer.from('x'), key))).toBe(true);
});
