import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { DecodeReply } from './decode.ts';
import type { OtlpBody } from './otlp/read-records.ts';
import { UnreadableOtlp } from './otlp/record.ts';
import { packRequest } from './pack-request.ts';

/** Decodes a large body in a thread of its own, and hands over its packed signals without copying them. */
export function decodeLarge(request: OtlpBody): unknown {
  const reply = decode(request);
  if (!('packed' in reply)) return reply;
  const buffers = reply.packed.map(({ buffer }) => buffer as ArrayBuffer);
  return move({ [transferableSymbol]: buffers, [valueSymbol]: reply });
}

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
