import { deserialize, serialize } from 'node:v8';
import { SIGNALS_PER_REQUEST } from '../platform/basics/contract.ts';
import { UnreadableOtlp } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';

export type PackedSignals = ReturnType<typeof serialize>;

/**
 * The most that the packed signals of a body take, as a multiple of its bytes. Those of real tools take less than twice:
 * more comes from records of a few bytes which inherit all else.
 */
const MOST_GROWTH = 8;

/** Signals of a body in batches that `recordSignals` takes, packed: as objects they would take as much again. */
export interface Packer {
  /** Throws `UnreadableOtlp` beyond `MOST_GROWTH`. */
  add(signals: readonly PostedSignal[]): void;
  /** The full batches in order, and what is left after them. */
  finish(): { packed: PackedSignals[]; rest: PostedSignal[] };
}

export function packSignals(bodyBytes: number): Packer {
  const packed: PackedSignals[] = [];
  const rest: PostedSignal[] = [];
  let bytes = 0;
  return {
    add: (signals) => {
      rest.push(...signals);
      if (rest.length < SIGNALS_PER_REQUEST) return;
      const batch = serialize(rest.splice(0, SIGNALS_PER_REQUEST));
      packed.push(batch);
      bytes += batch.byteLength;
      if (bytes > MOST_GROWTH * bodyBytes)
        throw new UnreadableOtlp(
          `The signals of the body take more than ${MOST_GROWTH} times its bytes. Send smaller batches.`,
        );
    },
    finish: () => ({ packed, rest }),
  };
}

export function unpackSignals(batch: Uint8Array): PostedSignal[] {
  return deserialize(batch) as PostedSignal[];
}
