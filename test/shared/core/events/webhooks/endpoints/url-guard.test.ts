import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isPublicAddress,
  type Rules,
  refuseUrl,
} from '../../../../../../shared/core/events/webhooks/endpoints/refuse-url.ts';
import {
  createGuard,
  type Resolve,
} from '../../../../../../shared/core/events/webhooks/endpoints/url-guard.ts';
import { post } from '../../../../../../shared/core/events/webhooks/sending/post.ts';
import { type Receiver, startReceiver } from '../../../../../support/receiver.ts';

const PRODUCTION: Rules = { nodeEnv: 'production', webhookPorts: [], webhookAllowedNetworks: [] };
const TEST: Rules = { ...PRODUCTION, nodeEnv: 'test' };
const request = { path: '/hook', headers: {}, body: '{}', timeoutMs: 5_000, answerBytes: 1_024 };

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const NOT_PUBLIC = [
  '127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255',
  '192.168.0.1', '169.254.169.254', '169.254.170.2', '100.64.0.1', '100.127.255.255', '192.0.0.1', '192.0.0.192',
  '192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '192.88.99.1', '224.0.0.1',
  '239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16',
  '::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::ffff:7f00:1',
  '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a00:1', '64:ff9b:1::1', '2002:7f00:1::', '2002:a00:1::1',
  '2001::1', '2001:0:7f00:1::', '2001:db8::1', '3fff::1', 'fc00::1', 'fd00::8', 'fd00:ec2::254', 'fe80::1',
  'fec0::1', 'ff02::1', '100::1', '5f00::1', '4000::1',
]; // biome-ignore format: a table
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.215.14',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
];

it.each(NOT_PUBLIC)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
it.each(PUBLIC)('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

describe('URLs in production (96, 97)', () => {
  it.each([
    'http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'javascript:1', 'example.com', '', '//example.com',
    'https:example.com', 'https://user:pw@example.com/', 'https://user@example.com/', 'https://example.com:22/',
    'https://example.com:6379/', 'https://example.com:27017/', `https://example.com/${'x'.repeat(2_000)}`,
    'https://127.0.0.1/', 'https://127.1/', 'https://0x7f000001/', 'https://2130706433/', 'https://017700000001/',
    'https://0177.0.0.1/', 'https://①②⑦.⓪.⓪.①/', 'https://0/', 'https://[::]/', 'https://[::1]/',
    'https://[::ffff:127.0.0.1]/', 'https://[64:ff9b::7f00:1]/', 'https://169.254.169.254/', 'https://10.1.2.3/',
    'https://100.64.0.1/', 'https://[fd00::8]/', 'https://192.168.1.1:8443/', 'https://168.63.129.16/',
    'https://example.com/\r\nX: y', 'https://exam\nple.com/', 'https://example.com/a\tb', 'https://example.com/\u007f',
    // Names of our own network, whether they are there or not.
    'https://localhost/', 'https://localhost./', 'https://a.localhost/', 'https://redis/', 'https://redis./', 'https://REDIS/',
  ])('%.60s is refused', (url) => expect(refuseUrl(PRODUCTION, url)).not.toBeNull()); // biome-ignore format: a table

  it.each([
    'https://example.com/hook',
    'https://example.com:8443/',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
    'https://hook.example/',
  ])('%s is accepted', (url) => expect(refuseUrl(PRODUCTION, url)).toBeNull());

  it('a configured port and an allowed network are accepted', () => {
    const rules = { ...PRODUCTION, webhookPorts: [9443], webhookAllowedNetworks: ['10.1.0.0/16'] };
    expect(refuseUrl(rules, 'https://10.1.2.3:9443/')).toBeNull();
    expect(refuseUrl(rules, 'https://10.2.2.3:9443/')).not.toBeNull();
    expect(refuseUrl(rules, 'https://[::ffff:10.2.2.3]/')).not.toBeNull();
  });
});

describe('outside production', () => {
  it.each([
    'http://localhost:3000/',
    'http://127.0.0.1:80/',
    'https://127.9.9.9:22/',
    'http://[::1]:9/',
    'http://127.1:1/',
  ])('%s is accepted', (url) => expect(refuseUrl(TEST, url)).toBeNull());
  it.each([
    'http://example.com/', 'https://10.0.0.1/', 'https://0.0.0.0/', 'http://localhost.:80/', 'https://localhost../',
    'https://a.localhost...:443/', 'http://u:p@localhost/', 'https://[::ffff:127.0.0.1]/', 'ftp://localhost/',
  ])('%s is refused', (url) => expect(refuseUrl(TEST, url)).not.toBeNull()); // biome-ignore format: a table
});

describe('a name (98)', () => {
  const REFUSED = { error: 'dns', arrived: 0 };
  const resolveTo = (...answers: string[][]): Resolve => {
    let asked = 0;
    return async () => {
      const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
  };
  async function send(resolve: Resolve, rules: Rules) {
    const { port } = new URL(receiver.url);
    const pool = new Pool(`http://hook.example:${port}`, { connect: createGuard(rules, resolve).connect });
    const before = receiver.received.length;
    const { error } = await post(pool, request);
    await pool.close();
    return { error, arrived: receiver.received.length - before };
  }

  it.each<[string, Resolve]>([
    ['resolves to loopback', resolveTo(['127.0.0.1'])],
    ['resolves privately', resolveTo(['10.0.0.1'])],
    ['has one bad address among good ones', resolveTo(['1.1.1.1', '10.0.0.1'])],
    ['has no address', resolveTo([])],
    ['does not resolve', () => Promise.reject(new Error('ENOTFOUND'))],
  ])('that %s is refused at connect, in one word', async (_, resolve) => {
    for (const rules of [PRODUCTION, TEST]) expect(await send(resolve, rules)).toEqual(REFUSED);
  });

  it('is looked up once for each connection, which goes to the address that was checked, and refused when it turns private', async () => {
    const rules = { ...PRODUCTION, webhookAllowedNetworks: ['127.0.0.0/8'] };
    const resolve = resolveTo(['127.0.0.1'], ['10.0.0.1']);
    expect(await send(resolve, rules)).toEqual({ error: null, arrived: 1 });
    expect(await send(resolve, rules)).toEqual(REFUSED);
  });

  it('that is an address is checked at connect too, where nothing is looked up', async () => {
    const pool = new Pool(new URL(receiver.url).origin, { connect: createGuard(PRODUCTION).connect });
    expect((await post(pool, request)).error).toBe('blocked');
    await pool.close();
  });
});
