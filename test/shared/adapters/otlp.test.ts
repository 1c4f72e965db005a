import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEY_RULES } from '../../../shared/adapters/adapt.ts';
import { parseOtlpJson, pickJson, readJson } from '../../../shared/adapters/otlp/json.ts';
import { walkProtobuf } from '../../../shared/adapters/otlp/protobuf.ts';
import type { OtlpRecord } from '../../../shared/adapters/otlp/record.ts';
import { readOtlp } from './fixtures.ts';
import { bytesOf, decodeProtobuf, encodeProtobuf, type Json } from './otlp-messages.ts';

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
    fc.double().map((doubleValue) => ({ doubleValue })),
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
  return kind === 'logs'
    ? fc.record({
        resourceLogs: many(
          fc.record({ resource, scopeLogs: many(fc.record({ scope, logRecords: many(log) })) }),
        ),
      })
    : fc.record({
        resourceSpans: many(
          fc.record({ resource, scopeSpans: many(fc.record({ scope, spans: many(span) })) }),
        ),
      });
}

describe('the walk over protobuf', () => {
  it.each(['logs', 'traces'] as const)('reads of %s what protobufjs reads', (kind) => {
    fc.assert(
      fc.property(requests(kind), (request) => {
        const bytes = encodeProtobuf(kind, request);
        const walked = [...walkProtobuf(bytes, kind, KEY_RULES)];
        const picked = [...pickJson(decodeProtobuf(kind, bytes), kind, KEY_RULES)];
        expect(walked).toStrictEqual(picked);
      }),
      { numRuns: Number(process.env.LAW_RUNS ?? 300) },
    );
  });

  it('fails as unreadable, never otherwise, for bytes that are no message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom('logs', 'traces'), (bytes, kind) => {
        try {
          Array.from(walkProtobuf(bytes, kind as 'logs', KEY_RULES));
        } catch (error) {
          expect((error as Error).name).toBe('UnreadableOtlp');
        }
      }),
    );
  });

  it('never reads past a message that was cut or changed', () => {
    fc.assert(
      fc.property(requests('logs'), fc.nat(), fc.nat(255), (request, at, byte) => {
        const bytes = encodeProtobuf('logs', request);
        if (bytes.length > 0) bytes[at % bytes.length] = byte;
        for (const sent of [bytes, bytes.subarray(0, at % (bytes.length + 1))]) {
          try {
            Array.from(walkProtobuf(sent, 'logs', KEY_RULES));
          } catch (error) {
            expect((error as Error).name).toBe('UnreadableOtlp');
          }
        }
      }),
    );
  });
});

/** Changes a text at a place, as a broken or an odd client would. */
const change = fc.record({
  at: fc.nat(),
  put: fc.constantFrom(
    '',
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    '\\',
    '0',
    '{"":0}',
    ' \n',
    '"logRecords":[{}],',
    '"spans":null,',
  ),
  length: fc.nat(2),
});

describe('records of JSON that are read one by one', () => {
  it.each(['logs', 'traces'] as const)('are the same %s as when the whole body is parsed', (kind) => {
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
          const oneByOne = outcome(() => [...readJson(body, kind, KEY_RULES)]);
          expect(oneByOne).toStrictEqual(outcome(() => [...pickJson(parseOtlpJson(body), kind, KEY_RULES)]));
        },
      ),
      { numRuns: Number(process.env.LAW_RUNS ?? 1_000) },
    );
  });

  it('are read under a name that is written with escapes, and beside what is no record', () => {
    const record = '{"body":{"stringValue":"claude_code.api_request"}}';
    const scope = `{"scope":{"name":"\\"[{"},"log\\u0052ecords":[${record}]},{"logRecords":[${record},null,5,"}"]}`;
    const body = Buffer.from(`{"resourceLogs":[{"resource":{},"scopeLogs":[${scope}]}]}`);
    const names = [...readJson(body, 'logs', KEY_RULES)].map((record) => record.names);
    expect(names).toEqual([['claude_code.api_request'], ['claude_code.api_request'], [], [], []]);
  });
});

/** What is read, or the kind of error: of two faults either may be told. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return (error as Error).name;
  }
}

/** What a request says, or why it is refused. */
function refusal(read: () => unknown): string {
  try {
    read();
    return 'read';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a request', () => {
  const logs = { kind: 'logs', scope: 's', resource: {} } as const;
  const record = { timeUnixNano: '1', observedTimeUnixNano: '2', body: 'hello', attributes: { model: 'm' } };
  const spans = {
    kind: 'traces',
    scope: 's',
    resource: {},
    records: [
      {
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
        spanId: '00f067aa0ba902b7',
        name: 'chat',
        startTimeUnixNano: '1',
        endTimeUnixNano: '2',
        attributes: {},
      },
    ],
  } as const;
  const metrics = {
    resourceMetrics: [
      {
        scopeMetrics: [
          { metrics: [{ name: 'claude_code.token.usage', sum: { dataPoints: [{ asInt: '1' }] } }] },
        ],
      },
    ],
  };

  it.each(['json', 'protobuf'] as const)('on the wrong route is refused (%s)', (encoding) => {
    const log = bytesOf({ ...logs, records: [record] }, encoding);
    const timeless = bytesOf({ ...logs, records: [{ attributes: { model: 'm' } }] }, encoding);
    const trace = bytesOf({ ...spans, records: [...spans.records] }, encoding);
    const metric =
      encoding === 'json' ? Buffer.from(JSON.stringify(metrics)) : encodeProtobuf('metrics', metrics);
    for (const body of [trace, metric])
      expect(refusal(() => readOtlp(body, 'logs', encoding))).toContain('These are no log records');
    for (const body of [log, timeless, metric])
      expect(refusal(() => readOtlp(body, 'traces', encoding))).toContain('These are no spans');
    for (const body of [log, trace])
      expect(refusal(() => readOtlp(body, 'metrics', encoding))).toContain('These are no metrics');
    expect(readOtlp(metric, 'metrics', encoding).hasClaudeCodeMetrics).toBe(true);
  });

  it('without anything in it holds no records', () => {
    for (const encoding of ['json', 'protobuf'] as const) {
      for (const kind of ['logs', 'traces'] as const)
        expect(readOtlp(new Uint8Array(), kind, encoding)).toMatchObject({ records: 0, signals: [] });
    }
    expect(readOtlp(Buffer.from('{}'), 'logs', 'json').records).toBe(0);
  });

  it('that is not JSON is refused without a word of it', () => {
    for (const body of ['{"secret marker', '[]', 'null', '5', '{"resourceLogs": "secret marker"}'])
      expect(refusal(() => readOtlp(Buffer.from(body), 'logs', 'json'))).toMatch(/^The body [\w .]+$/);
  });

  it('may write int64 as text or number, hex in capitals, enums as names, and more than we know', () => {
    const [picked] = pickJson(
      parseOtlpJson(
        Buffer.from(
          JSON.stringify({
            resourceSpans: [
              {
                scopeSpans: [
                  {
                    spans: [
                      {
                        traceId: '4BF92F3577B34DA6A3CE929D0E0E4736',
                        spanId: '00F067AA0BA902B7',
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
                      },
                    ],
                  },
                ],
              },
            ],
          }),
        ),
      ),
      'traces',
      KEY_RULES,
    ) as Generator<OtlpRecord>;
    expect(picked).toMatchObject({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '00f067aa0ba902b7',
      timeMs: 3,
      durationMs: 2.5,
      isFailed: true,
    });
    expect([...(picked?.attributes ?? [])]).toEqual([
      ['input_tokens', 5],
      ['output_tokens', 2 ** 53],
      ['cost_usd', Number.NaN],
    ]);
  });
});
