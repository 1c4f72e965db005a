import { createServer } from 'node:net';
import { Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGuard } from '../../../../../../shared/core/events/webhooks/endpoints/url-guard.ts';
import { type Answered, post } from '../../../../../../shared/core/events/webhooks/sending/post.ts';
import { until } from '../../../../../support/harness.ts';
import { type Behaviour, type Receiver, startReceiver } from '../../../../../support/receiver.ts';
import { listen } from '../../../../../support/temporary.ts';

const RULES = { nodeEnv: 'test' as const, webhookPorts: [], webhookAllowedNetworks: [] };
const ANSWER_BYTES = 16_384;
let receiver: Receiver;
const pools: Pool[] = [];
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.destroy();
  await receiver.close();
});

function poolTo(url: string, options: Pool.Options = { connect: createGuard(RULES).connect }): Pool {
  const pool = new Pool(new URL(url).origin, options);
  pools.push(pool);
  return pool;
}
function send(timeoutMs = 5_000, through: Pool = poolTo(receiver.url)) {
  return post(through, { path: '/hook', headers: {}, body: '{}', timeoutMs, answerBytes: ANSWER_BYTES });
}

describe('one attempt', () => {
  it.each([
    [200, null], [204, null], [299, null], [300, 'http'], [301, 'http'], [304, 'http'], [400, 'http'], [410, 'http'],
    [429, 'http'], [500, 'http'], [503, 'http'],
  ])('an answer of %i has the error %s', async (status, error) => {
    receiver.behave({ status });
    expect(await send()).toMatchObject({ status, error });
  }); // biome-ignore format: a table

  it.each<[string, Partial<Answered>]>([
    ['101 X\r\nConnection: Upgrade\r\nUpgrade: websocket', { status: 101, error: 'http' }],
    ['101 X', { status: null, error: 'http' }],
    ['100 Continue', { status: 100, error: 'http' }],
    ['103 Early Hints\r\n\r\nHTTP/1.1 204 X', { status: 204, error: null }],
    ['102 Processing', { status: null, error: 'timeout' }],
    ['199 X', { status: null, error: 'timeout' }],
  ])('an answer of %j is %o', async (text, expected) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.write(`HTTP/1.1 ${text}\r\n\r\n`));
    });
    expect(await send(200, poolTo(await listen(server)))).toMatchObject(expected);
  });

  it('keeps no more of an answer that is no text', async () => {
    receiver.behave({ status: 500, body: Buffer.alloc(2 * ANSWER_BYTES, 0xff) });
    const { answer } = await send();
    expect(Buffer.byteLength(answer ?? '')).toBeLessThanOrEqual(ANSWER_BYTES);
  });

  it('does not follow a redirect (99)', async () => {
    const other = await startReceiver();
    receiver.behave({ status: 302, headers: { location: other.url } });
    expect(await send()).toMatchObject({ status: 302, error: 'http' });
    expect(other.received).toHaveLength(0);
    await other.close();
  });

  it.each<[Behaviour, string | null]>([
    ['reset', 'connect'],
    ['half', null],
    ['drip', null],
  ])('%s is classed as %s, and its socket is closed before the deadline', async (behaviour, error) => {
    receiver.behave(behaviour);
    const attempt = await send();
    expect(attempt.error).toBe(error);
    expect(attempt.latencyMs).toBeLessThan(5_000);
    await until(() => receiver.sockets.size === 0);
  });

  it('keeps 16 KiB of an endless answer, then closes the socket (101)', async () => {
    receiver.behave('huge');
    const { status, error, answer } = await send();
    expect([status, error, answer?.length]).toEqual([200, null, ANSWER_BYTES]);
    await until(() => receiver.sockets.size === 0);
    expect(receiver.sentBytes).toBeLessThan(64 * 1_048_576);
  });

  it('ends at its deadline when headers never come, and closes the socket', async () => {
    receiver.behave('hang');
    const { error, latencyMs, status } = await send(200);
    expect([error, status]).toEqual(['timeout', null]);
    expect(latencyMs).toBeGreaterThanOrEqual(199);
    await until(() => receiver.sockets.size === 0);
  });

  it('ends at its deadline when the connection never opens, and never sends afterwards', async () => {
    let open: (() => void) | undefined;
    const connect = createGuard(RULES).connect;
    const late = poolTo(receiver.url, {
      connections: 1,
      connect: (options, callback) => {
        if (open) connect(options, callback);
        else open = () => connect(options, callback);
      },
    });
    expect((await send(100, late)).error).toBe('timeout');
    open?.();
    expect((await send(5_000, late)).error).toBeNull();
    expect(receiver.received).toHaveLength(1);
  });

  it('is tls when the endpoint does not speak it, and connect when nobody listens', async () => {
    expect((await send(5_000, poolTo(receiver.url.replace('http', 'https')))).error).toBe('tls');
    expect((await send(5_000, poolTo('http://127.0.0.1:1'))).error).toBe('connect');
  });
});
