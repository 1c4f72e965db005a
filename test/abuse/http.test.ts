import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { routes } from '../../api/routes/index.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { baseUrl } from '../../shared/platform/basics/config.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { type Answer, openKeptLog, startApi, until } from '../support/harness.ts';
import { sendRaw } from '../support/raw-http.ts';
import { openHalfSent } from '../support/senders.ts';

const SIGNALS = '/api/v1/signals';
const { api, key, orgId, tenant, ask } = await fixture();
afterAll(async () => {
  expect(await signalRows(api.ctx).countDocuments({ org_id: orgId })).toBe(0);
});

async function post(
  body: string | Buffer,
  headers: Record<string, string> = {},
  path = SIGNALS,
): Promise<Answer> {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** The answer to one request of this head, without its last line break. */
const raw = (head: string, body = '') => sendRaw(api.url, `${head}\r\nConnection: close\r\n\r\n${body}`);
/** The results of signals. */
const record = async (signals: unknown[], by = key) => (await ask(SIGNALS, { signals }, { key: by })).results;
const signalOf = (fields: object = {}) => makeSignal({ ts: Date.now(), ...fields });

function expectProblem(answer: Answer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(answer.body).toMatchObject({ status, code, request_id: answer.headers.get('x-request-id') });
  expect(answer.text).not.toMatch(/ at .*\.ts|node_modules|ugk_/);
}

describe('bodies (1 to 13)', () => {
  it.each([
    ['1 malformed JSON', '{"a":', 400, 'malformed_json'],
    ['2 an empty body', '', 400, 'malformed_json'],
    ['3 a scalar', '5', 400, 'invalid_request'],
    ['4 a top-level array', '[]', 400, 'invalid_request'],
    ['9 40,000 nested arrays', '['.repeat(40_000) + ']'.repeat(40_000), 400, 'malformed_json'],
    [
      '9 nesting within a signal',
      JSON.stringify({ signals: [JSON.parse('['.repeat(40) + ']'.repeat(40))] }),
      400,
      'malformed_json',
    ],
    ['9 300,000 empty objects', `[${'{},'.repeat(300_000)}{}]`, 413, 'payload_too_large'],
    ['9 brackets and commas of a text are none', `"\\"${'[,'.repeat(200_000)}"`, 400, 'invalid_request'],
    ['13 an unknown field beside signals', '{"signals":[],"role":"admin"}', 400, 'invalid_request'],
  ])('%s', async (_name, body, status, code) => {
    expectProblem(await post(body), status, code);
  });

  it.each(['application/json', 'application/x-www-form-urlencoded'])(
    '2 an empty body in chunks is 400, as %s too',
    async (type) => {
      const path = type === 'application/json' ? SIGNALS : '/v1/token';
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}`;
      const answer = await raw(`${head}\r\nTransfer-Encoding: chunked`, '0\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1.1 400/);
      expect(answer).toContain('The body is empty.');
    },
  );

  it.each([
    ['5 text/plain', { 'Content-Type': 'text/plain' }],
    ['5 an empty type', { 'Content-Type': '' }],
    ['6 charset=foo', { 'Content-Type': 'application/json; charset=foo' }],
    ['7 an unknown encoding', { 'Content-Encoding': 'zzz' }],
  ])('%s is 415', async (_name, headers) => {
    expectProblem(await post('{}', headers as Record<string, string>), 415, 'unsupported_media_type');
  });

  it.each<[string, string, string | null, string | null]>([
    ['a coding', SIGNALS, 'gzip, deflate, br, zstd', null],
    ['a coding of a hook', '/hooks/claude-code', 'identity', null],
    ['a type', SIGNALS, null, 'application/json'],
    ['a coding of telemetry', '/otlp/v1/logs', 'gzip', null],
    ['a type of telemetry', '/otlp/v1/logs', null, 'application/x-protobuf, application/json'],
  ])('7 a 415 for %s at %s names what is taken', async (kind, path, codings, types) => {
    const wrong = kind.includes('coding')
      ? { 'Content-Encoding': 'compress' }
      : { 'Content-Type': 'text/plain' };
    const answer = await post('{}', wrong as Record<string, string>, path);
    expect(answer.status).toBe(415);
    expect([answer.headers.get('accept-encoding'), answer.headers.get('accept')]).toEqual([codings, types]);
  });

  it('5 a body without any type is 415', async () => {
    const head = `POST ${SIGNALS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}`;
    expect(await raw(`${head}\r\nContent-Length: 2`, '{}')).toMatch(/^HTTP\/1.1 415/);
  });

  it('14 bytes that are not UTF-8 are 400, so that two ids never become one', async () => {
    const bytes = Buffer.from(JSON.stringify(signalOf({ id: 'a?b' })));
    bytes[bytes.indexOf('?')] = 0xff;
    expectProblem(await post(bytes), 400, 'malformed_json');
    const utf16 = { 'Content-Type': 'application/json; charset=utf-16le' };
    const answer = await post(Buffer.from('{}', 'utf16le'), utf16);
    expectProblem(answer, 415, 'unsupported_media_type');
  });

  it('1 a malformed body is logged without what is in it', async () => {
    const { log, written } = openKeptLog();
    const logged = await startApi({ ctx: { ...api.ctx, log } });
    const { status } = await logged.call(SIGNALS, { key, body: '{"secret":TOPSECRET' });
    expect(status).toBe(400);
    await until(() => written().includes('"msg":"request"'));
    expect(written()).toContain('malformed_json');
    expect(written()).not.toContain('TOPSECRET');
    expect(written()).not.toContain('"stack"');
    await logged.close();
  });

  it('7 broken gzip is 400, a gzip bomb 413', async () => {
    const encoding = { 'Content-Encoding': 'gzip' };
    expectProblem(await post(Buffer.from('not gzip'), encoding), 400, 'malformed_json');
    const bomb = gzipSync(Buffer.alloc(10_000_000, 0x20));
    expectProblem(await post(bomb, encoding), 413, 'payload_too_large');
  });

  it('8 a body over the limit is 413 and closes the connection', async () => {
    const answer = await post(JSON.stringify({ pad: 'x'.repeat(1_100_000) }));
    expectProblem(answer, 413, 'payload_too_large');
    expect(answer.headers.get('connection')).toBe('close');
  });

  it('10 prototype keys of a signal pollute nothing and record nothing', async () => {
    const polluted = `{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}`;
    const answer = await post(`{"signals":[${polluted}]}`);
    expect(answer.body.results).toMatchObject([{ status: 'rejected' }]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it.each([
    ['beside signals', '{"signals":[],'],
    ['in a single signal', `${JSON.stringify(signalOf()).slice(0, -1)},`],
  ])('10 a prototype key %s is 400 and is pointed at', async (_name, head) => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const answer = await post(`${head}"${name}":{"admin":true}}`);
      expectProblem(answer, 400, 'invalid_request');
      expect(answer.text).toContain(`"/${name}"`);
    }
  });

  it('11 of duplicate keys the last wins', async () => {
    const answer = await post('{"signals":[1,2,3],"signals":[]}');
    expect(answer.body).toEqual({ results: [] });
  });

  it.each(['1e400', '9007199254740993', '1.5', '"1"', '"NaN"', '-1', 'true', '[]'])(
    '12 %s is no number of tokens',
    async (value) => {
      const signal = JSON.stringify(signalOf({ tokens_in: 0 }));
      const odd = signal.replace('"tokens_in":0', `"tokens_in":${value}`);
      const answer = await post(`{"signals":[${odd}]}`);
      expect(answer.body.results).toMatchObject([{ status: 'rejected', code: 'invalid_signal' }]);
    },
  );
});

it('12 null tokens are tokens that nobody counted: recorded, with an unknown cost', async () => {
  const own = await tenant();
  const [{ session_id }] = await record([signalOf({ tokens_in: null })], own.key);
  const { signals } = await ask(`/api/v1/sessions/${session_id}`, undefined, own);
  expect(signals).toMatchObject([{ tokens_in: 0, cost_usd: null, cost_source: 'unknown' }]);
});

describe('paths, queries and headers (14 to 24)', () => {
  it.each([
    ['14 NUL in a path', '/a%00b', 'invalid_request'],
    ['19 a path that is not percent-encoding', '/%E0%A4%A', 'invalid_request'],
    ['23 an operator', '?a[$ne]=1', 'invalid_request'],
    ['23 a name that comes twice', '?user_id=1&user_id=2', 'invalid_request'],
    ['24 a limit that is too high', '?limit=1e9', 'invalid_request'],
    ['24 a cursor that is too long', `?cursor=${'x'.repeat(2_000)}`, 'invalid_request'],
    ['24 a cursor that is not ours', '?cursor=e30.AAAA', 'invalid_cursor'],
  ])('%s is a 400 problem', async (_what, end, code) => {
    expectProblem(await api.call(`/api/v1/sessions${end}`, { key }), 400, code);
  });

  it('14 NUL and lone surrogates are refused in a signal', async () => {
    const signals = ['a\u0000b', 'a\ud800b'].map((id) => signalOf({ id }));
    expect(await record(signals)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });

  it('14 an id that is too long comes back cut between two characters', async () => {
    const id = `a${'\u{1f600}'.repeat(128)}`;
    const cut = { status: 'rejected', id: `a${'\u{1f600}'.repeat(127)}` };
    expect(await record([signalOf({ id })])).toMatchObject([cut]);
  });

  it('14 NUL is refused in every parameter of every path', async () => {
    const withParameters = routes({ stopping: false }).filter(
      ({ path, auth }) => path.includes('{') && auth.kind === 'api-key',
    );
    expect(withParameters.length).toBeGreaterThan(10);
    for (const { method, path } of withParameters) {
      for (const name of path.match(/\{\w+\}/g) ?? []) {
        const odd = path.replace(name, 'a%00b').replaceAll(/\{\w+\}/g, 'x');
        const body = method === 'patch' ? { body: {} } : {};
        const answer = await api.call(odd, { method: method.toUpperCase(), key, ...body });
        expect([method, odd, answer.status, answer.body.code]).toEqual([method, odd, 400, 'invalid_request']);
      }
    }
  });

  it.each(['a\0', 'a\ud800'])('14 %j is refused in the texts of a webhook and of a device', async (odd) => {
    const webhook = { url: 'http://127.0.0.1/', events: ['session.ended'], secret: 'x'.repeat(32) };
    for (const name of ['url', 'secret'] as const) {
      const body = { ...webhook, [name]: webhook[name] + odd };
      const answer = await api.call('/api/v1/webhooks', { key, body });
      expectProblem(answer, 400, 'invalid_request');
      expect(answer.body.errors).toMatchObject([{ pointer: `/${name}` }]);
    }
    const test = await api.call('/api/v1/webhooks/test', { key, body: { webhook_id: odd } });
    expectProblem(test, 400, 'invalid_request');
    const public_key = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), kid: odd };
    const device = await api.call('/v1/device_authorization', { body: { public_key } });
    expect([device.status, device.body.error]).toEqual([400, 'invalid_request']);
  });

  it('15 length counts code points, after NFC', async () => {
    const signals = [`a${'\u0301'.repeat(10_000)}`, '𝄞'.repeat(129)].map((id) => signalOf({ id }));
    expect(await record(signals)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });

  it.each([
    ['a length and chunks', '\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked'],
    ['two lengths', '\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3'],
    ['no Host', ''],
    ['two Authorization headers', `\r\nHost: x${`\r\nAuthorization: Bearer ${key}`.repeat(2)}`],
  ])('17, 21 %s are 400', async (_name, headers) => {
    expect(await raw(`GET /api/v1/sessions HTTP/1.1${headers}`, '0\r\n\r\n')).toMatch(/^HTTP\/1.1 400/);
  });

  it('an expectation that nobody knows is ignored', async () => {
    const answer = await raw('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: wonders');
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toMatch(/\r\nX-Request-Id: /);
  });

  it.each(['TRACE', 'PROPFIND', 'PUT', 'DELETE', 'OPTIONS'])('18 %s is 405 with Allow', async (method) => {
    const answer = await raw(`${method} ${SIGNALS} HTTP/1.1\r\nHost: x`);
    expect(answer).toMatch(/^HTTP\/1.1 405/);
    expect(answer).toMatch(/^Allow: POST/m);
    expect(answer).toContain('method_not_allowed');
  });

  it.each(['/api/v1/budgets/check', '/api/v1/budgets/reserve', '/api/v1/webhooks/test'])(
    '18 the Allow of %s names its own methods, not those of an object with this id',
    async (path) => {
      const answer = await api.call(path, { method: 'PUT' });
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')).toBe('POST');
    },
  );

  it.each([
    ['GET', '/v1/ledger', 401, 'unauthorized'],
    ['GET', '/nowhere', 404, 'not_found'],
    ['PUT', SIGNALS, 405, 'method_not_allowed'],
  ] as const)('%s %s is a %i that no cache keeps', async (method, path, status, code) => {
    const answer = await api.call(path, { method });
    expectProblem(answer, status, code);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['example.com:443', SIGNALS])(
    '18 CONNECT to %s is 405 with an empty Allow, and hangs up',
    async (target) => {
      const answer = await sendRaw(api.url, `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 405/);
      expect(answer).toMatch(/^Allow: \r$/m);
      expect(answer).toContain('method_not_allowed');
    },
  );

  it.each(['/openapi.json', '/docs', '/docs/viewer.js'])('18, 23 %s keeps the rules too', async (path) => {
    const posted = await api.call(path, { method: 'POST' });
    expectProblem(posted, 405, 'method_not_allowed');
    expect(posted.headers.get('allow')).toBe('GET, HEAD');
    expectProblem(await api.call(`${path}?page=1`), 400, 'invalid_request');
    expect((await fetch(api.url + path, { method: 'HEAD' })).status).toBe(200);
  });

  it.each(['//api/v1/sessions', '/api/v1/..%2fsessions', '/API/V1/sessions', '/api/v1/sessions/'])(
    '20 %s is the same route with the same auth, or nothing',
    async (path) => {
      expect([401, 404]).toContain((await api.call(path)).status);
    },
  );

  it('21 a header with a name as long as Authorization is no second one', async () => {
    const headers = { 'If-None-Match': '"other"' };
    expect((await api.call('/api/v1/sessions', { key, headers })).status).toBe(200);
  });

  it('22 a key in the query is never accepted', async () => {
    expectProblem(await api.call(`/api/v1/sessions?api_key=${key}`), 401, 'unauthorized');
    for (const path of ['/api/v1/sessions', '/v1/devices'])
      expectProblem(await api.call(`${path}?access_token=${key}`), 401, 'unauthorized');
  });
});

describe('connections (25 to 32)', () => {
  it.each([
    ['25 a client that dribbles its headers', { headersTimeout: 300 }, 'GET /healthz HTTP/1.1\r\nX-Slow: '],
    [
      '26 a client that dribbles its body',
      { headersTimeout: 300, requestTimeout: 300 },
      `POST ${SIGNALS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    ],
  ])('%s is cut off', async (_who, timeouts, bytes) => {
    const { headersTimeout, requestTimeout } = api.server;
    Object.assign(api.server, timeouts);
    expect(await sendRaw(api.url, bytes)).toMatch(/^HTTP\/1.1 408/);
    Object.assign(api.server, { headersTimeout, requestTimeout });
  });

  it.each([2, 1_000_000])('a refused body of %i bytes costs no request behind it', async (length) => {
    const refused = `POST ${SIGNALS} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
    const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answer = await sendRaw(api.url, refused + ' '.repeat(length) + next);
    expect(answer.match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(['401', '200']);
  });

  it.each(['Content-Length: 2000000', 'Transfer-Encoding: chunked'])(
    'a refused body that may be long ends its connection (%s)',
    async (length) => {
      const head = `POST ${SIGNALS} HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n`;
      const answer = await sendRaw(api.url, head);
      expect(answer).toMatch(/^HTTP\/1.1 401/);
      expect(answer).toMatch(/^Connection: close/m);
    },
  );

  it('28 a connection beyond the cap is closed, and the others go on', async () => {
    const small = await startApi({ env: { MAX_CONNECTIONS: '20' } });
    const idle = await openHalfSent('127.0.0.1', small.url, 20, () => 'GET /healthz HTTP/1.1\r\n');
    await expect(small.call('/healthz')).rejects.toThrow();
    idle.close();
    await until(async () => (await small.call('/healthz').catch(() => null))?.status === 200);
    await small.close();
  });

  it('31 neither Host nor X-Forwarded-Host shows up in a link', async () => {
    const hosts = 'Host: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https';
    const answer = await raw(
      `POST /v1/device_authorization HTTP/1.1\r\n${hosts}\r\nContent-Type: application/json\r\nContent-Length: 2`,
      '{}',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200/);
    expect(answer).toContain(`${baseUrl(api.ctx.config)}/activate`);
    expect(answer).not.toContain('evil.example');
  });

  it('32 a foreign origin is told nothing', async () => {
    const headers = { Origin: 'https://evil.example' };
    for (const path of ['/api/v1/sessions', '/v1/devices', '/v1/token'])
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await api.call(path, { method, key, headers });
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
  });
});
