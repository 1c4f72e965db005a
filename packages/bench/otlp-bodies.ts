import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isoTime, systemClock } from '../../shared/platform/basics/clock.ts';

export type Encoding = 'protobuf' | 'json';

export const TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const;

type Attributes = Readonly<Record<string, string | number>>;

/** The attributes that Claude Code sends for one request, with an id of its own. */
function attributesOf(index: number): Attributes {
  return {
    'event.name': 'api_request',
    'event.timestamp': isoTime(systemClock.now()),
    'event.sequence': index,
    'session.id': `5b1c2f8e-0000-4000-8000-${String(index % 50).padStart(12, '0')}`,
    'organization.id': '7b1c2f8e-0000-4000-8000-000000000001',
    'user.account_uuid': `account-${index % 50}`,
    'user.id': '1f8ac10f23c5b5bc1167bda84b833e5c057a77d2',
    'terminal.type': 'vscode',
    'app.version': '2.1.289',
    'prompt.id': '9b1c2f8e-0000-4000-8000-000000000001',
    'project.id': 'bench',
    model: 'claude-sonnet-4-5',
    input_tokens: 400,
    output_tokens: 300,
    cache_read_tokens: 800,
    cache_creation_tokens: 0,
    duration_ms: 900,
    request_id: `bench-otlp-${index}`,
    query_source: 'repl_main_thread',
    speed: 'standard',
  };
}

/** A request of log records with these numbers. */
export function logsBody(indexes: readonly number[], encoding: Encoding): Buffer {
  return encoding === 'json' ? jsonBody(indexes) : protobufBody(indexes);
}

/** The same call as a signal, with another id. */
export function signalOf(index: number): Record<string, unknown> {
  return {
    id: `bench-signal-${index}`,
    ts: isoTime(systemClock.now()),
    user_id: `account-${index % 50}`,
    project_id: 'bench',
    adapter: 'claude-code',
    model: 'claude-sonnet-4-5',
    tokens_in: 1_200,
    tokens_out: 300,
    cache_read_tokens: 800,
    cache_write_tokens: 0,
    latency_ms: 900,
    metadata: { client_session_id: `session-${index % 50}`, prompt_id: 'prompt', speed: 'standard' },
  };
}

const BODY = 'claude_code.api_request';

function jsonBody(indexes: readonly number[]): Buffer {
  const logRecords = indexes.map((index) => ({
    observedTimeUnixNano: '1795316400000000000',
    body: { stringValue: BODY },
    attributes: Object.entries(attributesOf(index)).map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
    })),
  }));
  return Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }));
}

function protobufBody(indexes: readonly number[]): Buffer {
  const writer = new BinaryWriter();
  const open = (field: number) => writer.tag(field, WireType.LengthDelimited).fork();
  open(1);
  open(2);
  for (const index of indexes) {
    open(2);
    open(5).tag(1, WireType.LengthDelimited).string(BODY).join();
    for (const [key, value] of Object.entries(attributesOf(index))) {
      open(6).tag(1, WireType.LengthDelimited).string(key);
      open(2);
      if (typeof value === 'string') writer.tag(1, WireType.LengthDelimited).string(value);
      else writer.tag(3, WireType.Varint).int64(value);
      writer.join().join();
    }
    writer.tag(11, WireType.Bit64).fixed64('1795316400000000000').join();
  }
  writer.join().join();
  return Buffer.from(writer.finish());
}
