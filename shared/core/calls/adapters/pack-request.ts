import { deserialize, serialize } from 'node:v8';
import { SIGNALS_PER_REQUEST } from '../../../platform/basics/contract.ts';
import type { OtlpBody } from './otlp/read-records.ts';
import { UnreadableOtlp } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';
import { emptySummary, type OtlpSummary, walkOtlp } from './read-request.ts';

/**
 * The most that the packed signals of a body take, as a multiple of its bytes. Those of real tools take less than twice:
 * more comes from records of a few bytes which inherit all else.
 */
const MOST_GROWTH = 8;

/** The signals of a request in batches that `recordSignals` takes. Full ones are packed: as objects they take as much again. */
export interface PackedRequest {
  summary: OtlpSummary;
  packed: Uint8Array[];
  rest: PostedSignal[];
}

/** Decodes a request. Yields after each record, so that the caller can pause. Throws `UnreadableOtlp`. */
export function* packRequest(request: OtlpBody): Generator<undefined, PackedRequest> {
  const packed: Uint8Array[] = [];
  const rest: PostedSignal[] = [];
  const summary = emptySummary();
  const mostBytes = MOST_GROWTH * request.body.byteLength;
  let bytes = 0;
  for (const signals of walkOtlp(request, summary)) {
    rest.push(...signals);
    if (rest.length >= SIGNALS_PER_REQUEST) {
      const batch = serialize(rest.splice(0, SIGNALS_PER_REQUEST));
      packed.push(batch);
      bytes += batch.byteLength;
      if (bytes > mostBytes)
        throw new UnreadableOtlp(
          `The signals of the body take more than ${MOST_GROWTH} times its bytes. Send smaller batches.`,
        );
    }
    yield;
  }
  return { summary, packed, rest };
}

/** The batches of a packed request, in order. Each is unpacked, and forgotten, when it is asked for. */
export function* unpackBatches({ packed, rest }: PackedRequest): Generator<PostedSignal[]> {
  for (let batch = packed.shift(); batch; batch = packed.shift()) yield deserialize(batch) as PostedSignal[];
  if (rest.length > 0) yield rest;
}
