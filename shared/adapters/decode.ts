import { Worker } from 'node:worker_threads';
import { DomainError } from '../platform/basics/errors.ts';
import { createPace } from '../platform/basics/next-turn.ts';
import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';
import { UnreadableOtlp } from './otlp/record.ts';
import { packSignals, unpackSignals } from './pack-signals.ts';
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
/** 16 MiB take one second. */
const DECODE_MS = 10_000;
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
    const thread = await enter(ctx, pool, orgId);
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
  const packer = packSignals(body.byteLength);
  const summary = emptySummary();
  for (const signals of walkOtlp(body, kind, encoding, summary)) {
    packer.add(signals);
    await pace();
  }
  const { packed, rest } = packer.finish();
  const nextBatch = async () => {
    const batch = packed.shift();
    return batch ? unpackSignals(batch) : rest.splice(0);
  };
  return { summary, nextBatch };
}

async function decodeThere(thread: Thread, request: OtlpBody): Promise<Decoded> {
  const reply = (await inTime(thread, request)) as DecodeReply;
  if ('unreadable' in reply) throw new UnreadableOtlp(reply.unreadable);
  return {
    summary: reply.summary,
    nextBatch: async () => unpackSignals((await thread.ask('next')) as Uint8Array),
  };
}

/** The thread's answer to a body. After `DECODE_MS` throws `overloaded` and ends the thread: nothing was written yet. */
async function inTime(thread: Thread, request: OtlpBody): Promise<unknown> {
  const late = setTimeout(() => {
    const detail = `The body could not be decoded within ${DECODE_MS / 1_000} s. Nothing was written.`;
    thread.end(new DomainError('overloaded', detail));
  }, DECODE_MS);
  try {
    return await thread.ask(request, [request.body.buffer as ArrayBuffer]);
  } finally {
    clearTimeout(late);
  }
}

interface Thread {
  /** The thread's answer to one request; it is asked one thing at a time. */
  ask(request: DecodeRequest, transfer?: ArrayBuffer[]): Promise<unknown>;
  isDead(): boolean;
  /** Ends it, and fails what it was asked. */
  end(error: Error): void;
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

async function enter(ctx: Context, pool: Pool, orgId: string): Promise<Thread> {
  if (pool.served.size >= MOST_THREADS || pool.served.has(orgId)) {
    if (pool.waiting.length >= MOST_WAITING) throw tooMany();
    await new Promise<void>((resolve) => pool.waiting.push({ orgId, enter: resolve }));
  } else pool.served.add(orgId);
  const known = pool.free.pop();
  if (known && !known.isDead()) return known;
  try {
    return startThread(ctx.config.otlpBodyBytes);
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
/** The heap of old objects in MiB: the code, and ten times the largest body. A thread that needs more ends, and its request fails. */
const oldMib = (bodyBytes: number) => 96 + Math.ceil((10 * bodyBytes) / 2 ** 20);

/** A thread that keeps no process alive. */
function startThread(bodyBytes: number): Thread {
  const worker = new Worker(new URL('./decode-worker.ts', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB, maxOldGenerationSizeMb: oldMib(bodyBytes) },
  });
  worker.unref();
  let isDead = false;
  let asked: PromiseWithResolvers<unknown> | null = null;
  let ending: NodeJS.Timeout | undefined;
  const fail = (error: Error) => {
    // It ends soon: nobody may be given it meanwhile.
    isDead = true;
    asked?.reject(error);
  };
  const end = (error: Error) => {
    fail(error);
    void worker.terminate();
  };
  worker.on('message', (reply: unknown) => asked?.resolve(reply));
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('The decoding thread has ended')));
  return {
    ask: (request, transfer = []) => {
      clearTimeout(ending);
      asked = Promise.withResolvers<unknown>();
      worker.postMessage(request, transfer);
      return asked.promise;
    },
    isDead: () => isDead,
    end,
    idle: () => {
      ending = setTimeout(() => end(new Error('The decoding thread was idle')), IDLE_MS);
      ending.unref();
    },
  };
}
