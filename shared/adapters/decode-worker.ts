import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { DecodeReply, DecodeRequest, OtlpBody } from './decode.ts';
import { UnreadableOtlp } from './otlp/record.ts';
import { type PackedSignals, packSignals } from './pack-signals.ts';
import { emptySummary, walkOtlp } from './read-request.ts';

/**
 * The thread that decodes a large body. It answers a body with what is in it, then each `next` with a batch of its
 * signals, so that the api never holds its event loop for more than one batch; an empty one is the last.
 */
const port = parentPort;
if (!port) throw new Error('decode-worker.ts runs as a worker thread');

let waiting: PackedSignals[] = [];

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
  const packer = packSignals(body.byteLength);
  const summary = emptySummary();
  try {
    for (const signals of walkOtlp(body, kind, encoding, summary)) packer.add(signals);
    const { packed, rest } = packer.finish();
    waiting = [...packed, serialize(rest)];
    return { summary };
  } catch (error) {
    if (error instanceof UnreadableOtlp) return { unreadable: error.message };
    throw error;
  } finally {
    // Its memory goes now, and not when the collector comes by: what follows needs as much.
    (body.buffer as ArrayBuffer).transfer(0);
  }
}
