import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type Agent, request } from 'node:http';
import { cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Stage, setStage } from './stage.ts';

/** `clients` that each do one thing after the other for `seconds`. Milliseconds of each, sorted. */
export async function runClients(
  clients: number,
  seconds: number,
  work: (client: number) => Promise<unknown>,
): Promise<{ times: number[]; seconds: number }> {
  const times: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  const client = async (index: number): Promise<void> => {
    while (performance.now() < end) {
      const began = performance.now();
      await work(index);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  times.sort((a, b) => a - b);
  return { times, seconds: (performance.now() - startedAt) / 1_000 };
}

/** User and system time that processes have used, on Linux (a tick is 10 ms); elsewhere 0. */
export function cpuSeconds(pids: readonly number[]): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, count) => sum + count, 0) / 100;
}

/** Returns the memory of a process (`VmRSS`), or the most that it had (`VmHWM`), on Linux; 0 elsewhere and once it has ended. */
export function memoryMib(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  try {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(kib?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** The most memory that a process has had when it ends, MiB. */
export async function watchMemory({ child, pid }: { child: ChildProcess; pid: number }): Promise<number> {
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, memoryMib(pid, 'VmHWM'));
  }, 20);
  await once(child, 'close');
  clearInterval(watching);
  return Math.round(peak);
}

/** A row of a table: figures by their names. */
export type Row = Record<string, unknown>;

export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** The waits (milliseconds) of half, of 99 in 100, and the longest. */
export function percentiles(values: readonly number[], digits = 2) {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    p50_ms: round(quantile(sorted, 0.5), digits),
    p99_ms: round(quantile(sorted, 0.99), digits),
    worst_ms: round(sorted.at(-1) ?? Number.NaN, digits),
  };
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Does something every so many milliseconds, or as soon as it is done with the last one. */
export async function repeat(everyMs: number, untilMs: number, work: () => Promise<void>): Promise<void> {
  let nextMs = performance.now();
  while (nextMs < untilMs) {
    await sleep(Math.max(0, nextMs - performance.now()));
    await work();
    nextMs = Math.max(nextMs + everyMs, performance.now());
  }
}

/** Asks with a credential, and posts a `body`. Resolves with the JSON of the answer, an empty one's `{}`; throws unless it is 2xx. */
export async function askJson(url: string, key: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url, {
    headers,
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

/**
 * Asks by the connections of an agent, and posts a `body`: cheaper than `fetch`, as this client shares the cores of what it
 * measures. Resolves with the text of the answer; throws unless it is 200.
 */
export function ask(
  agent: Agent,
  url: string,
  key: string,
  body?: string | Buffer,
  type = 'application/json',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const length =
      body === undefined ? {} : { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
    const headers = { Authorization: `Bearer ${key}`, ...length };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(url, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () =>
        response.statusCode === 200
          ? resolve(text)
          : reject(new Error(`${url} was answered ${response.statusCode}: ${text.slice(0, 200)}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Measures on a stage of its own, which ends with it. */
export async function onStage<Result>(
  work: (stage: Stage) => Promise<Result>,
  ...options: Parameters<typeof setStage>
): Promise<Result> {
  const stage = await setStage(...options);
  try {
    return await work(stage);
  } finally {
    await stage.stop();
  }
}

export function round(value: number, digits = 2): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** A table for people, then one line of JSON for machines. */
export function report(name: string, rows: readonly object[]): void {
  console.table(rows);
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'cpu'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  console.log(JSON.stringify({ bench: name, machine, node: process.version, rows }));
}

/** `--name value` or the fallback. */
export function numberOption(args: readonly string[], name: string, fallback: number): number {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(args[at + 1]);
}
