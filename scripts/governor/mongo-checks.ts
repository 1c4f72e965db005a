import { randomUUID } from 'node:crypto';
import { type ClientSession, mongo } from 'mongoose';
import { within } from '../../shared/platform/basics/within.ts';
import { CLOCK_TOLERANCE_MS } from '../../shared/platform/context/clock-skew.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { DURABLE } from '../../shared/platform/mongo/connect.ts';
import { endSessions } from '../../shared/platform/mongo/transaction.ts';
import { instanceRows } from '../../shared/platform/mongo/transaction-guard.ts';
import { COLLECTIONS } from '../../shared/tables/collections.ts';
import { HOT_READS, stagesOf } from './hot-reads.ts';

export interface MongoCheck {
  check: string;
  /** `not answered`: the store or its rights do not let anyone see it. */
  status: 'ok' | 'warning' | 'failing' | 'not answered';
  detail: string;
}

type Found = Omit<MongoCheck, 'check'>;

/** Longer than any of these commands takes. */
const PATIENCE_MS = 5_000;
/** A conflict that has no answer by now waits for the other transaction. */
const CONFLICT_MS = 1_000;

const EMBEDDED = 'The embedded store answers in its own way.';

const CHECKS: Readonly<Record<string, (ctx: Context) => Promise<Found>>> = {
  version: checkVersion,
  compatibility: checkCompatibility,
  'replica set': checkReplicaSet,
  clock: checkClock,
  'write concern': checkWriteConcern,
  rights: checkRights,
  indexes: checkIndexes,
  plans: checkPlans,
  conflict: checkConflict,
};

/** Asks MongoDB what the service relies on, one question after the other. One that fails does not hide the others. */
export async function readMongoChecks(ctx: Context): Promise<MongoCheck[]> {
  const found: MongoCheck[] = [];
  for (const [check, ask] of Object.entries(CHECKS)) {
    const answer = await within(PATIENCE_MS, 'The answer', ask(ctx)).catch((error: Error) =>
      failing(error.message),
    );
    found.push({ check, ...answer });
  }
  return found;
}

async function checkVersion({ db }: Context): Promise<Found> {
  const { version, secantusVersion } = await db.database.command({ buildInfo: 1 });
  if (secantusVersion !== undefined) return warning(`The embedded store of development, ${secantusVersion}.`);
  const [major = 0, minor = 0, patch = 0] = String(version).split('.').map(Number);
  const isOld = major === 8 && minor === 0 && patch < 4;
  return isOld
    ? warning(`MongoDB ${version}: 8.0.4 mends upserts and bulkWrite.`)
    : ok(`MongoDB ${version}.`);
}

async function checkCompatibility(ctx: Context): Promise<Found> {
  if (ctx.db.isEmbedded) return notAnswered(EMBEDDED);
  const answer = await askAdmin(ctx, { getParameter: 1, featureCompatibilityVersion: 1 });
  const version: unknown = answer?.featureCompatibilityVersion?.version;
  if (typeof version !== 'string')
    return notAnswered('The user may not read it. The start has proved bulkWrite.');
  return Number.parseInt(version, 10) < 8
    ? failing(`It is ${version}, and 8.0 is needed.`)
    : ok(`It is ${version}.`);
}

async function checkReplicaSet({ db }: Context): Promise<Found> {
  const { msg, setName, hosts = [], arbiters = [] } = await db.database.command({ hello: 1 });
  if (msg === 'isdbgrid') return ok('A router of a sharded cluster.');
  if (arbiters.length > 0)
    return warning(`"${setName}" has an arbiter: writes stop with one member that holds data.`);
  return hosts.length < 3
    ? warning(`"${setName}" has ${hosts.length} of 3 members.`)
    : ok(`"${setName}" has ${hosts.length} members.`);
}

async function checkClock({ db, clock }: Context): Promise<Found> {
  const askedMs = clock.now();
  const { localTime } = await db.database.command({ hello: 1 });
  const aheadMs = Math.round(localTime.getTime() - (askedMs + clock.now()) / 2);
  const detail = `It is ${aheadMs} ms ahead of this machine.`;
  return Math.abs(aheadMs) > CLOCK_TOLERANCE_MS ? failing(detail) : ok(detail);
}

async function checkWriteConcern(ctx: Context): Promise<Found> {
  return withRow(ctx, async () => {
    const beganMs = performance.now();
    await instanceRows(ctx).updateOne({ _id: PROBE }, { $inc: { heartbeat: 1 } }, { writeConcern: DURABLE });
    return ok(`A majority had a write on its disks in ${Math.ceil(performance.now() - beganMs)} ms.`);
  });
}

/** Ends a session that nobody has. The start has proved the rights to write. */
async function checkRights({ db }: Context): Promise<Found> {
  try {
    await endSessions(db, [randomUUID().replaceAll('-', '')]);
    return ok('readWrite, and killSessions of its own sessions.');
  } catch (error) {
    return warning(
      `killSessions is refused, so rows of a killed process stay locked for a minute: ${messageOf(error)}`,
    );
  }
}

async function checkIndexes({ db }: Context): Promise<Found> {
  const missing: string[] = [];
  const others: string[] = [];
  for (const { collectionName, indexes } of COLLECTIONS) {
    const there = await db.database.collection(collectionName).indexes();
    const keys = new Set(there.map(({ key }) => JSON.stringify(key)));
    const declared = new Set(
      [{ _id: 1 }, ...indexes.map(({ key }) => key)].map((key) => JSON.stringify(key)),
    );
    for (const key of declared.difference(keys)) missing.push(`${collectionName} ${key}`);
    for (const key of keys.difference(declared)) others.push(`${collectionName} ${key}`);
  }
  if (missing.length > 0) return failing(`Missing, run the release: ${missing.join(', ')}.`);
  return others.length > 0
    ? warning(`Declared nowhere: ${others.join(', ')}.`)
    : ok('All that are declared, and no other.');
}

async function checkPlans({ db }: Context): Promise<Found> {
  if (db.isEmbedded) return notAnswered(EMBEDDED);
  const bad: string[] = [];
  for (const { collectionName, filter, sort } of HOT_READS) {
    const cursor = db.database
      .collection(collectionName)
      .find(filter as mongo.Filter<mongo.Document>, { sort, limit: 21 });
    const stages = await cursor.explain('queryPlanner').then(stagesOf, () => null);
    if (stages === null || stages.length === 0) return notAnswered('The store does not explain its plans.');
    const isSlow = stages.some((stage) => stage === 'COLLSCAN' || stage === 'SORT');
    if (isSlow) bad.push(`${collectionName} by ${Object.keys(filter).join(', ')} (${stages.join(', ')})`);
  }
  return bad.length > 0
    ? failing(`Not by an index: ${bad.join('; ')}.`)
    : ok(`${HOT_READS.length} frequent reads go by an index.`);
}

/** Two transactions write one row: MongoDB refuses the second at once, with the label that makes it run again. */
async function checkConflict(ctx: Context): Promise<Found> {
  const client = ctx.db.connection.getClient();
  return withRow(ctx, () =>
    client.withSession((first) =>
      client.withSession(async (second) => {
        for (const session of [first, second]) session.startTransaction();
        await touch(ctx, first);
        const refused = touch(ctx, second).then(
          () => null,
          (error: unknown) => error,
        );
        const outcome = await within(CONFLICT_MS, 'A conflict', refused).catch(() => 'waits' as const);
        await first.abortTransaction();
        await refused;
        await second.abortTransaction();
        if (outcome === 'waits')
          return warning('The second transaction waits for the first, as in the embedded store.');
        const isLabelled =
          outcome instanceof mongo.MongoError && outcome.hasErrorLabel('TransientTransactionError');
        return isLabelled
          ? ok('The second transaction is refused at once and runs again.')
          : failing(`The second transaction is not told to run again: ${messageOf(outcome)}`);
      }),
    ),
  );
}

const PROBE = 'doctor';

function touch(ctx: Context, session: ClientSession) {
  return instanceRows(ctx).updateOne({ _id: PROBE }, { $inc: { heartbeat: 1 } }, { session });
}

/** A row of a process that has no sessions: whoever finds it left behind deletes it. */
async function withRow(ctx: Context, work: () => Promise<Found>): Promise<Found> {
  await instanceRows(ctx).updateOne(
    { _id: PROBE },
    { $set: { sessions: [] }, $inc: { heartbeat: 1 } },
    { upsert: true },
  );
  try {
    return await work();
  } finally {
    await instanceRows(ctx).deleteOne({ _id: PROBE });
  }
}

async function askAdmin({ db }: Context, command: mongo.Document): Promise<mongo.Document | null> {
  return db.connection
    .getClient()
    .db('admin')
    .command(command)
    .catch(() => null);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no error';
}

function ok(detail: string): Found {
  return { status: 'ok', detail };
}
function warning(detail: string): Found {
  return { status: 'warning', detail };
}
function failing(detail: string): Found {
  return { status: 'failing', detail };
}
function notAnswered(detail: string): Found {
  return { status: 'not answered', detail };
}
