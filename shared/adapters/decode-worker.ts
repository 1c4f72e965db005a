import { parentPort } from 'node:worker_threads';
import type { DecodeReply, DecodeRequest } from './decode.ts';
import { UnreadableOtlp } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';
import { readOtlp } from './read-request.ts';

/**
 * The thread that decodes a large body. It answers a body with what is in it, then each `next` with a batch of its
 * signals, so that the api never holds its event loop for more than one batch.
 */
const port = parentPort;
if (!port) throw new Error('decode-worker.ts runs as a worker thread');

let waiting: PostedSignal[] = [];

port.on('message', (request: DecodeRequest) => {
  if ('next' in request) port.postMessage(waiting.splice(0, request.next));
  else port.postMessage(decode(request));
});

function decode({ body, kind, encoding }: Exclude<DecodeRequest, { next: number }>): DecodeReply {
  waiting = [];
  try {
    const { signals, ...summary } = readOtlp(body, kind, encoding);
    waiting = signals;
    return { summary };
  } catch (error) {
    if (error instanceof UnreadableOtlp) return { unreadable: error.message };
    throw error;
  }
}
