import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
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

test('commands of one turn leave in one write', async () => {
  gatherWrites(client, { waits: false });
  const pongs = Promise.all(Array.from({ length: 10 }, () => client.ping()));
  await until(async () => arrived() === 10);
  expect(chunks).toEqual([10]);
  answer(10);
  expect(await pongs).toHaveLength(10);
});

test('commands wait for an earlier answer, and leave together when it comes', async () => {
  gatherWrites(client, { waits: true });
  const first = client.ping();
  await until(async () => arrived() === 1);
  const later = [client.ping()];
  await nextTurn();
  later.push(client.ping());
  await nextTurn();
  answer(1);
  await first;
  await until(async () => arrived() === 3);
  expect(chunks).toEqual([1, 2]);
  answer(2);
  expect(await Promise.all(later)).toEqual(['PONG', 'PONG']);
});

test('so many commands wait and no more, though no answer comes', async () => {
  gatherWrites(client, { waits: true });
  const pongs = Array.from({ length: 40 }, () => client.ping());
  await until(async () => arrived() === 32);
  answer(32);
  await until(async () => arrived() === 40);
  answer(8);
  expect(await Promise.all(pongs)).toHaveLength(40);
});

test('a command beside a pipeline waits for neither', async () => {
  gatherWrites(client, { waits: true });
  const before = client.ping();
  const pipeline = client.pipeline().ping().ping().exec();
  const after = client.ping();
  await until(async () => arrived() === 3);
  answer(3);
  await until(async () => arrived() === 4);
  answer(1);
  expect(await Promise.all([before, pipeline, after])).toHaveLength(3);
});
