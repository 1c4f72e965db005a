import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { move, Piscina, transferableSymbol, valueSymbol } from 'piscina';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { perContext } from '../../../platform/context/per-context.ts';
import type { OtlpBody } from './otlp/read-records.ts';
import { UnreadableOtlp } from './otlp/record.ts';
import { type PackedRequest, packRequest } from './pack-request.ts';

/** The answer of a decoding thread to a body. */
export type DecodeReply = PackedRequest | { unreadable: string };

/** Larger bodies are decoded by a thread of their own: they would hold the event loop. */
const DECODED_HERE_BYTES = 256 * 1_024;
/** Records of a small body between two turns of the event loop: 256 KiB may hold 130,000 empty ones. */
const RECORDS_PER_TURN = 1_000;
/** Large bodies that are decoded and recorded at a time, each of another organization. */
const MOST_SERVED = 2;
/** Large bodies that may wait in memory for their turn. */
const MOST_WAITING = 6;
/** Large bodies of one organization at a time, so that those of others find a place. */
const MOST_OF_ONE = 4;
/** 16 MiB take one second. */
const DECODE_MS = 10_000;
/** An idle thread is ended after so long, which frees its memory. */
const IDLE_MS = 30_000;

/** A large body that is decoded and recorded, or waits for it. */
interface Place {
  orgId: string;
  isServed: boolean;
  serve: () => void;
}

const states = perContext(() => ({
  /** In the order in which they came. */
  places: [] as Place[],
  threads: null as Piscina<unknown, DecodeReply> | null,
}));

/**
 * Decodes a request and hands it to `use`. Throws `UnreadableOtlp`, and `overloaded` when too many large bodies wait, of
 * all organizations or of this one.
 */
export async function withDecoded<Result>(
  ctx: Context,
  orgId: string,
  request: OtlpBody,
  use: (decoded: PackedRequest) => Promise<Result>,
): Promise<Result> {
  if (request.body.byteLength <= DECODED_HERE_BYTES) return use(await decodeHere(request));
  const { places } = states(ctx);
  const held = places.filter((place) => place.orgId === orgId).length;
  if (held >= MOST_OF_ONE || places.length >= MOST_SERVED + MOST_WAITING)
    throw new DomainError('overloaded', 'Too many large bodies are being decoded. Try again.');
  const { promise: turn, resolve: serve } = Promise.withResolvers<void>();
  const place = { orgId, isServed: false, serve };
  places.push(place);
  serveNext(places);
  try {
    await turn;
    return await use(await decodeThere(ctx, request));
  } finally {
    places.splice(places.indexOf(place), 1);
    serveNext(places);
  }
}

/**
 * Serves the body that has waited longest among those of organizations without a served one. Recording may take long, so one
 * organization never has both turns.
 */
function serveNext(places: readonly Place[]): void {
  const served = new Set(places.filter(({ isServed }) => isServed).map(({ orgId }) => orgId));
  const next = places.find(({ orgId, isServed }) => !isServed && !served.has(orgId));
  if (!next || served.size >= MOST_SERVED) return;
  next.isServed = true;
  next.serve();
}

async function decodeHere(request: OtlpBody): Promise<PackedRequest> {
  const walk = packRequest(request);
  for (let records = 1; ; records += 1) {
    const step = walk.next();
    if (step.done) return step.value;
    if (records % RECORDS_PER_TURN === 0) await setImmediate();
  }
}

/** A thread that fails or takes too long is ended; nothing of its body was written. */
async function decodeThere(ctx: Context, request: OtlpBody): Promise<PackedRequest> {
  const held = states(ctx);
  held.threads ??= openThreads(ctx.config.otlpBodyBytes);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), DECODE_MS);
  try {
    const moved = move({ [transferableSymbol]: request.body.buffer, [valueSymbol]: request });
    const reply = await held.threads.run(moved, { signal: late.signal });
    if ('unreadable' in reply) throw new UnreadableOtlp(reply.unreadable);
    return reply;
  } catch (error) {
    if (!late.signal.aborted) throw error;
    const detail = `The body could not be decoded within ${DECODE_MS / 1_000} s. Nothing was written.`;
    throw new DomainError('overloaded', detail);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Memory of a thread for young objects. Records are short-lived; a larger young generation would only cost memory: with V8's
 * own limit a body of 16 MiB took 20 MiB more, and no less time.
 */
const YOUNG_MIB = 8;
/** The heap of old objects in MiB: the code, and ten times the largest body. A thread that needs more ends, and its request fails. */
const oldMib = (bodyBytes: number) => 96 + Math.ceil((10 * bodyBytes) / 2 ** 20);

/** Starts no thread before the first large body; idle ones keep no process alive. */
function openThreads(bodyBytes: number): Piscina<unknown, DecodeReply> {
  return new Piscina({
    filename: fileURLToPath(new URL('./decode-worker.ts', import.meta.url)),
    name: 'decodeLarge',
    minThreads: 0,
    maxThreads: MOST_SERVED,
    idleTimeout: IDLE_MS,
    // A thread that waits blocks nothing, so that it can be ended.
    atomics: 'disabled',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB, maxOldGenerationSizeMb: oldMib(bodyBytes) },
  });
}
