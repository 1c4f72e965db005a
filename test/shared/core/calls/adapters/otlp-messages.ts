import protobuf from 'protobufjs';

/** The parts of opentelemetry-proto 1.x that a client sends, also those that the receiver skips. */
const { root } = protobuf.parse(`
syntax = "proto3";
message AnyValue {
  oneof value {
    string stringValue = 1; bool boolValue = 2; int64 intValue = 3; double doubleValue = 4;
    ArrayValue arrayValue = 5; KeyValueList kvlistValue = 6; bytes bytesValue = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; uint32 droppedAttributesCount = 2; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
message Logs { repeated ResourceLogs resourceLogs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scopeLogs = 2; string schemaUrl = 3; }
message ScopeLogs { Scope scope = 1; repeated LogRecord logRecords = 2; string schemaUrl = 3; }
message LogRecord {
  fixed64 timeUnixNano = 1; uint32 severityNumber = 2; string severityText = 3; AnyValue body = 5;
  repeated KeyValue attributes = 6; uint32 droppedAttributesCount = 7; fixed32 flags = 8;
  bytes traceId = 9; bytes spanId = 10; fixed64 observedTimeUnixNano = 11; string eventName = 12;
}
message Traces { repeated ResourceSpans resourceSpans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopeSpans = 2; string schemaUrl = 3; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schemaUrl = 3; }
message Span {
  bytes traceId = 1; bytes spanId = 2; string traceState = 3; bytes parentSpanId = 4; string name = 5;
  uint32 kind = 6; fixed64 startTimeUnixNano = 7; fixed64 endTimeUnixNano = 8; repeated KeyValue attributes = 9;
  uint32 droppedAttributesCount = 10; repeated Event events = 11; repeated Link links = 13; Status status = 15;
  fixed32 flags = 16;
}
message Event { fixed64 timeUnixNano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Link { bytes traceId = 1; bytes spanId = 2; repeated KeyValue attributes = 4; }
message Status { string message = 2; uint32 code = 3; }
message Metrics { repeated ResourceMetrics resourceMetrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scopeMetrics = 2; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
message Metric { string name = 1; string description = 2; string unit = 3; Sum sum = 7; }
message Answer { Partial partialSuccess = 1; }
message Partial { int64 rejectedLogRecords = 1; string errorMessage = 2; }
message GoogleStatus { int32 code = 1; string message = 2; }
message Sum { repeated Point dataPoints = 1; uint32 aggregationTemporality = 2; bool isMonotonic = 3; }
message Point { fixed64 startTimeUnixNano = 2; fixed64 timeUnixNano = 3; fixed64 asInt = 6; repeated KeyValue attributes = 7; }
`);

const TYPES = { logs: 'Logs', traces: 'Traces', metrics: 'Metrics' } as const;
export type Kind = keyof typeof TYPES;
export type Json = Record<string, unknown>;

/** A request in the form of OTLP/JSON as protobuf, encoded by protobufjs. */
export function encodeProtobuf(kind: Kind, request: Json): Buffer {
  const type = root.lookupType(TYPES[kind]);
  return Buffer.from(type.encode(type.fromObject(withIds(request, 'hex', 'base64') as Json)).finish());
}

/** The message that protobufjs reads, in the form of OTLP/JSON. */
export function decodeProtobuf(kind: Kind, bytes: Uint8Array): Json {
  const type = root.lookupType(TYPES[kind]);
  const decoded = type.toObject(type.decode(bytes), { json: true, longs: String, bytes: String });
  return withIds(decoded, 'base64', 'hex') as Json;
}

/** An answer's bytes: of an export (whatever it calls its rejected records), or of a failure. */
export function decodeAnswer(type: 'Answer' | 'Status', bytes: Uint8Array): Json {
  const known = root.lookupType(type === 'Answer' ? 'Answer' : 'GoogleStatus');
  return known.toObject(known.decode(bytes), { longs: String });
}

/** Ids are hex in OTLP/JSON, unlike other bytes. */
function withIds(value: unknown, from: BufferEncoding, to: BufferEncoding): unknown {
  if (Array.isArray(value)) return value.map((item) => withIds(item, from, to));
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([name, part]) => {
    const isId = /^(?:traceId|spanId|parentSpanId)$/.test(name) && typeof part === 'string';
    return [name, isId ? Buffer.from(part, from).toString(to) : withIds(part, from, to)];
  });
  return Object.fromEntries(pairs);
}

type Plain = string | number | boolean;

/** One record of a fixture: attributes as plain values. */
export interface FixtureRecord {
  /** A log's event name, where the tool sets that field. */
  eventName?: string;
  /** A span's name. */
  name?: string;
  body?: string;
  attributes: Record<string, Plain>;
  timeUnixNano?: string;
  observedTimeUnixNano?: string;
  startTimeUnixNano?: string;
  endTimeUnixNano?: string;
  traceId?: string;
  spanId?: string;
  parentSpanId?: string;
  status?: { code: number; message?: string };
}

export interface Fixture {
  /** Which version of the tool it mimics. */
  mimics: string;
  kind: 'logs' | 'traces';
  scope: string;
  resource: Record<string, Plain>;
  records: FixtureRecord[];
}

/** A fixture as an OTLP/JSON request. */
export function requestOf({ kind, scope, resource, records }: Omit<Fixture, 'mimics'>): Json {
  const made = records.map(({ attributes, body, ...rest }) => ({
    ...rest,
    ...(body === undefined ? {} : { body: { stringValue: body } }),
    attributes: keyValues(attributes),
  }));
  const owner = { resource: { attributes: keyValues(resource) } };
  return kind === 'logs'
    ? { resourceLogs: [{ ...owner, scopeLogs: [{ scope: { name: scope }, logRecords: made }] }] }
    : { resourceSpans: [{ ...owner, scopeSpans: [{ scope: { name: scope }, spans: made }] }] };
}

function keyValues(attributes: Record<string, Plain>): Json[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: Plain): Json {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (!Number.isFinite(value)) return { doubleValue: String(value) };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Bytes of a fixture in an encoding. */
export function bytesOf(fixture: Omit<Fixture, 'mimics'>, encoding: 'json' | 'protobuf'): Buffer {
  const request = requestOf(fixture);
  return encoding === 'json' ? Buffer.from(JSON.stringify(request)) : encodeProtobuf(fixture.kind, request);
}
