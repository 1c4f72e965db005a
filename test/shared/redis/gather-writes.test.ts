import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gatherWrites } from '../../../shared/redis/gather-writes.ts';
import { until } from '../../harness.ts';

/** Stands for Redis: keeps what arrives, by chunk, and answers when it is told to. */
let server: Server;
let connection: Socket;
let client: Redis;
const chunks: number[] = [];

beforeEach(async () => {
  chunks.length = 0;
  server = createServer((socket) => {
    connection = socket;
    socket.on('data', (chunk) => chunks.push(String(chunk).match(/PING/gi)?.length ?? 0));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  client = new Redis({
    port,
    protocol: 2,
    enableReadyCheck: false,
    disableClientInfo: true,
    retryStrategy: null,
  });
  await once(client, 'ready');
});

afterEach(() => {
  client.disconnect();
  connection.destroy();
  server.close();
});

const arrived = () => chunks.reduce((sum, count) => sum + count, 0);

function answer(count: number): void {
  connection.write('+PONG\r\n'.repeat(count));
}

test('commands of one turn leave in one write, those of a pipeline among them', async () => {
  gatherWrites(client);
  const before = client.ping();
  const pipeline = client.pipeline().ping().ping().exec();
  const after = Array.from({ length: 10 }, () => client.ping());
  await until(async () => arrived() === 13);
  expect(chunks).toEqual([13]);
  answer(13);
  expect(await Promise.all([before, ...after])).toEqual(Array(11).fill('PONG'));
  expect(await pipeline).toEqual(Array(2).fill([null, 'PONG']));
});

test('a command of a later turn leaves though no answer has come', async () => {
  gatherWrites(client);
  const pongs = [client.ping()];
  await until(async () => arrived() === 1);
  pongs.push(client.ping());
  await until(async () => arrived() === 2);
  answer(2);
  expect(await Promise.all(pongs)).toEqual(['PONG', 'PONG']);
});
