import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { isoTime, systemClock } from '../../shared/platform/basics/clock.ts';
import { memoryMib, percentiles, type Row, round, timed, watchMemory } from './bench.ts';
import { type Encoding, logsBody, signalOf, TYPES } from './otlp-bodies.ts';
import { postSignals, readMetrics, type Stage } from './stage.ts';

const LARGEST_BODY = 16 * 2 ** 20;
const MIB = 2 ** 20;
const LINES = 100_000;

/**
 * Memory and event loop of an api that takes one body of 16 MiB, once it has recorded as many signals by
 * `POST /api/v1/signals`: what the write path takes by itself is not the body's.
 */
export async function measureLargestBody(
  stage: Stage,
  { key }: { key: string },
  encoding: Encoding,
): Promise<Row> {
  const { url, pid } = await stage.startApi();
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': TYPES[encoding] };
  const send = (body: Buffer) => fetch(`${url}/otlp/v1/logs`, { method: 'POST', headers, body });
  const { body, records } = largestBody(encoding);
  await warmUp(url, key, records);
  await send(logsBody([1_000_000_000], encoding));
  forgetPeak(pid);
  await readLoopMaxMs(stage, url);
  const before = memoryMib(pid, 'VmRSS');
  const probing = probe(url);
  const startedAt = performance.now();
  const response = await send(body);
  const seconds = (performance.now() - startedAt) / 1_000;
  const healthz = percentiles(await probing.stop());
  if (response.status !== 200) throw new Error(`The body was answered ${response.status}`);
  const grown = memoryMib(pid, 'VmHWM') - before;
  const loopMaxMs = await readLoopMaxMs(stage, url);
  return {
    encoding,
    MiB: round(body.length / MIB),
    records,
    seconds: round(seconds),
    'RSS before MiB': Math.round(before),
    'RSS grown MiB': Math.round(grown),
    'grown / body': round(grown / (body.length / MIB)),
    'loop max ms': round(loopMaxMs),
    'healthz p50 ms': healthz.p50_ms,
    'healthz max ms': healthz.worst_ms,
  };
}

/** The longest that the api's event loop was held since the last time this was read, by its own metric. */
async function readLoopMaxMs(stage: Stage, url: string): Promise<number> {
  return (await readMetrics(stage, url))('nodejs_eventloop_lag_max_seconds') * 1_000;
}

async function warmUp(url: string, key: string, signals: number): Promise<void> {
  const pool = new Pool(url);
  for (let from = 0; from < signals; from += 1_000) {
    const batch = Array.from({ length: 1_000 }, (_, index) => signalOf(1_000_000_000 + from + index));
    await postSignals(pool, key, batch);
  }
  await pool.close();
}

/** From now on the peak is measured anew (Linux, proc_pid_clear_refs). */
export function forgetPeak(pid: number): void {
  const path = `/proc/${pid}/clear_refs`;
  if (existsSync(path)) writeFileSync(path, '5');
}

/** As many records as 16 MiB hold. */
function largestBody(encoding: Encoding): { body: Buffer; records: number } {
  const perRecord = logsBody([1], encoding).length * 1.02;
  const records = Math.floor(LARGEST_BODY / perRecord);
  const indexes = Array.from({ length: records }, (_, index) => 2_000_000_000 + index);
  return { body: logsBody(indexes, encoding), records };
}

/** Asks a trivial route again and again: how long an answer takes is how long the event loop was held. */
function probe(url: string): { stop: () => Promise<number[]> } {
  const times: number[] = [];
  let isStopped = false;
  const going = (async () => {
    while (!isStopped) {
      times.push(await timed(async () => (await fetch(`${url}/healthz`)).arrayBuffer()));
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await going;
      return times;
    },
  };
}

/** `governor sync` of a transcript: lines a second, and the most memory that it took. */
export async function measureSync(stage: Stage, url: string, key: string): Promise<Row> {
  const bytes = await writeTranscript(join(stage.folder, 'projects', 'bench'));
  const startedAt = performance.now();
  const flags = '--json sync --once --user-id bench --tool claude-code --cursor';
  const sync = stage.start(
    ['packages/governor/src/main.ts', ...flags.split(' '), join(stage.folder, 'cursor')],
    { GOVERNOR_API: url, GOVERNOR_API_KEY: key, CLAUDE_CONFIG_DIR: stage.folder },
    'pipe',
  );
  let printed = '';
  sync.child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const peak = await watchMemory(sync);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { accepted } = JSON.parse(printed) as { accepted: number };
  return {
    lines: LINES,
    MiB: Math.round(bytes / MIB),
    accepted,
    seconds: round(seconds),
    'lines/s': Math.round(LINES / seconds),
    'peak MiB': peak,
  };
}

/** Half prompts and tools' bodies; answers span three lines each. Resolves with the bytes. */
async function writeTranscript(folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const file = createWriteStream(join(folder, 'session.jsonl'));
  const firstMs = systemClock.now() - LINES * 1_000;
  for (let index = 0; index < LINES; index += 1) {
    const line = index % 2 === 0 ? promptLine(index) : answerLine(Math.floor(index / 6), index, firstMs);
    if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  return file.bytesWritten;
}

function promptLine(index: number): object {
  return { type: 'user', uuid: `u${index}`, message: { role: 'user', content: 'x'.repeat(1_500) } };
}

function answerLine(answer: number, index: number, firstMs: number): object {
  return {
    type: 'assistant',
    timestamp: isoTime(firstMs + index * 1_000),
    sessionId: 'bench',
    requestId: `req_${answer}`,
    message: {
      id: `msg_${answer}`,
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'y'.repeat(500) }],
      usage: { input_tokens: 12, cache_read_input_tokens: 8_000, output_tokens: index % 900 },
    },
  };
}
