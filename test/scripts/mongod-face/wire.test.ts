import { expect, test } from 'vitest';
import { readCommand, readFrames, writeCommand } from '../../../scripts/mongod-face/wire.ts';

const message = (id: number, text: string) => writeCommand(id, { insert: 'things', text });

test.each([1, 7, 16, 100, 10_000])(
  'messages that come in parts of %i bytes are read whole and in order',
  (size) => {
    const stream = Buffer.concat([message(1, 'a'.repeat(300)), message(2, ''), message(3, 'b')]);
    const seen: unknown[] = [];
    const take = readFrames((frame) =>
      seen.push([readCommand(frame)?.requestId, readCommand(frame)?.body.text]),
    );
    for (let at = 0; at < stream.length; at += size) take(stream.subarray(at, at + size));
    expect(seen).toEqual([
      [1, 'a'.repeat(300)],
      [2, ''],
      [3, 'b'],
    ]);
  },
);
