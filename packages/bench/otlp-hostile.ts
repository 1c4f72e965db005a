import type { OtlpKind } from '../../shared/core/calls/adapters/otlp/record.ts';
import { memoryMib, type Row, round } from './bench.ts';
import { type Encoding, TYPES } from './otlp-bodies.ts';
import { forgetPeak } from './otlp-memory.ts';
import { makeKey, type Stage } from './stage.ts';

const BYTES = 16 * 2 ** 20;
const MIB = 2 ** 20;

/** Memory of an api that takes bodies of 16 MiB which hold as many parts as they can, one after the other. */
export async function measureHostileBodies(stage: Stage): Promise<Row[]> {
  const { url, pid } = await stage.startApi();
  const { key } = await makeKey(stage);
  const rows: Row[] = [];
  const send = (kind: string, encoding: Encoding, body: Buffer) =>
    fetch(`${url}/otlp/v1/${kind}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': TYPES[encoding] },
      body,
    });
  // So that the decoding thread is there, with its code.
  await send('logs', 'json', Buffer.from(`{${' '.repeat(MIB)}}`));
  for (const { kind, encoding, of, body } of hostileBodies(BYTES)) {
    forgetPeak(pid);
    const before = memoryMib(pid, 'VmRSS');
    const startedAt = performance.now();
    const { status } = await send(kind, encoding, body);
    const grown = memoryMib(pid, 'VmHWM') - before;
    rows.push({
      kind,
      encoding,
      of,
      status,
      'RSS grown MiB': Math.round(grown),
      'grown / body': round(grown / (body.length / MIB)),
      seconds: round((performance.now() - startedAt) / 1_000),
    });
  }
  return rows;
}

interface HostileBody {
  kind: OtlpKind;
  encoding: Encoding;
  /** The part that it repeats as often as it can. */
  of: string;
  body: Buffer;
}

const KINDS = {
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
} as const;

/** Bodies of so many bytes at most whose parts are as small as they can be: as objects they would take 30 times as much. */
function* hostileBodies(bytes: number): Generator<HostileBody> {
  for (const kind of ['logs', 'traces', 'metrics'] as const) {
    const [owners, scopes, records] = KINDS[kind];
    const inRecords = [`{"${owners}":[{"${scopes}":[{"${records}":[`, ']}]}]}'] as const;
    const inOwner = [`{"${owners}":[{"resource":{"attributes":[`, ']}}]}'] as const;
    const inRecord = [`${inRecords[0]}{"attributes":[`, `]}${inRecords[1]}`] as const;
    const json = (of: string, [head, tail]: readonly [string, string], part: string) => {
      const parts = Math.floor((bytes - head.length - tail.length - part.length) / (part.length + 1));
      const body = Buffer.from(`${head}${`${part},`.repeat(parts)}${part}${tail}`);
      return { kind, encoding: 'json' as const, of, body };
    };
    yield json('records', inRecords, '{}');
    yield json('numbers as records', inRecords, '1');
    yield json('resources', [`{"${owners}":[`, ']}'], '{}');
    yield json('attributes of a resource', inOwner, '{}');
    yield json('attributes of a record', inRecord, '{}');
    yield json('objects elsewhere', ['{"a":[', ']}'], '{}');
    yield json('numbers elsewhere', ['{"a":[', ']}'], '1');
    const pairs = Buffer.alloc(bytes - 32);
    for (const [of, depth, field] of [
      ['resources', 0, 1],
      ['records', 2, 2],
      ['attributes of a record', 3, kind === 'traces' ? 9 : 6],
    ] as const) {
      for (let at = 0; at < pairs.length; at += 2) pairs[at] = field * 8 + 2;
      yield { kind, encoding: 'protobuf', of, body: nest(pairs, [1, 2, 2].slice(0, depth)) };
    }
  }
}

/** Bytes as the content of messages one in the other, of these fields from without. */
function nest(content: Buffer, fields: readonly number[]): Buffer {
  return fields.reduceRight((inner, field) => {
    const head = [field * 8 + 2];
    for (let length = inner.length; ; length >>>= 7) {
      head.push(length < 128 ? length : (length & 127) | 128);
      if (length < 128) break;
    }
    return Buffer.concat([Buffer.from(head), inner]);
  }, content);
}
