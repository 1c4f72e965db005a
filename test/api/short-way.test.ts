import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { makeAccount, sha256 } from '../support/credits.ts';
import { fixture } from '../support/fixture.ts';

const { ctx, api } = await fixture({ redis: true, env: { RATE_LIMITS: 'off' } });
const { token } = await makeAccount(ctx);

interface Sent {
  body: Buffer;
  headers?: Record<string, string>;
}

const whole = JSON.stringify({ output_sha256: sha256('output') });
const json = (body: string | Buffer, headers: Record<string, string> = {}): Sent => ({
  body: Buffer.from(body),
  headers,
});

const REQUESTS: Record<string, [status: number, Sent]> = {
  'a spend': [200, json(whole)],
  'a spend behind a byte order mark': [200, json(`\uFEFF${whole}`)],
  'a charset': [200, json(whole, { 'Content-Type': 'application/json; charset=utf-8' })],
  'another charset': [415, json(whole, { 'Content-Type': 'application/json; charset=latin1' })],
  gzip: [200, json(gzipSync(whole), { 'Content-Encoding': 'gzip' })],
  'what is not gzip': [400, json(whole, { 'Content-Encoding': 'gzip' })],
  'an unknown coding': [415, json(whole, { 'Content-Encoding': 'zstd2' })],
  'another media type': [415, json(whole, { 'Content-Type': 'text/plain' })],
  'broken JSON': [400, json('{"output_sha256":')],
  blanks: [400, json('  ')],
  nothing: [400, json('')],
  'bytes that are not UTF-8': [400, json(Buffer.from([0x22, 0xff, 0x22]))],
  'a body of too many levels': [400, json('['.repeat(33) + ']'.repeat(33))],
  'a body that is too large': [413, json(`"${'x'.repeat(5_000)}"`)],
  'an unknown field': [400, json('{"output":1}')],
  'a string': [400, json('"text"')],
  'a key that is not one': [400, json(whole, { 'Idempotency-Key': 'a,b' })],
  'another output for the key': [422, json(JSON.stringify({ output_sha256: sha256('other') }))],
  'no credential': [401, json(whole, { Authorization: '' })],
};

/** The answer but for its time. In pieces, the body comes when the server has begun with the request. */
async function send(path: string, { body, headers }: Sent, inPieces: boolean): Promise<string> {
  const all = {
    Host: 'test',
    Connection: 'close',
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'Idempotency-Key': 'the same key',
    'X-Request-Id': 'request-1',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  const answer: Buffer[] = [];
  socket.on('data', (chunk) => answer.push(Buffer.from(chunk)));
  const closed = once(socket, 'close');
  if (inPieces) {
    const begun = once(api.server, 'request');
    socket.write(head);
    await begun;
    socket.write(body);
  } else {
    socket.write(Buffer.concat([head, body]));
  }
  await closed;
  return Buffer.concat(answer)
    .toString()
    .replace(/^Date: .*\r\n/m, '');
}

test.each(Object.entries(REQUESTS))(
  'of %s the answer is the same by every way through the api',
  async (_what, [status, sent]) => {
    // The first spend of the key, so that each answer here is to a repeat.
    await send('/v1/meter/consume', json(whole), false);
    const short = await send('/v1/meter/consume', sent, false);
    expect(short).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(await send('/v1/meter/consume', sent, true)).toBe(short);
    // A question mark makes it a URL that Express looks up.
    expect(await send('/v1/meter/consume?', sent, false)).toBe(short);
    expect(await send('/v1/meter/consume?', sent, true)).toBe(short);
  },
);
