import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mongo } from 'mongoose';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { findFreePort, isPortOpen } from '../../../../packages/stack/ports.ts';
import { mongoServerCommand, planMongo } from '../../../../packages/stack/stores.ts';
import { connectMongo } from '../../../../shared/platform/mongo/connect.ts';
import { testEnv, until } from '../../../support/harness.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test('an address that cannot be used is told in one line, by the name of its variable', async () => {
  await expect(connectMongo('mongodb://a:b@c@127.0.0.1/governor')).rejects.toThrow(/^MONGODB_URL: .*$/);
});

test('a MongoDB without a replica set is refused at the start', async () => {
  const dir = temporaryFolder();
  const port = await findFreePort();
  const command = await mongoServerCommand();
  const { file, args } = planMongo(command, { port, dir, fast: true });
  const set = args.indexOf('--replSet');
  const server = spawn(file, set === -1 ? [...args, '--standalone'] : args.toSpliced(set, 2));
  await until(() => isPortOpen(port));
  await expect(connectMongo(`mongodb://127.0.0.1:${port}/governor`)).rejects.toThrow('rs.initiate()');
  const ended = once(server, 'exit');
  server.kill();
  await ended;
});

/** An address of the store of these tests, with options that its operator added. */
function urlWith(options: Record<string, string>): string {
  const url = new URL(testEnv('governor', { mongoUrl: inject('mongoUrl') }).MONGODB_URL);
  for (const [name, value] of Object.entries(options)) url.searchParams.set(name, value);
  return url.href;
}

describe('a MongoDB of the wrong version', () => {
  afterEach(() => vi.restoreAllMocks());

  test('is refused, with the version that it has and the oldest one that will do', async () => {
    vi.spyOn(mongo.Db.prototype, 'command').mockResolvedValue({ version: '7.0.14' });
    await expect(connectMongo(urlWith({}))).rejects.toThrow(/^MONGODB_URL: .* MongoDB 7\.0\.14\. .*8\.0\.4/);
  });

  test.each([
    [115, 'BulkWrite may not be run without featureFlagBulkWriteCommand enabled'],
    [59, "no such command: 'bulkWrite'"],
    [13, 'not authorized on governor to execute command'],
  ])('or setting or right is refused by its own answer (%i)', async (code, message) => {
    const cause = new mongo.MongoServerError({ message, code });
    const refusal = Object.assign(new mongo.MongoClientBulkWriteError({ message: 'failed' }), { cause });
    vi.spyOn(mongo.MongoClient.prototype, 'bulkWrite').mockRejectedValue(refusal);
    await expect(connectMongo(urlWith({}))).rejects.toThrow(
      `MONGODB_URL: that MongoDB refuses bulkWrite: ${message}. It must be 8.0.4`,
    );
  });
});

test('what an address says of reads loses: transactions work, and reads see what a majority has', async () => {
  const options = {
    readPreference: 'secondaryPreferred',
    readConcernLevel: 'local',
    w: '1',
    journal: 'false',
  };
  const db = await connectMongo(urlWith(options));
  const { readPreference, readConcern, writeConcern } = db.connection.getClient().options;
  await db.connection.close();
  expect(readPreference.mode).toBe('primary');
  expect(readConcern.level).toBe('majority');
  expect(writeConcern).toMatchObject({ w: 'majority', journal: true });
});

test('the size of the pool is that of the address, and else 20', async () => {
  const sizes: number[] = [];
  for (const options of [{}, { maxPoolSize: '7' }]) {
    const db = await connectMongo(urlWith(options));
    sizes.push(db.connection.getClient().options.maxPoolSize);
    await db.connection.close();
  }
  expect(sizes).toEqual([20, 7]);
});
