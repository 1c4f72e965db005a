import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEY_RULES } from '../../../../../shared/core/calls/adapters/adapt.ts';
import { readRecords } from '../../../../../shared/core/calls/adapters/otlp/read-records.ts';
import { type OtlpKind, UnreadableOtlp } from '../../../../../shared/core/calls/adapters/otlp/record.ts';
import { readOtlp } from './fixtures.ts';
import { bytesOf, decodeProtobuf, encodeProtobuf, type Json } from './otlp-messages.ts';

const KINDS = {
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
} as const;

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const nanos = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex'));
const key = fc.oneof(
  fc.constantFrom(...KEY_RULES.keys.keys()),
  fc.constantFrom('github.copilot.any', 'prompt', 'gen_ai.input.messages'),
  text,
);
const { any } = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    text.map((stringValue) => ({ stringValue })),
    fc.boolean().map((boolValue) => ({ boolValue })),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => ({ intValue: String(value) })),
    // JSON.stringify makes 0 of -0.
    fc.double().map((value) => ({ doubleValue: Object.is(value, -0) ? 0 : value })),
    fc.uint8Array().map((bytes) => ({ bytesValue: Buffer.from(bytes).toString('base64') })),
    fc.array(tie('any'), { maxLength: 3 }).map((values) => ({ arrayValue: { values } })),
    fc
      .array(fc.record({ key: text, value: tie('any') }), { maxLength: 3 })
      .map((values) => ({ kvlistValue: { values } })),
    fc.constant({}),
  ),
}));
const attributes = fc.array(fc.record({ key, value: any }), { maxLength: 6 });
const name = fc.oneof(text, fc.constantFrom('claude_code.api_request', 'codex.sse_event and more'));
const ids = { traceId: hex(16), spanId: hex(8) };
const log = fc.record(
  {
    timeUnixNano: nanos,
    observedTimeUnixNano: nanos,
    severityNumber: fc.nat(24),
    severityText: text,
    body: any,
    attributes,
    eventName: name,
    flags: fc.nat(),
    ...ids,
  },
  { requiredKeys: [] },
);
const span = fc.record(
  {
    name,
    kind: fc.nat(5),
    traceState: text,
    parentSpanId: hex(8),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    events: fc.array(fc.record({ name: text, timeUnixNano: nanos, attributes }), { maxLength: 2 }),
    links: fc.array(fc.record({ ...ids, attributes }), { maxLength: 2 }),
    status: fc.record({ code: fc.nat(2), message: text }),
    ...ids,
  },
  { requiredKeys: ['traceId', 'spanId'] },
);
const resource = fc.record({ attributes }, { requiredKeys: [] });
const scope = fc.record({ name: text, version: text }, { requiredKeys: [] });

function requests(kind: 'logs' | 'traces'): fc.Arbitrary<Json> {
  const many = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 3 });
  const [resources, scopes, records] = KINDS[kind];
  const ofScope = fc.record({ scope, [records]: many(kind === 'logs' ? log : span) });
  return fc.record({ [resources]: many(fc.record({ resource, [scopes]: many(ofScope) })) });
}

/** A request of one record, as it is written. */
function requestWith(kind: keyof typeof KINDS, record: object): Json {
  const [resources, scopes, records] = KINDS[kind];
  return { [resources]: [{ [scopes]: [{ [records]: [record] }] }] };
}

function readJson(body: Uint8Array, kind: OtlpKind) {
  return [...readRecords({ body, kind, encoding: 'json' }, KEY_RULES)];
}

function readProtobuf(body: Uint8Array, kind: OtlpKind) {
  return [...readRecords({ body, kind, encoding: 'protobuf' }, KEY_RULES)];
}

describe('the reader of protobuf', () => {
  it.each(['logs', 'traces'] as const)('reads of %s what protobufjs reads', (kind) => {
    fc.assert(
      fc.property(requests(kind), (request) => {
        const bytes = encodeProtobuf(kind, request);
        const walked = readProtobuf(bytes, kind);
        const picked = readJson(Buffer.from(JSON.stringify(decodeProtobuf(kind, bytes))), kind);
        expect(walked).toStrictEqual(picked);
      }),
      { numRuns: Number(process.env.LAW_RUNS ?? 300) },
    );
  });

  it('fails as unreadable, never otherwise, for bytes that are no message or one that was cut or changed', () => {
    const kinds = fc.constantFrom('logs', 'traces');
    fc.assert(
      fc.property(
        kinds,
        fc.uint8Array({ maxLength: 200 }),
        requests('logs'),
        fc.nat(),
        fc.nat(255),
        (...of) => {
          const [kind, noise, request, at, byte] = of;
          const bytes = encodeProtobuf('logs', request);
          if (bytes.length > 0) bytes[at % bytes.length] = byte;
          for (const sent of [noise, bytes, bytes.subarray(0, at % (bytes.length + 1))]) {
            const result = outcome(() => readProtobuf(sent, kind as OtlpKind));
            if (typeof result === 'string') expect(result).toBe('UnreadableOtlp');
          }
        },
      ),
    );
  });
});

/** Changes a text at a place, as a broken or an odd client would. */
const PIECES = ['{"":0}', ' \n', '"records":[{}],', '"none":null,'];
const change = fc.record({
  at: fc.nat(),
  put: fc.oneof(fc.constantFrom('', '"', '{', '}', '[', ']', ',', '\\', '0'), fc.constantFrom(...PIECES)),
  length: fc.nat(2),
});

describe('records of JSON that are read one by one', () => {
  it.each(['logs', 'traces'] as const)(
    'are the same %s, or none, as JSON.parse makes of the body',
    (kind) => {
      fc.assert(
        fc.property(
          requests(kind),
          fc.constantFrom(undefined, 1, '\t'),
          fc.array(change, { maxLength: 2 }),
          (request, indent, changes) => {
            let text = JSON.stringify(request, null, indent);
            for (const { at, put, length } of changes) {
              const from = at % (text.length + 1);
              text = text.slice(0, from) + put + text.slice(from + length);
            }
            const body = Buffer.from(text);
            const oneByOne = outcome(() => readJson(body, kind));
            expect(oneByOne).toStrictEqual(outcome(() => readJson(parsedAnew(body), kind)));
          },
        ),
        { numRuns: Number(process.env.LAW_RUNS ?? 1_000) },
      );
    },
  );

  it('are none of a body that names a list twice, of which one would count for nothing', () => {
    const twice = Buffer.from('{"resourceLogs":[{"scopeLogs":[{}],"scopeLogs":[{"logRecords":[{}]}]}]}');
    expect(refusal(() => readJson(twice, 'logs'))).toContain('names scopeLogs twice');
  });

  it('are read under a name that is written with escapes, and beside what is no record', () => {
    const record = '{"body":{"stringValue":"claude_code.api_request"}}';
    const scope = `{"scope":{"name":"\\"[{"},"log\\u0052ecords":[${record}]},{"logRecords":[${record},null,5,"}"]}`;
    const body = Buffer.from(`{"resourceLogs":[{"resource":{},"scopeLogs":[${scope}]}]}`);
    const names = readJson(body, 'logs').map((record) => record.names);
    expect(names).toEqual([['claude_code.api_request'], ['claude_code.api_request'], [], [], []]);
  });
});

/** Bytes as JSON.parse understands them; half a character is U+FFFD in them. Throws as the receiver does for what is no JSON. */
function parsedAnew(body: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(body.toString())));
  } catch {
    throw new UnreadableOtlp('The body is not valid JSON.');
  }
}

/** The records, or the kind of error: with two faults either may be reported. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return (error as Error).name;
  }
}

/** `read`, or why the request is refused. */
function refusal(read: () => unknown): string {
  try {
    read();
    return 'read';
  } catch (error) {
    return (error as Error).message;
  }
}

/** A request of so many empty resources, of scopes of one resource, or of records of one scope. */
function manyOf(part: 0 | 1 | 2, count: number, kind: keyof typeof KINDS, encoding: 'json' | 'protobuf') {
  const field = [1, 2, 2];
  const around = [0, 1, 2].slice(0, part).reverse();
  if (encoding === 'json') {
    const list = (name: string | undefined, inner: string) => `{"${name}":[${inner}]}`;
    const parts = list(KINDS[kind][part], Array(count).fill('{}').join());
    return Buffer.from(around.reduce((inner, level) => list(KINDS[kind][level], inner), parts));
  }
  const parts = Buffer.from(
    Array(count)
      .fill([(field[part] ?? 0) * 8 + 2, 0])
      .flat(),
  );
  return around.reduce((inner, level) => {
    const head = new BinaryWriter().tag(field[level] ?? 0, WireType.LengthDelimited).bytes(inner);
    return Buffer.from(head.finish());
  }, parts);
}

describe.each(['json', 'protobuf'] as const)('the limits of a request (%s)', (encoding) => {
  it.each([
    [0, 'resources and scopes'],
    [1, 'resources and scopes'],
    [2, 'more than 100000 records'],
  ] as const)('are 100,000 of each level (%i: %s)', (part, name) => {
    for (const kind of ['logs', 'traces', 'metrics'] as const) {
      const most = manyOf(part, part === 2 ? 100_000 : 1_000, kind, encoding);
      if (part < 2 || kind === 'logs') expect(readOtlp(most, kind, encoding)).toBeDefined();
      const tooMany = manyOf(part, 100_001, kind, encoding);
      expect(refusal(() => readOtlp(tooMany, kind, encoding))).toContain(name);
    }
  });

  it('are 20,000 spans that count', () => {
    const told = (calls: number) => {
      const records = Array.from({ length: calls }, (_, index) => ({
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
        spanId: (index + 1).toString(16).padStart(16, '0'),
        endTimeUnixNano: '1795316400000000000',
        attributes: { 'openinference.span.kind': 'LLM' },
      }));
      const body = bytesOf({ kind: 'traces', scope: 's', resource: {}, records }, encoding);
      return refusal(() => readOtlp(body, 'traces', encoding));
    };
    expect(told(20_000)).toBe('read');
    expect(told(20_001)).toContain('more than 20000 spans that count');
  });

  it('are 4,096 characters of an attribute’s text, the same in both encodings', () => {
    for (const text of ['x'.repeat(5_000), 'é'.repeat(5_000), `x${'𝄞'.repeat(3_000)}`, '∀'.repeat(4_097)]) {
      const records = [{ attributes: { model: text } }];
      const body = bytesOf({ kind: 'logs', scope: 's', resource: { 'user.id': text }, records }, encoding);
      const read = encoding === 'json' ? readJson : readProtobuf;
      const [record] = read(body, 'logs');
      for (const value of [record?.resource.get('user.id'), record?.attributes.get('model')])
        expect(value === text.slice(0, 4_096)).toBe(true);
    }
  });
});

describe('the limits of JSON', () => {
  const inRecord = (value: string) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${value}}]}]}]}`;
  const places = {
    'a record': inRecord,
    'a resource': (value: string) => `{"resourceLogs":[{"resource":{"attributes":${value}}}]}`,
    'a scope': (value: string) => `{"resourceLogs":[{"scopeLogs":[{"scope":${value}}]}]}`,
    'an unknown field': (value: string) => `{"a":${value}}`,
  };

  it.each(Object.entries(places))('are 100,000 values and 128 levels of %s', (_name, put) => {
    const told = (value: string) => refusal(() => readOtlp(Buffer.from(put(value)), 'logs', 'json'));
    expect(told(`[${'{},'.repeat(49_990)}{}]`)).toBe('read');
    expect(told(`[${'{},'.repeat(50_001)}{}]`)).toContain('more than 100000 values');
    expect(told(`[${'1,'.repeat(100_001)}1]`)).toContain('more than 100000 values');
    expect(told('['.repeat(120) + ']'.repeat(120))).toBe('read');
    expect(told('['.repeat(129) + ']'.repeat(129))).toContain('deeper than 128 levels');
  });

  it('are none for the points of a metric, which are skipped', () => {
    const points = Array(60_000).fill('{}').join();
    const metric = `{"sum":{"dataPoints":[${points}]},"name":"claude_code.token.usage"}`;
    const body = Buffer.from(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[${metric}]}]}]}`);
    expect(readOtlp(body, 'metrics', 'json').hasClaudeCodeMetrics).toBe(true);
  });
});

describe('a request', () => {
  const ids = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
  const attributes = [{ key: 'model', value: { stringValue: 'm' } }];
  const bytesWith = (kind: keyof typeof KINDS, record: object, encoding: 'json' | 'protobuf') => {
    const request = requestWith(kind, record);
    return encoding === 'json' ? Buffer.from(JSON.stringify(request)) : encodeProtobuf(kind, request);
  };

  it.each(['json', 'protobuf'] as const)('on the wrong route is refused (%s)', (encoding) => {
    const log = bytesWith(
      'logs',
      { timeUnixNano: '1', body: { stringValue: 'hello' }, attributes },
      encoding,
    );
    const timeless = bytesWith('logs', { attributes }, encoding);
    const span = { ...ids, name: 'chat', startTimeUnixNano: '1', endTimeUnixNano: '2' };
    const trace = bytesWith('traces', span, encoding);
    const usage = { name: 'claude_code.token.usage', sum: { dataPoints: [{ asInt: '1' }] } };
    const metric = bytesWith('metrics', usage, encoding);
    for (const [kind, name, others] of [
      ['logs', 'log records', [trace, metric]],
      ['traces', 'spans', [log, timeless, metric]],
      ['metrics', 'metrics', [log, trace]],
    ] as const)
      for (const body of others)
        expect(refusal(() => readOtlp(body, kind, encoding))).toContain(`These are no ${name}`);
    expect(readOtlp(metric, 'metrics', encoding).hasClaudeCodeMetrics).toBe(true);
  });

  it.each(['json', 'protobuf'] as const)('without anything in it holds no records (%s)', (encoding) => {
    for (const kind of ['logs', 'traces'] as const)
      expect(readOtlp(new Uint8Array(), kind, encoding)).toMatchObject({ records: 0, signals: [] });
    expect(readOtlp(Buffer.from('{}'), 'logs', 'json').records).toBe(0);
  });

  it('that is not JSON is refused without a word of it', () => {
    for (const body of ['{"secret marker', '[]', 'null', '5', '{"resourceLogs": "secret marker"}'])
      expect(refusal(() => readOtlp(Buffer.from(body), 'logs', 'json'))).toMatch(/^The body [\w .]+$/);
  });

  it('may write int64 as text or number, hex in capitals, enums as names, and more than we know', () => {
    const odd = {
      traceId: ids.traceId.toUpperCase(),
      spanId: ids.spanId.toUpperCase(),
      trace_id: 'ignored',
      startTimeUnixNano: 1_000_000,
      endTimeUnixNano: '3500000',
      status: { code: 'STATUS_CODE_ERROR' },
      attributes: [
        { key: 'input_tokens', value: { intValue: 5 } },
        { key: 'output_tokens', value: { intValue: '9007199254740993' } },
        { key: 'cost_usd', value: { doubleValue: 'NaN' } },
        { key: 'model', value: { string_value: 'ignored' } },
      ],
    };
    const [picked] = readJson(bytesWith('traces', odd, 'json'), 'traces');
    expect(picked).toMatchObject({ ...ids, timeMs: 3, durationMs: 2.5, isFailed: true });
    expect([...(picked?.attributes ?? [])]).toEqual([
      ['input_tokens', 5],
      ['output_tokens', 2 ** 53],
      ['cost_usd', Number.NaN],
    ]);
  });
});
