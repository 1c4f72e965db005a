import { memoryMib, type Row, round } from './bench.ts';
import { hostileBodies } from './otlp-hostile-bodies.ts';
import { forgetPeak } from './otlp-memory.ts';
import { makeKey, type Stage } from './stage.ts';

const BYTES = 16 * 2 ** 20;
const MIB = 2 ** 20;

/** Memory of an api that takes bodies of 16 MiB which hold as many parts as they can, one after the other. */
export async function measureHostileBodies(stage: Stage): Promise<Row[]> {
  const { url, pid } = await stage.startApi();
  const { key } = await makeKey(stage);
  const rows: Row[] = [];
  const send = (kind: string, encoding: string, body: Buffer) =>
    fetch(`${url}/otlp/v1/${kind}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
      },
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
