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
  encodeProtobuf,
  type Fixture,
  type FixtureRecord,
  type Json,
} from '../shared/core/calls/adapters/otlp-messages.ts';
import { fixture } from '../support/fixture.ts';
import { openKeptLog, startApi } from '../support/harness.ts';
import { ENCODINGS, type Encoding, type Sending, sendOtlp } from '../support/otlp.ts';
import { textOfMongo, textsOfRedis } from '../support/whole-stores.ts';

const BODY_BYTES = 2 ** 20;
const fx = await fixture({
  clock: '2026-11-22T03:05:00Z',
  perTest: true,
  env: { OTLP_BODY_BYTES: String(BODY_BYTES) },
});
const { api, ctx, clock } = fx;

/** Sends to the api of the fixture by its key, or elsewhere. */
const send = (body: Uint8Array | ReadableStream, options: Partial<Sending> = {}) =>
  sendOtlp(body, { to: api, key: fx.key, ...options });
const sendFixture = (fixture: Fixture, encoding: Encoding, options: Partial<Sending> = {}) =>
  send(bytesOf(fixture, encoding), { route: fixture.kind, encoding, ...options });

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

const decode = <Result>(orgId: string, body: Uint8Array, use: Parameters<typeof withDecoded<Result>>[3]) =>
  withDecoded(ctx, orgId, { body, kind: 'logs', encoding: 'json' }, use);
/** Decodes a large body of an organization. */
const take = <Result>(orgId: string, use: () => Promise<Result>) =>
  decode(orgId, bytesOf(many(400), 'json'), use);

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
    const { answer } = await sendFixture(fixture, encoding);
    const errorMessage = 'rejected 1 of 3: output_tokens: must be a number from 0 to 2^53';
    expect(answer).toEqual({ partialSuccess: { rejectedLogRecords: '1', errorMessage } });
    expect(await stored()).toHaveLength(2);
    const late = await sendFixture(many(2, { 'event.timestamp': '2025-01-01T00:00:00Z' }), encoding);
    const behind = { rejectedLogRecords: '2', errorMessage: expect.stringContaining('ts_behind') };
    expect(late).toMatchObject({ status: 200, answer: { partialSuccess: behind } });
  });

  it.each(ENCODINGS)('warns when it knows no record, and takes them (%s)', async (encoding) => {
    const records = [{ body: 'hello', attributes: {} }, { attributes: {} }];
    const { status, answer } = await sendFixture({ ...many(2), scope: 'x', records }, encoding);
    expect(status).toBe(200);
    const { partialSuccess } = answer as { partialSuccess: Json };
    expect(partialSuccess.errorMessage).toBe('counted 0 of 2: no record that we know');
    expect(partialSuccess.rejectedLogRecords ?? '0').toBe('0');
  });

  it('takes empty requests, gzip, chunks, a charset, and the blank of W3C baggage', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    const zipped = gzipSync(bytesOf(many(1), 'protobuf'));
    const marked = Buffer.concat([Buffer.from('\uFEFF'), bytesOf(many(1), 'json')]);
    const chunked = new Blob([new Uint8Array(bytesOf(many(2), 'json'))]).stream();
    const nothing = new Uint8Array();
    const sendings = [
      ...ENCODINGS.flatMap((encoding) => [
        ...(['logs', 'traces', 'metrics'] as const).map((route) => send(nothing, { route, encoding })),
        send(nothing, { encoding, headers: gzip }),
      ]),
      send(zipped, { encoding: 'protobuf', headers: gzip }),
      send(zipped, { encoding: 'protobuf', headers: { 'Content-Encoding': 'X-Gzip' } }),
      send(marked),
      send(chunked, { headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
      send(bytesOf(many(3), 'json'), { headers: { Authorization: `Bearer%20${fx.key}` } }),
    ];
    for (const { status } of await Promise.all(sendings)) expect(status).toBe(200);
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

  it.each<Record<string, string>>([
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'application/json; charset=latin1' },
    { 'Content-Encoding': 'br' },
  ])('refuses other types and encodings with 415: %j', async (headers) => {
    expect(await send(Buffer.from('{}'), { headers })).toMatchObject({ status: 415, answer: { code: 3 } });
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
    const roomy = await startApi({ ctx: { ...ctx, config: { ...ctx.config, otlpBodyBytes: 2 ** 24 } } });
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
      for (const { status, answer } of answers) expect([status, answer]).toEqual([200, {}]);
      expect(await stored()).toHaveLength(fixture.records.length);
      const cut = await send(body.subarray(0, body.length - 3), { encoding });
      expect(cut.status).toBe(400);
    },
  );

  it('sheds large bodies when too many wait for a thread', async () => {
    const body = bytesOf(many(400), 'json');
    const answers = await Promise.all(Array.from({ length: 24 }, () => send(body)));
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    for (const { answer, headers } of refused)
      expect([answer.code, headers.get('retry-after')]).toEqual([14, '1']);
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
    const long = '∀'.repeat(256);
    const resource = { 'user.id': long, 'project.id': long };
    const record = { eventName: 'api_request', timeUnixNano: '1795316400000000000', attributes: {} };
    const body = bytesOf({ ...many(0), resource, records: Array(count).fill(record) }, 'json');
    await expect(decode('org_a', body, async () => null)).rejects.toThrow('more than 8 times its bytes');
  });

  it('ends a thread that decodes for ten seconds, and says that nothing was written', async () => {
    const before = countThreads();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const body = new Uint8Array(4 * 2 ** 20).fill(0x20);
    const late = decode('org_late', body, async () => null);
    const message = expect.stringContaining('10 s');
    const told = expect(late).rejects.toMatchObject({ code: 'overloaded', message });
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
    await decode('org_a', body, async ({ summary }) => expect(summary.records).toBe(80_001));
    expect(turned).toHaveBeenCalled();
  });

  it('gives nobody a thread that is ending', async () => {
    const spaces = () => new Uint8Array(300_000).fill(0x20);
    const unknown = { body: spaces(), kind: 'logs', encoding: 'none' as Encoding } as const;
    const ended = withDecoded(ctx, 'org_a', unknown, async () => null);
    await expect(ended).rejects.not.toBeInstanceOf(UnreadableOtlp);
    const next = decode('org_a', spaces(), async () => null);
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
    expect((await stored()).filter(({ adapter }) => adapter === 'metrics')).toEqual([]);
  });
});

describe('who a record is of', () => {
  /** A call as a span, with these attributes too. */
  const spanOf = (attributes: FixtureRecord['attributes']): Fixture => {
    const semconv = readFixture('semconv');
    const [call] = semconv.records as [FixtureRecord];
    return { ...semconv, records: [{ ...call, attributes: { ...call.attributes, ...attributes } }] };
  };
  const add = (user_id: string, email: string) =>
    addMember(ctx, { org_id: fx.orgId, email, role: 'member', user_id });
  const usersOf = async () => (await stored()).map(({ user_id }) => user_id);
  const ofAda = (id: string) => many(1, { request_id: id, 'user.email': 'Ada@Example.com' });

  it('is the bound user before all, and a member at most a minute after joining', async () => {
    await sendFixture(ofAda('3-stranger-0123456789'), 'json');
    await add('ada', 'ada@example.com');
    clock.advance(61_000);
    await sendFixture(ofAda('1-member-0123456789'), 'json');
    await sendFixture(ofAda('2-bound-0123456789'), 'json', { key: await fx.keyOf('bea') });
    expect(await usersOf()).toEqual(['ada', 'bea', expect.stringMatching(/^mail_[0-9A-Za-z]{22}$/)]);
  });

  it.each<[emails: Record<string, string>, found: string]>([
    [{ ada: ' ADA@example.com' }, 'ada'],
    [{ 'Ada@example.com': 's@x.org' }, 'Ada@example.com'],
    [{ 'ada@example.com': 's@x.org', new: 'ada@example.com' }, 'new'],
    [{ new: 'ada@example.com', 'ada@example.com': 's@x.org' }, 'new'],
  ])('is the member with that e-mail, else the one whose user id it is: of %j, %s', async (emails, found) => {
    for (const [userId, email] of Object.entries(emails)) await add(userId, email);
    await sendFixture(ofAda('of-ada'), 'json');
    expect(await usersOf()).toEqual([found]);
  });

  it('is known again with the next request after the members could not be read', async () => {
    await add('ada', 'ada@example.com');
    vi.spyOn(memberRows(ctx), 'find').mockImplementationOnce(() => {
      throw new Error('Connection is closed.');
    });
    expect((await sendFixture(ofAda('a'), 'json')).status).toBe(503);
    vi.restoreAllMocks();
    expect((await sendFixture(ofAda('a'), 'json')).status).toBe(200);
    expect(await usersOf()).toEqual(['ada']);
  });

  it('takes an e-mail for one wherever it stands, and hashes it for each organization alone', async () => {
    const tenants = [await fx.tenant(), await fx.tenant()];
    for (const { key } of tenants)
      await sendFixture(spanOf({ 'user.id': ' Eve@Example.org ' }), 'protobuf', { key });
    const [one, other] = await Promise.all(tenants.map(({ orgId }) => stored(orgId)));
    expect(one).toMatchObject([{ user_id: expect.stringMatching(/^mail_/) }]);
    expect(other?.[0]?.user_id).not.toBe(one?.[0]?.user_id);
  });

  it('says what is missing when nobody is named', async () => {
    const { answer } = await sendFixture(spanOf({ 'user.id': '' }), 'json');
    const errorMessage = expect.stringContaining('user_required');
    expect(answer).toMatchObject({ partialSuccess: { rejectedSpans: '1', errorMessage } });
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
  const queues = await textsOfRedis(ctx.redis.queues, `*${ctx.queuePrefix.replace(/[{}]/g, '')}*`);
  const kept = [await textOfMongo(ctx), ...queues, written(), ...answers].join('\n');
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
