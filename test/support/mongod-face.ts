import { type ClientSession, mongo } from 'mongoose';
import { inject } from 'vitest';
import { type FaceOptions, type MongodFace, startMongodFace } from '../../scripts/mongod-face/face.ts';

/** A face before the store of the tests, and a client of it with a database of its own. */
export interface OpenFace {
  face: MongodFace;
  client: mongo.MongoClient;
  /** Drops the database and ends both. */
  close: () => Promise<void>;
}

export async function openFace(
  { target = Number(new URL(inject('mongoUrl')).port), ...options }: Partial<FaceOptions> = {},
  clientOptions: mongo.MongoClientOptions = {},
): Promise<OpenFace> {
  const face = await startMongodFace({ target, ...options });
  const name = `face${new mongo.ObjectId().toString()}`;
  const url = `mongodb://127.0.0.1:${face.port}/${name}?directConnection=true`;
  const client = await mongo.MongoClient.connect(url, clientOptions);
  return {
    face,
    client,
    close: async () => {
      await client.close();
      await face.stop();
      // Faults that the face makes do not keep the database.
      const direct = await mongo.MongoClient.connect(`mongodb://127.0.0.1:${target}/?directConnection=true`);
      await direct.db(name).dropDatabase();
      await direct.close();
    },
  };
}

interface Thing {
  _id: string;
  n: number;
}

/** A transaction that has read, and writes one row. */
export interface OpenTransaction {
  session: ClientSession;
  things: mongo.Collection<Thing>;
  write: () => Promise<unknown>;
}

export async function beginOn(client: mongo.MongoClient, id: string): Promise<OpenTransaction> {
  const session = client.startSession();
  session.startTransaction();
  const things = client.db().collection<Thing>('things');
  await things.findOne({ _id: id }, { session });
  const write = () => things.updateOne({ _id: id }, { $inc: { n: 1 } }, { upsert: true, session });
  return { session, write, things };
}
