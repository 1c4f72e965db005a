import { once } from 'node:events';
import { connect } from 'node:net';
import { mongo } from 'mongoose';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { startFace } from '../../../packages/stack/stores.ts';
import type { FaceOptions } from '../../../scripts/mongod-face/face.ts';
import { faultsOfEnv } from '../../../scripts/mongod-face/faults.ts';
import {
  type Fields,
  readAnswer,
  readFrames,
  readResponseTo,
  writeCommand,
} from '../../../scripts/mongod-face/wire.ts';
import { beginOn, type OpenFace, openFace } from '../../support/mongod-face.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const opened: OpenFace[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(opened.splice(0).map(({ close }) => close()));
});

async function open(options: Partial<FaceOptions>, clientOptions: mongo.MongoClientOptions = {}) {
  const face = await openFace(options, clientOptions);
  opened.push(face);
  return face;
}

test('every second write in a transaction meets a conflict when so asked', async () => {
  const { client } = await open({ conflictEvery: 2 });
  const { write, session } = await beginOn(client, 'nth');
  await write();
  await expect(write()).rejects.toMatchObject({ code: 112 });
  await session.abortTransaction();
});

describe.each([10107, 11602, 189] as const)('an election that answers %i', (code) => {
  test('lets a transaction run again', async () => {
    const { client } = await open({ stepDownEvery: 2, stepDownCode: code });
    const { write, session } = await beginOn(client, 'election');
    await expect(write()).rejects.toMatchObject({ code, errorLabels: ['TransientTransactionError'] });
    await session.endSession();
  });

  test('lets a driver repeat a write of one row, which happens once', async () => {
    const { client } = await open({ stepDownEvery: 2, stepDownCode: code }, { monitorCommands: true });
    const failed: unknown[] = [];
    client.on('commandFailed', ({ failure }) => failed.push(failure));
    const things = client.db().collection<{ _id: string; n: number }>('things');
    await things.insertOne({ _id: 'once', n: 0 });
    await things.updateOne({ _id: 'once' }, { $inc: { n: 1 } });
    expect(failed).toEqual([expect.objectContaining({ code, errorLabels: ['RetryableWriteError'] })]);
    expect(await things.findOne({ _id: 'once' })).toEqual({ _id: 'once', n: 1 });
  });

  test('fails a write of many rows, which a driver may not repeat', async () => {
    const { client } = await open({ stepDownEvery: 1, stepDownCode: code });
    const things = client.db().collection('things');
    await expect(things.updateMany({}, { $set: { n: 1 } })).rejects.toMatchObject({ code, errorLabels: [] });
  });
});

test('a commit whose answer is lost has happened, and the driver asks for it again', async () => {
  const { client } = await open({ loseCommitEvery: 2 });
  for (const id of ['kept', 'lost']) {
    const { write, session, things } = await beginOn(client, id);
    await write();
    await session.commitTransaction();
    expect(await things.findOne({ _id: id })).toEqual({ _id: id, n: 1 });
  }
});

/** Sends all of the commands at once on one connection, and returns their answers in the order in which they came. */
async function sendTogether({ face, client }: OpenFace, commands: readonly Fields[]) {
  const socket = connect(face.port, '127.0.0.1');
  const answers: { to: number; answer: Fields }[] = [];
  const whole = new Promise<void>((resolve) => {
    const take = readFrames((frame) => {
      answers.push({ to: readResponseTo(frame), answer: readAnswer(frame) });
      if (answers.length === commands.length) resolve();
    });
    socket.on('data', take);
  });
  const own = { lsid: { id: new mongo.BSON.UUID() }, $db: client.db().databaseName };
  socket.write(Buffer.concat(commands.map((command, at) => writeCommand(at, { ...command, ...own }))));
  await whole;
  socket.destroy();
  await once(socket, 'close');
  return answers;
}

const insert = (_id: string) => ({ insert: 'things', documents: [{ _id }] });
const find = (filter: Fields = {}) => ({ find: 'things', filter });

test('a command that pauses holds up those behind it on its connection, and all are carried out', async () => {
  const paused = await open({ pauseEvery: 2, pauseMs: 100 });
  const answers = await sendTogether(paused, [insert('before'), find(), insert('behind')]);
  expect(answers.map(({ to }) => to)).toEqual([0, 1, 2]);
  expect(answers[1]?.answer).toMatchObject({ cursor: { firstBatch: [{ _id: 'before' }] } });
  expect(answers[2]?.answer).toMatchObject({ n: 1, ok: 1 });
});

test('commands that come together on one connection each get the answer to themselves', async () => {
  const face = await open({});
  const answers = await sendTogether(face, [insert('a'), find({ $or: [] }), find()]);
  const byRequest = answers.toSorted((a, b) => a.to - b.to).map(({ answer }) => answer);
  expect(byRequest).toEqual([
    expect.objectContaining({ n: 1, ok: 1 }),
    expect.objectContaining({ ok: 0, code: 2, codeName: 'BadValue' }),
    expect.objectContaining({ cursor: expect.objectContaining({ firstBatch: [{ _id: 'a' }] }) }),
  ]);
});

describe('the variables', () => {
  test('name each fault, and others of the environment are left alone', () => {
    const env = {
      MONGOD_FACE_CONFLICT_EVERY: '2',
      MONGOD_FACE_STEP_DOWN_EVERY: '3',
      MONGOD_FACE_STEP_DOWN_CODE: '189',
      MONGOD_FACE_LOSE_COMMIT_EVERY: '4',
      MONGOD_FACE_PAUSE_EVERY: '5',
      MONGOD_FACE_PAUSE_MS: '6',
      MONGOD_FACE: 'all',
      PATH: '/bin',
    };
    expect(faultsOfEnv(env)).toEqual({
      conflictEvery: 2,
      stepDownEvery: 3,
      stepDownCode: 189,
      loseCommitEvery: 4,
      pauseEvery: 5,
      pauseMs: 6,
    });
  });

  test('make no fault when they are absent or empty', () => {
    expect(faultsOfEnv({ MONGOD_FACE_PAUSE_EVERY: '' })).toEqual({ stepDownCode: 10107, pauseMs: 100 });
  });

  test.each([
    ['MONGOD_FACE_CONFLICTS_EVERY', '2'],
    ['MONGOD_FACE_CONFLICT_EVERY', '0'],
    ['MONGOD_FACE_STEP_DOWN_CODE', '112'],
  ])('%s=%s is refused by its name', (name, value) => {
    expect(() => faultsOfEnv({ [name]: value })).toThrow(name);
  });

  test('reach a face that is a process of its own', async () => {
    vi.stubEnv('MONGOD_FACE_CONFLICT_EVERY', '1');
    const face = await startFace(inject('mongoUrl'), temporaryFolder());
    const client = await mongo.MongoClient.connect(face.url);
    const { write, session } = await beginOn(client, 'stubbed');
    await expect(write()).rejects.toMatchObject({ code: 112 });
    await session.abortTransaction();
    await client.close();
    await face.stop();
  });
});
