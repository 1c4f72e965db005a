import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeSecrets } from '../../../../packages/stack/make-secrets.ts';
import { readConfig, VARIABLE_NAMES } from '../../../../shared/platform/basics/config.ts';

const secrets = makeSecrets();
const usable = {
  BASE_URL: 'https://governor.example',
  MONGODB_URL: 'mongodb://localhost/governor',
  REDIS_URL: 'redis://localhost',
  ...secrets,
};

const read = (env: Record<string, string | undefined>) => readConfig({ ...usable, ...env });

describe('the configuration', () => {
  it('lists everything that is wrong in one error', () => {
    const wrong = () => read({ MONGODB_URL: 'postgres://x', OPERATOR_TOKEN: 'short', PORT: 'many' });
    for (const name of ['MONGODB_URL', 'OPERATOR_TOKEN', 'PORT']) expect(wrong).toThrow(name);
  });

  it('never shows the value of what is wrong', () => {
    expect(() => read({ OPERATOR_TOKEN: 'hunter2' })).toThrow(/^(?!.*hunter2)/s);
    const pepper = secrets.CURSOR_SECRET;
    const withTwins = () => read({ API_KEY_PEPPER: pepper, CURSOR_SECRET: pepper });
    expect(withTwins).toThrow('is equal to another secret');
    expect(withTwins).not.toThrow(pepper);
  });

  it.each([
    ['mongodb+srv://user:word@cluster.example/?appName=governor', 'must name a database'],
    ['mongodb://a:27017,b:27017?replicaSet=rs0', 'must name a database'],
    ['mongodb://localhost/governor?w=majority&retryWrites=false', 'must not have retryWrites=false'],
  ])('refuses the MongoDB address %s, which would lose data', (url, words) => {
    expect(() => read({ MONGODB_URL: url })).toThrow(`MONGODB_URL: ${words}`);
  });

  it.each([
    ['mongodb://a:27017,b:27017/governor?replicaSet=rs0'],
    ['mongodb+srv://user:word@cluster.example/governor?retryWrites=true'],
  ])('takes the MongoDB address %s', (url) => {
    expect(read({ MONGODB_URL: url })).toMatchObject({ mongodbUrl: url });
  });

  it('refuses a Redis address that cannot be read, before its password can be shown', () => {
    for (const missing of ['MONGODB_URL', 'REDIS_URL', 'API_KEY_PEPPER'])
      expect(() => read({ [missing]: undefined })).toThrow(`${missing}: is missing`);
    const wrong = () => read({ REDIS_URL: 'redis://:hunter2@127.0.0.1:99999' });
    expect(wrong).toThrow('REDIS_URL: must be a URL');
    expect(wrong).not.toThrow('hunter2');
  });

  it('takes an empty variable for an unset one and is production unless told', () => {
    expect(read({ PORT: '' })).toMatchObject({ port: 8080, nodeEnv: 'production' });
  });

  it('has every variable, and no other, in .env.example', () => {
    const example = readFileSync(new URL('../../../../.env.example', import.meta.url), 'utf8');
    const named = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]);
    expect(new Set(named)).toEqual(new Set(VARIABLE_NAMES));
  });
});

it.each([
  [{ OIDC_AUDIENCE: 'https://governor.example/mcp' }],
  [{ OIDC_AUDIENCE: 'https://governor.example/mcp', BASE_URL: 'https://governor.example/' }],
  [{ OIDC_AUDIENCE: 'urn:agents', MCP_AUDIENCE: 'urn:agents' }],
])('refuses the one audience for people and agents that %o gives', (given) => {
  expect(() => read(given)).toThrow('or the token of an agent could spend credits');
});

describe('selling by Stripe', () => {
  const secret = 'whsec_0123456789abcdef';

  it('does not start without the secret by which payments are told', () => {
    expect(() => read({ STRIPE_SECRET_KEY: 'sk_live_1' })).toThrow('STRIPE_WEBHOOK_SECRET');
    const both = { STRIPE_SECRET_KEY: 'rk_live_1', STRIPE_WEBHOOK_SECRET: secret };
    expect(read(both)).toMatchObject({ stripeApiBase: 'https://api.stripe.com' });
    expect(read({ STRIPE_WEBHOOK_SECRET: secret }).stripeSecretKey).toBeUndefined();
  });

  it('does not take a publishable key for a secret one', () => {
    const swapped = { STRIPE_SECRET_KEY: 'pk_live_1', STRIPE_WEBHOOK_SECRET: secret };
    expect(() => read(swapped)).toThrow('STRIPE_SECRET_KEY');
  });
});

describe('production', () => {
  const sameByte = (byte: number) => `k1:${Buffer.alloc(32, byte).toString('base64')}`;

  it.each([
    ['a shortened wait', { TIME_SCALE: '100' }, 'TIME_SCALE'],
    ['lifted limits', { RATE_LIMITS: 'off' }, 'RATE_LIMITS'],
    ['no address of its own', { BASE_URL: '' }, 'BASE_URL'],
    ['Stripe without https', { STRIPE_API_BASE: 'http://stripe.example' }, 'STRIPE_API_BASE'],
    ['a published placeholder', { OPERATOR_TOKEN: 'change-me-operator-token-0000' }, 'OPERATOR_TOKEN'],
    ['a placeholder in capitals', { CURSOR_SECRET: 'CHANGE_ME_CURSOR_SECRET_00000000000' }, 'CURSOR_SECRET'],
    ['one character over and over', { API_KEY_PEPPER: 'x'.repeat(40) }, 'API_KEY_PEPPER'],
    ['one byte over and over', { CURSOR_SECRET: 'AAAA'.repeat(11) }, 'CURSOR_SECRET'],
    ['zero bytes as a webhook key', { WEBHOOK_SECRET_KEYS: sameByte(0) }, 'WEBHOOK_SECRET_KEYS'],
    [
      'one byte as an older webhook key',
      { WEBHOOK_SECRET_KEYS: `${secrets.WEBHOOK_SECRET_KEYS},${sameByte(9)}` },
      'WEBHOOK_SECRET_KEYS',
    ],
    [
      'the same webhook key twice',
      { WEBHOOK_SECRET_KEYS: `${secrets.WEBHOOK_SECRET_KEYS},${secrets.WEBHOOK_SECRET_KEYS}` },
      'WEBHOOK_SECRET_KEYS',
    ],
    ['two equal secrets', { CURSOR_SECRET: secrets.API_KEY_PEPPER }, 'CURSOR_SECRET'],
    ['all of IPv4', { WEBHOOK_ALLOWED_NETWORKS: '10.1.0.0/16,0.0.0.0/0' }, 'WEBHOOK_ALLOWED_NETWORKS'],
    ['half of IPv4', { WEBHOOK_ALLOWED_NETWORKS: '128.0.0.0/1' }, 'WEBHOOK_ALLOWED_NETWORKS'],
    ['all of IPv6', { WEBHOOK_ALLOWED_NETWORKS: '::/0' }, 'WEBHOOK_ALLOWED_NETWORKS'],
    ['all public IPv6', { WEBHOOK_ALLOWED_NETWORKS: '2000::/3' }, 'WEBHOOK_ALLOWED_NETWORKS'],
  ])('refuses %s, which development takes', (_, env, name) => {
    expect(() => read(env)).toThrow(new RegExp(`^  ${name}: `, 'm'));
    expect(() => read({ ...env, NODE_ENV: 'development' })).not.toThrow();
  });

  it('takes private networks, and random secrets', () => {
    const networks = '10.0.0.0/8,192.168.0.0/16,fc00::/7,fd12:3456::/32';
    expect(read({ WEBHOOK_ALLOWED_NETWORKS: networks }).webhookAllowedNetworks).toHaveLength(4);
  });
});
