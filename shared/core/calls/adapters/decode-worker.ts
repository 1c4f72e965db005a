import { parentPort } from 'node:worker_threads';
import type { DecodeReply } from './decode.ts';
import type { OtlpBody } from './otlp/read-records.ts';
import { UnreadableOtlp } from './otlp/record.ts';
import { packRequest } from './pack-request.ts';

/** The thread that decodes large bodies. It hands over the packed signals of a body without copying them. */
const port = parentPort;
if (!port) throw new Error('decode-worker.ts runs as a worker thread');

port.on('message', (request: OtlpBody) => {
  const reply = decode(request);
  port.postMessage(reply, 'packed' in reply ? reply.packed.map(({ buffer }) => buffer as ArrayBuffer) : []);
});

function decode(request: OtlpBody): DecodeReply {
  const walk = packRequest(request);
  try {
    for (;;) {
      const step = walk.next();
      if (step.done) return step.value;
    }
  } catch (error) {
    if (error instanceof UnreadableOtlp) return { unreadable: error.message };
    throw error;
  } finally {
    // Frees the body now and not at the next collection: the next body needs as much.
    (request.body.buffer as ArrayBuffer).transfer(0);
  }
}
