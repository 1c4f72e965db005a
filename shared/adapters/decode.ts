import { deserialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { SIGNALS_PER_REQUEST } from '../platform/basics/contract.ts';
import { DomainError } from '../platform/basics/errors.ts';
import { createPace } from '../platform/basics/next-turn.ts';
import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';
import { UnreadableOtlp } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';
import {
  type ExportKind,
  emptySummary,
  type OtlpEncoding,
  type OtlpSummary,
  walkOtlp,
} from './read-request.ts';

export interface OtlpBody {
  body: Uint8Array;
  kind: ExportKind;
  encoding: OtlpEncoding;
}

/** What a decoding thread is asked: to decode a body, or for the next batch of its signals. */
export type DecodeRequest = OtlpBody | 'next';
export type DecodeReply = { summary: OtlpSummary } | { unreadable: string };

/** A decoded request whose signals come in batches that `recordSignals` takes; the last one is empty. */
export interface Decoded {
  summary: OtlpSummary;
  nextBatch: () => Promise<PostedSignal[]>;
}

/** Larger bodies are decoded by a thread of their own: they would hold the event loop. */
const DECODED_HERE_BYTES = 256 * 1_024;
const MOST_THREADS = 2;
/** Large bodies that may wait in memory for a thread. */
const MOST_WAITING = 6;
/** Large bodies of one organization at a time, so that those of others find a place. */
const MOST_OF_ONE = 4;
/** A thread that nobody needs for so long is ended, and its memory with it. */
const IDLE_MS = 30_000;

/**
 * Decodes a request and hands it to `use`. Throws `UnreadableOtlp`, and `overloaded` when too many large bodies wait, of
 * all organizations or of this one.
 */
export async function withDecoded<Result>(
  ctx: Context,
  orgId: string,
  request: OtlpBody,
  use: (decoded: Decoded) => Promise<Result>,
): Promise<Result> {
  if (request.body.byteLength <= DECODED_HERE_BYTES) return use(await decodeHere(request));
  const pool = pools(ctx);
  const held = pool.held.get(orgId) ?? 0;
  if (held >= MOST_OF_ONE) throw tooMany();
  pool.held.set(orgId, held + 1);
  try {
    const thread = await enter(pool, orgId);
    try {
      return await use(await decodeThere(thread, request));
    } finally {
      leave(pool, orgId, thread);
    }
  } finally {
    const left = (pool.held.get(orgId) ?? 1) - 1;
    if (left > 0) pool.held.set(orgId, left);
    else pool.held.delete(orgId);
  }
}

function tooMany(): DomainError {
  return new DomainError('overloaded', 'Too many large bodies are being decoded. Try again.');
}

/** At a pace that holds nobody up: 256 KiB may hold 130,000 empty records. */
async function decodeHere({ body, kind, encoding }: OtlpBody): Promise<Decoded> {
  const pace = createPace();
  const signals: PostedSignal[] = [];
  const summary = emptySummary();
  for (const some of walkOtlp(body, kind, encoding, summary)) {
    signals.push(...some);
    await pace();
  }
  return { summary, nextBatch: async () => signals.splice(0, SIGNALS_PER_REQUEST) };
}

async function decodeThere(thread: Thread, request: OtlpBody): Promise<Decoded> {
  const reply = (await thread.ask(request, [request.body.buffer as ArrayBuffer])) as DecodeReply;
  if ('unreadable' in reply) throw new UnreadableOtlp(reply.unreadable);
  return {
    summary: reply.summary,
    nextBatch: async () => deserialize((await thread.ask('next')) as Uint8Array) as PostedSignal[],
  };
}

interface Thread {
  /** The thread's answer to one request; it is asked one thing at a time. */
  ask(request: DecodeRequest, transfer?: ArrayBuffer[]): Promise<unknown>;
  isDead(): boolean;
  idle(): void;
}

interface Pool {
  free: Thread[];
  /** Organizations that have a thread each. One that records much holds it for long: the other thread is for others. */
  served: Set<string>;
  waiting: { orgId: string; enter: () => void }[];
  /** Bodies that are decoded or wait, by organization. */
  held: Map<string, number>;
}

const pools = perContext((): Pool => ({ free: [], served: new Set(), waiting: [], held: new Map() }));

async function enter(pool: Pool, orgId: string): Promise<Thread> {
  if (pool.served.size >= MOST_THREADS || pool.served.has(orgId)) {
    if (pool.waiting.length >= MOST_WAITING) throw tooMany();
    await new Promise<void>((resolve) => pool.waiting.push({ orgId, enter: resolve }));
  } else pool.served.add(orgId);
  const known = pool.free.pop();
  if (known && !known.isDead()) return known;
  try {
    return startThread();
  } catch (error) {
    passOn(pool, orgId);
    throw error;
  }
}

function leave(pool: Pool, orgId: string, thread: Thread): void {
  if (!thread.isDead()) {
    thread.idle();
    pool.free.push(thread);
  }
  passOn(pool, orgId);
}

/** The place goes to whoever waits longest of those whose organization has none. */
function passOn(pool: Pool, orgId: string): void {
  pool.served.delete(orgId);
  const next = pool.waiting.findIndex((waiting) => !pool.served.has(waiting.orgId));
  const [taken] = next < 0 ? [] : pool.waiting.splice(next, 1);
  if (!taken) return;
  pool.served.add(taken.orgId);
  taken.enter();
}

/**
 * What a thread may take for young objects. Of a record hardly anything outlives it, so that more would only fill with what
 * is dead: with V8's own limit a body of 16 MiB took 20 MiB more, and no less time.
 */
const YOUNG_MIB = 8;

/** A thread that keeps no process alive. */
function startThread(): Thread {
  const worker = new Worker(new URL('./decode-worker.ts', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
  });
  worker.unref();
  let isDead = false;
  let asked: PromiseWithResolvers<unknown> | null = null;
  let ending: NodeJS.Timeout | undefined;
  worker.on('message', (reply: unknown) => asked?.resolve(reply));
  worker.on('error', (error) => {
    // It ends soon: nobody may be given it meanwhile.
    isDead = true;
    asked?.reject(error);
  });
  worker.on('exit', () => {
    isDead = true;
    asked?.reject(new Error('The decoding thread has ended'));
  });
  return {
    ask: (request, transfer = []) => {
      clearTimeout(ending);
      asked = Promise.withResolvers<unknown>();
      worker.postMessage(request, transfer);
      return asked.promise;
    },
    isDead: () => isDead,
    idle: () => {
      ending = setTimeout(() => {
        isDead = true;
        void worker.terminate();
      }, IDLE_MS);
      ending.unref();
    },
  };
}
