import type { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMongo } from '../../../shared/platform/mongo/connect.ts';
import { killChild } from '../../support/drills/child.ts';
import { startOwnMongo } from '../../support/drills/own-mongo.ts';
import { beginOn, type OpenFace, type OpenTransaction, openFace } from '../../support/mongod-face.ts';

let open: OpenFace;
let client: mongo.MongoClient;
beforeAll(async () => {
  open = await openFace();
  ({ client } = open);
  await client.db().collection('things').insertOne({ n: 0 });
});
afterAll(() => open.close());

const begin = (id: string) => beginOn(client, id);

/** The answer to a command of a transaction that does not go on: the driver may run it again. */
const aborted = (code: number) => ({ code, errorLabels: ['TransientTransactionError'] });
const abort = (...begun: OpenTransaction[]) =>
  Promise.all(begun.map(({ session }) => session.abortTransaction()));

test('a client finds a MongoDB 8 that is the primary of its set at the address of the face', async () => {
  const db = await connectMongo(`mongodb://127.0.0.1:${open.face.port}/${client.db().databaseName}`);
  const hello = await db.database.command({ hello: 1 });
  expect(db.isEmbedded).toBe(false);
  expect([hello.me, hello.primary, hello.hosts]).toEqual([
    `127.0.0.1:${open.face.port}`,
    `127.0.0.1:${open.face.port}`,
    [`127.0.0.1:${open.face.port}`],
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

test('a write to a row that another open transaction holds is a conflict at once, and then finds itself aborted', async () => {
  const first = await begin('over');
  await first.write();
  const second = await begin('over');
  await expect(second.write()).rejects.toMatchObject(aborted(112));
  await expect(second.things.findOne({}, { session: second.session })).rejects.toMatchObject(aborted(251));
  await abort(first, second);
});

test('a conflict of a bulkWrite of several collections fails the whole command', async () => {
  const first = await begin('bulk');
  await first.write();
  const second = await begin('bulk');
  const { session } = second;
  const namespace = `${client.db().databaseName}.things`;
  const models = [
    { name: 'updateOne' as const, namespace, filter: { _id: 'bulk' }, update: { $inc: { n: 1 } } },
  ];
  const error = await client
    .bulkWrite(models as unknown as mongo.AnyClientBulkWriteModel<mongo.Document>[], { session })
    .catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ cause: aborted(112), writeErrors: new Map() });
  await abort(first, second);
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
  const row = { _id: 'taken', n: 1 };
  await client.db().collection<typeof row>('things').insertOne(row);
  const { things, session, write } = await begin('taken');
  await expect(things.insertOne(row, { session })).rejects.toMatchObject({ code: 11000 });
  await expect(write()).rejects.toMatchObject({ code: 251 });
  await session.abortTransaction();
});

test('a transaction whose session was ended holds no row, and each further command of it finds it aborted', async () => {
  const first = await begin('ended');
  await first.write();
  await killSessions(first.session);
  const second = await begin('ended');
  await second.write();
  await second.session.commitTransaction();
  await expect(first.write()).rejects.toMatchObject(aborted(251));
  await abort(first);
  expect(await second.things.findOne({ _id: 'ended' })).toEqual({ _id: 'ended', n: 1 });
});

test('a command whose session is ended while it runs is interrupted, without a label', async () => {
  const paused = await openFace({ pauseEvery: 2, pauseMs: 500 });
  const { session, write, things } = await beginOn(paused.client, 'running');
  const running = write().catch((error: unknown) => error);
  await killSessions(session, paused.client);
  const error = await running;
  expect(error).toMatchObject({ code: 11601 });
  expect((error as mongo.MongoServerError).errorLabels).toEqual([]);
  await session.abortTransaction();
  expect(await things.countDocuments({})).toBe(0);
  await paused.close();
});

test('a transaction that is a minute old is ended for the first who comes', async () => {
  let nowMs = 0;
  const aging = await openFace({ now: () => nowMs });
  const old = await beginOn(aging.client, 'old');
  await old.write();
  nowMs = 59_999;
  const early = await beginOn(aging.client, 'old');
  await expect(early.write()).rejects.toMatchObject({ code: 112 });
  nowMs = 60_000;
  const late = await beginOn(aging.client, 'old');
  await late.write();
  await late.session.commitTransaction();
  await expect(old.write()).rejects.toMatchObject({ code: 251 });
  await abort(old, early);
  await aging.close();
});

test('two commands of one transaction at once: the second one is refused', async () => {
  const paused = await openFace({ pauseEvery: 2, pauseMs: 200 });
  const { session, write, things } = await beginOn(paused.client, 'both');
  const first = write().catch((error: unknown) => error);
  await expect(things.findOne({ _id: 'both' }, { session })).rejects.toMatchObject({ code: 117 });
  await first;
  await session.abortTransaction();
  await paused.close();
});

test('a database is dropped once no transaction uses it', async () => {
  const used = await openFace();
  const { session, write, things } = await beginOn(used.client, 'kept');
  await write();
  const dropped = used.client.db().dropDatabase();
  await expect(write()).resolves.toMatchObject({ modifiedCount: 1 });
  await session.commitTransaction();
  await dropped;
  expect(await things.countDocuments({})).toBe(0);
  await used.close();
});

test('a store that was killed and is back has no transaction of before', async () => {
  const mongo = await startOwnMongo({ fast: true });
  const own = await openFace({ target: Number(new URL(mongo.url).port) });
  const before = await beginOn(own.client, 'held');
  await before.write();
  await killChild(mongo.child());
  await mongo.restart();
  const after = await beginOn(own.client, 'held');
  await after.write();
  await after.session.commitTransaction();
  await expect(before.write()).rejects.toMatchObject({ code: 251 });
  await abort(before);
  await own.close();
  await mongo.stop();
});

/** By a session of its own, as another process does it. */
async function killSessions(session: mongo.ClientSession, by = client): Promise<void> {
  await by.db('admin').command({ killSessions: [session.id] });
}
