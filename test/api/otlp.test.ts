import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { withDecoded } from '../../shared/core/calls/adapters/decode.ts';
import { UnreadableOtlp } from '../../shared/core/calls/adapters/otlp/record.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { addMember } from '../../shared/people/members.ts';
import { FIXTURES, readFixture } from '../shared/core/calls/adapters/fixtures.ts';
import {
  bytesOf,
  decodeAnswer,
  encodeProtobuf,
  type Fixture,
  type FixtureRecord,
  type Json,
  type Kind,
} from '../shared/core/calls/adapters/otlp-messages.ts';
import { fixture } from '../support/fixture.ts';
import { openKeptLog, startApi, type TestApi } from '../support/harness.ts';

const BODY_BYTES = 2 ** 20;
const fx = await fixture({
  clock: '2026-11-22T03:05:00Z',
  perTest: true,
  env: { OTLP_BODY_BYTES: String(BODY_BYTES) },
});
const { api, ctx, clock } = fx;

type Encoding = 'json' | 'protobuf';
const ENCODINGS: Encoding[] = ['json', 'protobuf'];
const TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' };

interface Sending {
  route?: Kind;
  encoding?: Encoding;
  headers?: Record<string, string>;
  to?: TestApi;
  key?: string;
}

/** Posts bytes as a client of OTLP/HTTP would, and reads the answer in its encoding. */
async function send(body: Uint8Array | ReadableStream, options: Sending = {}) {
  const { route = 'logs', encoding = 'json', headers = {}, to = api, key = fx.key } = options;
  const response = await fetch(`${to.url}/otlp/v1/${route}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': TYPES[encoding], ...headers },
    body,
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isProtobuf = response.headers.get('content-type') === TYPES.protobuf;
  const answer: Json = isProtobuf
    ? decodeAnswer(response.ok ? 'Answer' : 'Status', bytes)
    : JSON.parse(bytes.toString());
  return { status: response.status, headers: response.headers, answer, bytes };
}

function sendFixture(fixture: Fixture, encoding: Encoding, options: Sending = {}) {
  return send(bytesOf(fixture, encoding), { route: fixture.kind, encoding, ...options });
}

const stored = (org_id = fx.orgId) => signalRows(ctx).find({ org_id }).sort({ id: 1 }).toArray();

/** A record of a fixture again and again, each with an id of its own. */
function many(count: number, attributes: FixtureRecord['attributes'] = {}): Fixture {
  const fixture = readFixture('claude-code');
  const call = fixture.records[1] as FixtureRecord;
  const records = Array.from({ length: count }, (_, index) => ({
    ...call,
    attributes: { ...call.attributes, request_id: `req_${index}`, ...attributes },
  }));
  return { ...fixture, records };
}

/** Decodes a large body of an organization. */
const take = <Result>(orgId: string, use: () => Promise<Result>) =>
  withDecoded(ctx, orgId, { body: bytesOf(many(400), 'json'), kind: 'logs', encoding: 'json' }, use);

/** The threads of this process. */
function countThreads(): number {
  return (process.report.getReport() as { workers: unknown[] }).workers.length;
}

describe('POST /otlp/v1', () => {
  it.each(FIXTURES)('records the signals of %s alike in both encodings, once', async (name) => {
    const fixture = readFixture(name);
    for (const encoding of [...ENCODINGS, 'json'] as const) {
      const { status, answer, bytes } = await sendFixture(fixture, encoding);
      expect({ status, answer }).toEqual({ status: 200, answer: {} });
      expect(bytes.toString()).toBe(encoding === 'json' ? '{}' : '');
    }
    const signals = await stored();
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.every((signal) => signal.received_at !== null)).toBe(true);
  });

  it.each(ENCODINGS)('keeps the rest of a batch with a bad record, and says why (%s)', async (encoding) => {
    const fixture = many(3);
    const [first] = fixture.records;
    if (first) first.attributes.output_tokens = -5;
    const { status, answer } = await sendFixture(fixture, encoding);
    expect(status).toBe(200);
    expect(answer).toEqual({
      partialSuccess: {
        rejectedLogRecords: '1',
        errorMessage: 'rejected 1 of 3: output_tokens: must be a number from 0 to 2^53',
      },
    });
    expect(await stored()).toHaveLength(2);
    const old = many(2, { 'event.timestamp': '2025-01-01T00:00:00Z' });
    const late = await sendFixture(old, encoding);
    expect(late.answer).toMatchObject({
      partialSuccess: { rejectedLogRecords: '2', errorMessage: expect.stringContaining('ts_behind') },
    });
  });

  it.each(ENCODINGS)('warns when it knows no record, and takes them (%s)', async (encoding) => {
    const fixture = many(2);
    const unknown = {
      ...fixture,
      scope: 'x',
      records: [{ body: 'hello', attributes: {} }, { attributes: {} }],
    };
    const { status, answer } = await sendFixture(unknown, encoding);
    expect(status).toBe(200);
    const { partialSuccess } = answer as { partialSuccess: Json };
    expect(partialSuccess.errorMessage).toBe('counted 0 of 2: no record that we know');
    expect(partialSuccess.rejectedLogRecords ?? '0').toBe('0');
  });

  it('takes empty requests, gzip, chunks, a charset, and the blank of W3C baggage', async () => {
    for (const encoding of ENCODINGS) {
      for (const route of ['logs', 'traces', 'metrics'] as const)
        expect((await send(new Uint8Array(), { route, encoding })).status).toBe(200);
      const empty = await send(new Uint8Array(), { encoding, headers: { 'Content-Encoding': 'gzip' } });
      expect(empty.status).toBe(200);
    }
    const zipped = gzipSync(bytesOf(many(1), 'protobuf'));
    const gzip = { 'Content-Encoding': 'gzip' };
    expect((await send(zipped, { encoding: 'protobuf', headers: gzip })).status).toBe(200);
    const named = { 'Content-Encoding': 'X-Gzip' };
    expect((await send(zipped, { encoding: 'protobuf', headers: named })).status).toBe(200);
    const marked = Buffer.concat([Buffer.from('\uFEFF'), bytesOf(many(1), 'json')]);
    expect((await send(marked)).status).toBe(200);
    const chunked = new Blob([new Uint8Array(bytesOf(many(2), 'json'))]).stream();
    const charset = { 'Content-Type': 'application/json; charset=utf-8' };
    expect((await send(chunked, { headers: charset })).status).toBe(200);
    const baggage = { Authorization: `Bearer%20${fx.key}` };
    expect((await send(bytesOf(many(3), 'json'), { headers: baggage })).status).toBe(200);
    expect(await stored()).toHaveLength(3);
  });

  it.each(ENCODINGS)(
    'refuses for good what is not readable, in the request’s encoding (%s)',
    async (encoding) => {
      const wrong = await send(bytesOf(readFixture('semconv'), encoding), { route: 'logs', encoding });
      expect(wrong).toMatchObject({ status: 400, answer: { code: 3 } });
      const garbage = await send(Buffer.from('{"secret": MARKED-CONTENT'), { encoding });
      expect(garbage).toMatchObject({ status: 400, answer: { code: 3 } });
      expect(garbage.bytes.toString()).not.toContain('MARKED');
      const badGzip = { headers: { 'Content-Encoding': 'gzip' }, encoding };
      expect((await send(Buffer.from('no gzip'), badGzip)).status).toBe(400);
      const unknownKey = await send(new Uint8Array(), { encoding, key: `${fx.key}x` });
      expect(unknownKey).toMatchObject({ status: 401, answer: { code: 16 } });
    },
  );

  it('refuses other types and encodings with 415', async () => {
    for (const headers of [
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/json; charset=latin1' },
      { 'Content-Encoding': 'br' },
    ] as Record<string, string>[])
      expect(await send(Buffer.from('{}'), { headers })).toMatchObject({
        status: 415,
        answer: { code: 3 },
      });
  });

  it('refuses more bytes than it may inflate with 413, however they come', async () => {
    const large = Buffer.alloc(BODY_BYTES + 1, ' ');
    const gzip = { 'Content-Encoding': 'gzip' };
    const sendings = [
      send(large),
      send(gzipSync(large), { headers: gzip }),
      send(new Blob([new Uint8Array(large)]).stream()),
    ];
    for (const sending of sendings) expect(await sending).toMatchObject({ status: 413 });
  });

  it('takes a gzip body that says something, and refuses one of 200 times its bytes with 413', async () => {
    const roomy = await startApi({
      ctx: { ...ctx, config: { ...ctx.config, otlpBodyBytes: 2 ** 24 } },
    });
    const options = { headers: { 'Content-Encoding': 'gzip' }, to: roomy };
    const honest = bytesOf(many(2_500), 'json');
    expect(honest.length).toBeGreaterThan(2 ** 20);
    expect((await send(gzipSync(honest, { level: 9 }), options)).status).toBe(200);
    const said = await send(gzipSync(Buffer.alloc(2 * 2 ** 20, ' ')), options);
    expect(said).toMatchObject({ status: 413, answer: { code: 3 } });
    await roomy.close();
  });

  it.each(ENCODINGS)(
    'decodes a large body beside the event loop, 1,000 signals at a time (%s)',
    async (encoding) => {
      const fixture = many(encoding === 'json' ? 400 : 900);
      const body = bytesOf(fixture, encoding);
      expect(body.length).toBeGreaterThan(256 * 1024);
      const answers = await Promise.all([1, 2, 3, 4].map(() => send(body, { encoding })));
      expect(answers.map(({ status, answer }) => ({ status, answer }))).toEqual(
        Array.from({ length: 4 }, () => ({ status: 200, answer: {} })),
      );
      expect(await signalRows(ctx).countDocuments({ org_id: fx.orgId })).toBe(fixture.records.length);
      const cut = await send(body.subarray(0, body.length - 3), { encoding });
      expect(cut.status).toBe(400);
    },
  );

  it('sheds large bodies when too many wait for a thread', async () => {
    const body = bytesOf(many(400), 'json');
    const answers = await Promise.all(Array.from({ length: 24 }, () => send(body)));
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    for (const { answer, headers } of refused) {
      expect(answer.code).toBe(14);
      expect(headers.get('retry-after')).toBe('1');
    }
    expect((await send(body)).status).toBe(200);
  });

  it('keeps eight large bodies of several organizations at most, and sheds the ninth', async () => {
    const gate = Promise.withResolvers<void>();
    const kept = Array.from({ length: 8 }, (_, index) => take(`org_${index}`, () => gate.promise));
    await expect(take('org_ninth', async () => 'read')).rejects.toMatchObject({ code: 'overloaded' });
    gate.resolve();
    await Promise.all(kept);
    expect(await take('org_ninth', async () => 'read')).toBe('read');
  });

  it('leaves room for the large bodies of others, however many one organization sends', async () => {
    const gate = Promise.withResolvers<void>();
    const greedy = Promise.allSettled(
      Array.from({ length: 24 }, () => take('org_greedy', () => gate.promise)),
    );
    // Not even for the time that recording takes: of the two threads one is for others.
    expect(await take('org_other', async () => 'read')).toBe('read');
    const busy = take('org_busy', () => gate.promise);
    const waiting = take('org_third', async () => 'read');
    gate.resolve();
    expect(await waiting).toBe('read');
    await Promise.all([greedy, busy]);
  });

  it.each([3_000, 12_000])('refuses %i records of a few bytes that inherit hundreds each', async (count) => {
    const record = '{"eventName":"api_request","observedTimeUnixNano":"1795316400000000000"}';
    const attributes = ['user.id', 'project.id'].map((key) => ({
      key,
      value: { stringValue: '∀'.repeat(256) },
    }));
    const logRecords = `[${Array(count).fill(record).join()}]`;
    const scope = '{"name":"com.anthropic.claude_code.events"}';
    const resource = JSON.stringify({ attributes });
    const body = Buffer.from(
      `{"resourceLogs":[{"resource":${resource},"scopeLogs":[{"scope":${scope},"logRecords":${logRecords}}]}]}`,
    );
    const request = { body, kind: 'logs', encoding: 'json' } as const;
    await expect(withDecoded(ctx, 'org_a', request, async () => null)).rejects.toThrow(
      'more than 8 times its bytes',
    );
  });

  it('ends a thread that decodes for ten seconds, and says that nothing was written', async () => {
    const before = countThreads();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const body = new Uint8Array(4 * 2 ** 20).fill(0x20);
    const late = withDecoded(ctx, 'org_late', { body, kind: 'logs', encoding: 'json' }, async () => null);
    const told = expect(late).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('10 s'),
    });
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await told;
    // Others are ended after 30 s without work; this one would stay.
    await expect.poll(countThreads, { timeout: 20_000 }).toBeLessThanOrEqual(Math.max(0, before - 1));
  });

  it('lets others have their turns while it decodes a small body of many records', async () => {
    const turned = vi.fn();
    setImmediate(turned);
    const body = Buffer.from(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[${'{},'.repeat(80_000)}{}]}]}]}`);
    await withDecoded(ctx, 'org_a', { body, kind: 'logs', encoding: 'json' }, async ({ summary }) =>
      expect(summary.records).toBe(80_001),
    );
    expect(turned).toHaveBeenCalled();
  });

  it('gives nobody a thread that is ending', async () => {
    const request = (encoding: Encoding) => ({
      body: new Uint8Array(300_000).fill(0x20),
      kind: 'logs' as const,
      encoding,
    });
    const ended = withDecoded(ctx, 'org_a', request('none' as Encoding), async () => null);
    await expect(ended).rejects.not.toBeInstanceOf(UnreadableOtlp);
    const next = withDecoded(ctx, 'org_a', request('json'), async () => null);
    await expect(next).rejects.toBeInstanceOf(UnreadableOtlp);
  });

  it('takes metrics, keeps none, and warns a key that sends Claude Code’s without logs', async () => {
    const post = (name: string, encoding: Encoding) => {
      const metrics = [{ name, sum: { dataPoints: [{ asInt: '5' }] } }];
      const request = { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] };
      const body =
        encoding === 'json' ? Buffer.from(JSON.stringify(request)) : encodeProtobuf('metrics', request);
      return send(body, { route: 'metrics', encoding });
    };
    for (const encoding of ENCODINGS) {
      expect((await post('http.server.duration', encoding)).answer).toEqual({});
      expect((await post('claude_code.token.usage', encoding)).answer).toMatchObject({
        partialSuccess: { errorMessage: expect.stringContaining('OTEL_LOGS_EXPORTER=otlp') },
      });
    }
    await sendFixture(readFixture('claude-code'), 'json');
    expect((await post('claude_code.token.usage', 'json')).answer).toEqual({});
    expect(await signalRows(ctx).countDocuments({ org_id: fx.orgId, adapter: 'metrics' })).toBe(0);
  });
});

describe('who a record is of', () => {
  it('is the bound user, else the member with that e-mail, else a hash of it', async () => {
    const calls = { ...readFixture('claude-code') };
    calls.records = calls.records.slice(1, 2);
    await sendFixture(calls, 'json');
    const [stranger] = await stored();
    expect(stranger?.user_id).toMatch(/^mail_[0-9A-Za-z]{22}$/);

    await addMember(ctx, { org_id: fx.orgId, email: ' ADA@example.com', role: 'member', user_id: 'ada' });
    clock.advance(61_000);
    await sendFixture(many(1, { request_id: 'member-0123456789' }), 'json');
    const bound = { key: await fx.keyOf('bea') };
    await sendFixture(many(1, { request_id: 'bound-01234567890' }), 'json', bound);
    const byId = new Map((await stored()).map(({ id, user_id }) => [id, user_id]));
    expect(byId.get('member-0123456789')).toBe('ada');
    expect(byId.get('bound-01234567890')).toBe('bea');
  });

  it('is the member whose user id is that e-mail, also when the member has another one by now', async () => {
    const user_id = 'Ada@example.com';
    await addMember(ctx, { org_id: fx.orgId, email: 'ada.smith@example.com', role: 'member', user_id });
    await sendFixture(many(1, { 'user.email': 'ada@example.com' }), 'json');
    expect((await stored()).map((signal) => signal.user_id)).toEqual([user_id]);
  });

  it('is the member with that e-mail before one whose user id it is, whichever came first', async () => {
    const add = (user_id: string, email: string) =>
      addMember(ctx, { org_id: fx.orgId, email, role: 'member', user_id });
    await add('ada@example.com', 'ada.smith@example.com');
    await add('new-ada', 'ada@example.com');
    await add('new-bob', 'bob@example.com');
    await add('bob@example.com', 'bob.smith@example.com');
    for (const name of ['ada', 'bob'])
      await sendFixture(many(1, { request_id: `of-${name}`, 'user.email': `${name}@example.com` }), 'json');
    expect((await stored()).map((signal) => signal.user_id)).toEqual(['new-ada', 'new-bob']);
  });

  it('is known again with the next request after the members could not be read', async () => {
    await addMember(ctx, { org_id: fx.orgId, email: 'ada@example.com', role: 'member', user_id: 'ada' });
    vi.spyOn(memberRows(ctx), 'find').mockImplementationOnce(() => {
      throw new Error('Connection is closed.');
    });
    const call = many(1, { 'user.email': 'ada@example.com' });
    expect((await sendFixture(call, 'json')).status).toBe(503);
    vi.restoreAllMocks();
    expect((await sendFixture(call, 'json')).status).toBe(200);
    expect((await stored()).map((signal) => signal.user_id)).toEqual(['ada']);
  });

  it('takes an e-mail for one wherever it stands, and hashes it for each organization alone', async () => {
    const tenants = [await fx.tenant(), await fx.tenant()];
    const semconv = readFixture('semconv');
    const [call] = semconv.records as [FixtureRecord];
    const record = { ...call, attributes: { ...call.attributes, 'user.id': ' Eve@Example.org ' } };
    for (const { key } of tenants) await sendFixture({ ...semconv, records: [record] }, 'protobuf', { key });
    const [one, other] = await Promise.all(tenants.map(({ orgId }) => stored(orgId)));
    expect(one?.[0]?.user_id).toMatch(/^mail_/);
    expect(other?.[0]?.user_id).not.toBe(one?.[0]?.user_id);
  });

  it('says what is missing when nobody is named', async () => {
    const semconv = readFixture('semconv');
    const [call] = semconv.records as [FixtureRecord];
    const { 'user.id': _, ...attributes } = call.attributes;
    const { answer } = await sendFixture({ ...semconv, records: [{ ...call, attributes }] }, 'json');
    expect(answer).toMatchObject({
      partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining('user_required') },
    });
  });
});

it('nothing marked as content, and no stranger’s e-mail, is stored, logged or answered', async () => {
  const marker = 'MARKED-CONTENT-51c9';
  const { log, written } = openKeptLog();
  const logged = await startApi({ ctx: { ...ctx, log } });
  const answers: string[] = [];
  for (const fixture of FIXTURES.map((name) => marked(readFixture(name), marker))) {
    for (const encoding of ENCODINGS) {
      answers.push((await sendFixture(fixture, encoding, { to: logged })).bytes.toString());
      const cut = bytesOf(fixture, encoding).subarray(0, -5);
      const options = { route: fixture.kind, encoding, to: logged };
      answers.push((await send(cut, options)).bytes.toString());
    }
  }
  await logged.close();
  expect((await stored()).length).toBeGreaterThan(30);
  expect(written()).toContain('/otlp/v1/logs');
  const kept = [await allOfMongo(), await allOfRedis(), written(), answers.join()].join('\n');
  expect(kept).toContain(fx.orgId);
  expect(kept).not.toContain(marker);
  expect(kept).not.toMatch(/nobody@example\.com/i);
});

/** With the marker wherever a tool puts content, and a stranger's e-mail. */
function marked(fixture: Fixture, marker: string): Fixture {
  const records = fixture.records.map((record) => {
    const attributes = { ...record.attributes, prompt: marker, 'gen_ai.input.messages': marker };
    const pairs = Object.entries(attributes).map(([name, value]) => {
      if (name === 'user.email') return [name, 'Nobody@Example.com'];
      return [name, value === 'CONTENT' ? marker : value];
    });
    const body = record.body === undefined ? {} : { body: `${record.body} ${marker}` };
    return { ...record, ...body, attributes: Object.fromEntries(pairs) };
  });
  return { ...fixture, resource: { ...fixture.resource, prompt: marker }, records };
}

async function allOfMongo(): Promise<string> {
  const collections = (await ctx.db.connection.db?.collections()) ?? [];
  return JSON.stringify(await Promise.all(collections.map((collection) => collection.find().toArray())));
}

/** Every value of this test's queues, of whichever type. */
async function allOfRedis(): Promise<string> {
  const redis = ctx.redis.queues;
  const keys = await redis.keys(`*${ctx.queuePrefix.replace(/[{}]/g, '')}*`);
  const values = await Promise.all(
    keys.map(async (key) => {
      const type = await redis.type(key);
      if (type === 'hash') return redis.hgetall(key);
      if (type === 'zset') return redis.zrange(key, '0', '-1');
      if (type === 'list') return redis.lrange(key, 0, -1);
      if (type === 'stream') return redis.xrange(key, '-', '+');
      return type === 'set' ? redis.smembers(key) : redis.get(key);
    }),
  );
  return JSON.stringify(values);
}
