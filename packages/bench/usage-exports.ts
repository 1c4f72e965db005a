import { get } from 'node:http';
import type { Row } from './bench.ts';
import { readMetrics, type Stage } from './stage.ts';

/**
 * One export from a fresh api process: downloads and forgets. Memory and turns of the event loop are those of the api, as
 * it says itself.
 */
export async function measureExport(
  stage: Stage,
  key: string,
  format: string,
  { query, rows, level = 'daily' }: { query: string; rows: number; level?: 'daily' | 'focus' },
): Promise<Row> {
  const { url, end } = await stage.startApi();
  const before = await readProcess(stage, url);
  const peak = { rss: before.rss, turnMs: 0 };
  const sample = async () => {
    const { rss, turnMs } = await readProcess(stage, url);
    peak.rss = Math.max(peak.rss, rss);
    peak.turnMs = Math.max(peak.turnMs, turnMs);
  };
  const sampling = setInterval(() => void sample().catch(() => undefined), 200);
  const startedAt = performance.now();
  const { bytes, firstByteMs } = await download(
    `${url}/api/v1/usage/export?${query}&level=${level}&format=${format}`,
    key,
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  clearInterval(sampling);
  await sample();
  await end();
  return {
    format,
    rows,
    'rows/s': Math.round(rows / seconds),
    MB: Math.round(bytes / 1e6),
    'first byte ms': Math.round(firstByteMs),
    'RSS before MB': Math.round(before.rss / 1e6),
    'RSS growth MB': Math.round((peak.rss - before.rss) / 1e6),
    'longest turn ms': Math.round(peak.turnMs),
  };
}

function download(url: string, key: string): Promise<{ bytes: number; firstByteMs: number }> {
  const beganMs = performance.now();
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let firstByteMs = 0;
    get(url, { headers: { Authorization: `Bearer ${key}` } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - beganMs;
        bytes += chunk.length;
      });
      response.on('end', () => resolve({ bytes, firstByteMs }));
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** Resident bytes, and the longest turn of the event loop since this was last read. */
async function readProcess(stage: Stage, url: string): Promise<{ rss: number; turnMs: number }> {
  const read = await readMetrics(stage, url);
  const turnMs = read('nodejs_eventloop_lag_max_seconds') * 1_000;
  return { rss: read('process_resident_memory_bytes'), turnMs };
}
