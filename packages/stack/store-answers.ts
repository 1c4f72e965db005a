import { Redis } from 'ioredis';
import mongoose, { type mongo } from 'mongoose';

/** True when the server takes writes. Never throws: a server that is still starting is an ordinary answer. */
export async function answersMongo(url: string): Promise<boolean> {
  return await askMongo(url, async (admin) => (await admin.command({ hello: 1 })).isWritablePrimary === true);
}

/** True when the server answers and has read its data. */
export async function answersRedis(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}

/**
 * Makes a mongod on 127.0.0.1 the primary of its own replica set of one, and tells whether it is. A set that was made on
 * another port is told its new address (by force: there is no primary who could be asked).
 */
export async function electMongod(port: number, set: string): Promise<boolean> {
  return await askMongo(`mongodb://127.0.0.1:${port}/?directConnection=true`, async (admin) => {
    const hello = await admin.command({ hello: 1 });
    if (hello.isreplicaset !== true) return hello.isWritablePrimary === true;
    const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
    const created = await succeeds(admin.command({ replSetInitiate: { _id: set, members } }));
    if (!created) await moveReplicaSet(admin, members);
    return false;
  });
}

async function moveReplicaSet(admin: mongo.Admin, members: { _id: number; host: string }[]): Promise<void> {
  const { config } = await admin.command({ replSetGetConfig: 1 });
  const moved = { ...config, version: config.version + 1, members };
  await admin.command({ replSetReconfig: moved, force: true });
}

async function askMongo(url: string, ask: (admin: mongo.Admin) => Promise<boolean>): Promise<boolean> {
  const client = new mongoose.mongo.MongoClient(url, {
    serverSelectionTimeoutMS: 1000,
    connectTimeoutMS: 1000,
  });
  try {
    await client.connect();
    return await ask(client.db().admin());
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

async function succeeds(command: Promise<unknown>): Promise<boolean> {
  return await command.then(
    () => true,
    () => false,
  );
}
