import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type FaceOptions, type MongodFace, startMongodFace } from '../../../scripts/mongod-face/face.ts';
import { connectMongo } from '../../../shared/platform/mongo/connect.ts';

const database = `face${process.pid}`;
const opened: (() => Promise<void>)[] = [];
let face: MongodFace;
let client: mongo.MongoClient;

async function openFace(options: Omit<FaceOptions, 'target'> = {}) {
  const target = Number(new URL(inject('mongoUrl')).port);
  const started = await startMongodFace({ target, ...options });
  const url = `mongodb://127.0.0.1:${started.port}/${database}?directConnection=true`;
  const own = await mongo.MongoClient.connect(url);
  opened.push(async () => {
    await own.close();
    await started.stop();
  });
  return { started, own, url };
}

beforeAll(async () => {
  const { started, own } = await openFace();
  face = started;
  client = own;
  await own.db().collection('things').insertOne({ n: 0 });
});
afterAll(async () => {
  await client.db().dropDatabase();
  await Promise.all(opened.map((close) => close()));
});

/** A transaction that has read, and writes one row. */
async function begin(id: string, on = client) {
  const session = on.startSession();
  session.startTransaction();
  const things = on.db().collection<{ _id: string; n: number }>('things');
  await things.findOne({ _id: id }, { session });
  const write = () => things.updateOne({ _id: id }, { $inc: { n: 1 } }, { upsert: true, session });
  return { session, write, things };
}

test('a client finds a MongoDB 8 that is the primary of its set at the address of the face', async () => {
  const db = await connectMongo(`mongodb://127.0.0.1:${face.port}/${database}`);
  const hello = await db.database.command({ hello: 1 });
  expect(db.isEmbedded).toBe(false);
  expect([hello.me, hello.primary, hello.hosts]).toEqual([
    `127.0.0.1:${face.port}`,
    `127.0.0.1:${face.port}`,
    [`127.0.0.1:${face.port}`],
  ]);
  await db.connection.close();
});

test('a transaction that reads a row with a code of its own goes on', async () => {
  await client.db().collection('coded').insertOne({ code: null });
  const { session, things, write } = await begin('coded');
  const rows = await client.db().collection('coded').find({}, { session }).toArray();
  expect(rows).toHaveLength(1);
  await write();
  await session.commitTransaction();
  expect(await things.findOne({ _id: 'coded' })).toMatchObject({ n: 1 });
});

test('a write to a row that another open transaction holds is a conflict at once', async () => {
  const first = await begin('held');
  await first.write();
  const second = await begin('held');
  const error = await second.write().catch((thrown: mongo.MongoServerError) => thrown);
  expect(error).toMatchObject({ code: 112, errorLabels: ['TransientTransactionError'] });
  await first.session.abortTransaction();
  await second.session.abortTransaction();
});

test('after a conflict each further command of the transaction finds it aborted', async () => {
  const first = await begin('over');
  await first.write();
  const second = await begin('over');
  await expect(second.write()).rejects.toMatchObject({ code: 112 });
  await expect(second.things.findOne({}, { session: second.session })).rejects.toMatchObject({
    code: 251,
    errorLabels: ['TransientTransactionError'],
  });
  await first.session.abortTransaction();
  await second.session.abortTransaction();
});

test('a conflict of a bulkWrite of several collections fails the whole command', async () => {
  const first = await begin('bulk');
  await first.write();
  const { session } = await begin('bulk');
  const namespace = `${database}.things`;
  const models = [
    { name: 'updateOne' as const, namespace, filter: { _id: 'bulk' }, update: { $inc: { n: 1 } } },
  ];
  const error = await client
    .bulkWrite(models as unknown as mongo.AnyClientBulkWriteModel<mongo.Document>[], { session })
    .catch((thrown: Error) => thrown);
  expect(error).toMatchObject({
    cause: { code: 112, errorLabels: ['TransientTransactionError'] },
    writeErrors: new Map(),
  });
  await first.session.abortTransaction();
  await session.abortTransaction();
});

test('a row is free once the transaction that held it has committed', async () => {
  const first = await begin('free');
  await first.write();
  await first.session.commitTransaction();
  const second = await begin('free');
  await second.write();
  await second.session.commitTransaction();
  expect(await second.things.findOne({ _id: 'free' })).toEqual({ _id: 'free', n: 2 });
});

test('a taken key aborts the transaction in which it is met', async () => {
  const { things, session } = await begin('taken');
  await things.insertOne({ _id: 'taken', n: 1 });
  const other = await begin('taken');
  await expect(things.insertOne({ _id: 'taken', n: 1 }, { session: other.session })).rejects.toMatchObject({
    code: 11000,
  });
  await expect(other.write()).rejects.toMatchObject({ code: 251 });
  await other.session.abortTransaction();
  await session.abortTransaction();
});

test('every second write in a transaction meets a conflict when so asked', async () => {
  const { own } = await openFace({ conflictEvery: 2 });
  const first = await begin('nth', own);
  await first.write();
  await expect(first.write()).rejects.toMatchObject({ code: 112 });
  await first.session.abortTransaction();
});

test.each([10107, 11602, 189] as const)('an election fails a command with %i when so asked', async (code) => {
  const { own } = await openFace({ stepDownEvery: 2, stepDownCode: code });
  const { write, session } = await begin('election', own);
  await expect(write()).rejects.toMatchObject({ code, errorLabels: ['TransientTransactionError'] });
  await session.endSession();
});

test('a commit whose answer is lost has happened, and the driver asks for it again', async () => {
  const { own } = await openFace({ loseCommitEvery: 2 });
  for (const id of ['kept', 'lost']) {
    const { write, session, things } = await begin(id, own);
    await write();
    await session.commitTransaction();
    expect(await things.findOne({ _id: id })).toEqual({ _id: id, n: 1 });
  }
});
