import { mongo } from 'mongoose';
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

test('numbers keep their kind in a command that is sent on', () => {
  const frame = writeCommand(1, { insert: 'things', whole: new mongo.Double(1), part: 0.5 });
  expect(readCommand(frame)?.body).toMatchObject({ whole: 1, part: 0.5 });
  expect(readCommand(frame, true)?.body).toMatchObject({
    whole: new mongo.Double(1),
    part: new mongo.Double(0.5),
  });
});
