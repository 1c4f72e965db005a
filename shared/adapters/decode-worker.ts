import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { SIGNALS_PER_REQUEST } from '../platform/basics/contract.ts';
import type { DecodeReply, DecodeRequest, OtlpBody } from './decode.ts';
import { UnreadableOtlp } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';
import { emptySummary, walkOtlp } from './read-request.ts';

/**
 * The thread that decodes a large body. It answers a body with what is in it, then each `next` with a batch of its
 * signals, so that the api never holds its event loop for more than one batch; an empty one is the last. What waits is
 * packed: as objects the signals of 16 MiB would take as much again.
 */
const port = parentPort;
if (!port) throw new Error('decode-worker.ts runs as a worker thread');

let waiting: ReturnType<typeof serialize>[] = [];

port.on('message', (request: DecodeRequest) => {
  if (request !== 'next') {
    port.postMessage(decode(request));
    return;
  }
  const batch = waiting.shift() ?? serialize([]);
  port.postMessage(batch, [batch.buffer]);
});

function decode({ body, kind, encoding }: OtlpBody): DecodeReply {
  waiting = [];
  const batch: PostedSignal[] = [];
  const summary = emptySummary();
  try {
    for (const signals of walkOtlp(body, kind, encoding, summary)) {
      batch.push(...signals);
      if (batch.length < SIGNALS_PER_REQUEST) continue;
      waiting.push(serialize(batch.splice(0, SIGNALS_PER_REQUEST)));
    }
    if (batch.length > 0) waiting.push(serialize(batch));
    return { summary };
  } catch (error) {
    waiting = [];
    if (error instanceof UnreadableOtlp) return { unreadable: error.message };
    throw error;
  } finally {
    // Its memory goes now, and not when the collector comes by: what follows needs as much.
    (body.buffer as ArrayBuffer).transfer(0);
  }
}
