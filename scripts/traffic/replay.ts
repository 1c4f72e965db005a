import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pause } from '../../packages/governor/src/api/ask.ts';
import { type SignalResult, sendSignals } from '../../packages/governor/src/api/send-signals.ts';
import { isoTime } from '../../shared/platform/basics/clock.ts';
import { SIGNALS_PER_REQUEST } from '../../shared/platform/basics/contract.ts';
import { dealUser, parseAzureTrace, shiftToEndAt, type TraceCall } from './trace.ts';

export interface ReplayOptions {
  readonly file: string;
  readonly format: 'azure-llm';
  /** Among how many users the calls are dealt (`dealUser`). */
  readonly users: number;
  /** As fast as the API answers; at the pace of the trace; or that many times faster. */
  readonly speed: 'max' | 'real' | number;
  /** Base URL of the API. */
  readonly api: string;
  readonly apiKey: string;
  /** Epoch milliseconds: the time that the trace's last call gets. The gaps between calls stay. */
  readonly now: number;
  readonly adapter?: string | undefined;
  readonly project?: string | undefined;
  /** Two replays with one `runId` send the same signal ids: the second is all duplicates. */
  readonly runId?: string | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface ReplaySummary {
  readonly signals: number;
  readonly accepted: number;
  readonly duplicates: number;
  /** Above a limit of the organization: an admin decides. */
  readonly held: number;
  readonly rejected: number;
  /** How many were rejected with each code. */
  readonly rejectedCodes: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly signalsPerSecond: number;
}

/** How the replay waits. Tests put their own in, so that they never sleep. */
export interface ReplayTimers {
  /** Milliseconds of a clock that never jumps. */
  readonly elapsedMs: () => number;
  readonly pause: Pause;
}

const RUN_TIMERS: ReplayTimers = { elapsedMs: () => performance.now(), pause };
const MAX_USERS = 100_000;
const RUN_ID = /^[\w.-]{1,64}$/;
/** A paced replay sends what has become due this often, so that a burst is one request. */
const PACE_MS = 100;

/**
 * Sends a trace through `POST /api/v1/signals` as if its last call happened at `now`. Waits and tries again
 * while the API is away or asks for it: the ids are fixed, so a repeat never counts twice. Throws when the file
 * is not readable, when the API refuses a whole batch, and when it stays away.
 */
export async function replay(
  options: ReplayOptions,
  timers: ReplayTimers = RUN_TIMERS,
): Promise<ReplaySummary> {
  checkOptions(options);
  const calls = shiftToEndAt(await readTrace(options.file), options.now);
  const toSignal = signalMaker(options);
  const startedMs = timers.elapsedMs();
  const results: SignalResult[] = [];
  options.onProgress?.(0, calls.length);
  for await (const batch of paceBatches(calls, options.speed, timers)) {
    results.push(...(await sendSignals(options, batch.map(toSignal), timers.pause)));
    options.onProgress?.(results.length, calls.length);
  }
  return summarize(results, (timers.elapsedMs() - startedMs) / 1_000);
}

function checkOptions({ users, speed, runId }: ReplayOptions): void {
  if (!Number.isInteger(users) || users < 1 || users > MAX_USERS) {
    throw new Error(`users must be a whole number from 1 to ${MAX_USERS}, not ${users}`);
  }
  if (typeof speed === 'number' && !(Number.isFinite(speed) && speed > 0)) {
    throw new Error(`speed must be "max", "real" or a number above 0, not ${speed}`);
  }
  if (runId !== undefined && !RUN_ID.test(runId)) {
    throw new Error('the run id must be 1 to 64 letters, digits, ".", "_" or "-"');
  }
}

async function readTrace(file: string): Promise<TraceCall[]> {
  const csv = await readFile(file, 'utf8');
  try {
    return parseAzureTrace(csv);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** The trace names no model: every call is sent as one of a model whose price is known. */
function signalMaker(options: ReplayOptions): (call: TraceCall) => object {
  const runId = options.runId ?? options.now.toString(36);
  const constant = {
    adapter: options.adapter ?? 'azure-llm',
    provider: 'openai',
    model: 'gpt-4o-mini',
    ...(options.project === undefined ? {} : { project_id: options.project }),
  };
  return (call) => ({
    id: `replay-${runId}-${call.row}`,
    ts: isoTime(call.atMs),
    user_id: dealUser(call.row, options.users),
    ...constant,
    tokens_in: call.tokensIn,
    tokens_out: call.tokensOut,
  });
}

/** The calls in order, in batches that one request may hold, each yielded when it is due. */
async function* paceBatches(
  calls: readonly TraceCall[],
  speed: ReplayOptions['speed'],
  timers: ReplayTimers,
) {
  const factor = speed === 'max' ? Number.POSITIVE_INFINITY : speed === 'real' ? 1 : speed;
  const startedMs = timers.elapsedMs();
  const firstMs = calls[0]?.atMs ?? 0;
  const dueInMs = (call: TraceCall) => (call.atMs - firstMs) / factor - (timers.elapsedMs() - startedMs);
  let next = 0;
  while (next < calls.length) {
    const limit = calls.slice(next, next + SIGNALS_PER_REQUEST);
    const firstNotDue = limit.findIndex((call) => dueInMs(call) > 0);
    const batch = firstNotDue === -1 ? limit : limit.slice(0, firstNotDue);
    const [waiting] = limit;
    if (batch.length > 0) yield batch;
    else if (waiting) await timers.pause(Math.max(dueInMs(waiting), PACE_MS));
    next += batch.length;
  }
}

function summarize(results: readonly SignalResult[], seconds: number): ReplaySummary {
  const count = (status: SignalResult['status']) =>
    results.filter((result) => result.status === status).length;
  const rejectedCodes: Record<string, number> = {};
  for (const { status, code = 'unknown' } of results) {
    if (status === 'rejected') rejectedCodes[code] = (rejectedCodes[code] ?? 0) + 1;
  }
  return {
    signals: results.length,
    accepted: count('accepted'),
    duplicates: count('duplicate'),
    held: count('held'),
    rejected: count('rejected'),
    rejectedCodes,
    seconds,
    signalsPerSecond: seconds > 0 ? Math.round(results.length / seconds) : 0,
  };
}
