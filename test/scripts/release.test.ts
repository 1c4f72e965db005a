import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { type RunningStore, startMongo } from '../../packages/stack/stores.ts';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { createLog } from '../../shared/platform/basics/log.ts';
import { openContext } from '../../shared/platform/context/context.ts';
import { connectMongo, type Db } from '../../shared/platform/mongo/connect.ts';
import { type Migration, schemaRows, versionAfter } from '../../shared/platform/mongo/schema.ts';
import { COLLECTIONS } from '../../shared/tables/collections.ts';
import { MIGRATIONS } from '../../shared/tables/migrations.ts';
import { release } from '../../shared/tables/release.ts';
import { WINGS } from '../../shared/tables/wings.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { startApi, testEnv } from '../support/harness.ts';
import { temporaryFolder } from '../support/temporary.ts';

const execute = promisify(execFile);
const NOW = Date.UTC(2026, 0, 1);

let folder: string;
let mongo: RunningStore;
let db: Db;

beforeEach(async () => {
  folder = temporaryFolder();
  await startStore();
});
afterEach(() => stopStore());

async function startStore(): Promise<void> {
  mongo = await startMongo({ port: await findFreePort(), dir: join(folder, 'mongo') });
  db = await connectMongo(testEnv('governor', { mongoUrl: mongo.url }).MONGODB_URL);
}

async function stopStore(): Promise<void> {
  await db.connection.close();
  await mongo.stop();
}

/** The release step as a process of its own, as a Procfile runs it. */
const runRelease = () => run('scripts/release.ts');

/** A program of this repository on the store of this test, until it ends. */
async function run(...args: string[]): Promise<{ code: number | null; stderr: string }> {
  const env = { PATH: process.env.PATH, ...testEnv('governor', { mongoUrl: mongo.url }) };
  const ports = { PORT: '0', WORKER_PORT: '0' };
  return execute(process.execPath, args, { env: { ...env, ...ports }, timeout: 120_000 }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    (ended) => ended,
  );
}

const readVersion = async () => (await schemaRows({ db }).findOne({ _id: 'schema' }))?.version;

describe('an empty database', () => {
  test('gets the version of the program, every collection and every index, and a repeat changes nothing', async () => {
    expect(await runRelease()).toMatchObject({ code: 0 });
    const row = await schemaRows({ db }).findOne({ _id: 'schema' });
    expect(row?.version).toBe(versionAfter(MIGRATIONS));
    const names = (await db.database.listCollections().toArray()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(COLLECTIONS.map(({ collectionName }) => collectionName)));
    expect(await runRelease()).toMatchObject({ code: 0 });
    expect(await schemaRows({ db }).findOne({ _id: 'schema' })).toEqual(row);
  });

  test.each([['api/main.ts'], ['workers/main.ts'], ['scripts/governor.ts', 'org', 'create', 'Acme']])(
    'is refused by %s, which leaves nothing that a release would refuse',
    async (...program) => {
      const { code, stderr } = await run(...program);
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('run the release') });
      expect(await runRelease()).toMatchObject({ code: 0 });
    },
  );

  test('may already hold the heartbeat of a process that came before its first release', async () => {
    await db.database.collection('instances').insertOne({ beat: 1 });
    expect(await runRelease()).toMatchObject({ code: 0 });
  });

  test('goes on to the next version where one between is of a feature that was taken out', async () => {
    await release(db, [], NOW);
    const migration = { version: 3, what: 'nothing', run: async () => {} };
    expect(await release(db, [migration], NOW)).toEqual([migration]);
    expect(await readVersion()).toBe(3);
    expect(await release(db, [migration], NOW)).toEqual([]);
  });

  test('is prepared once by two releases at the same time', async () => {
    await Promise.all([release(db, [], NOW), release(db, [], NOW)]);
    expect(await schemaRows({ db }).find().toArray()).toHaveLength(1);
  });
});

describe('data that the program cannot use', () => {
  /** Expects that the release refuses the data in one line with these words. */
  async function expectRefused(...words: string[]): Promise<void> {
    const { code, stderr } = await runRelease();
    expect([code, stderr.trimEnd().split('\n')]).toEqual([1, [expect.any(String)]]);
    for (const part of words) expect(stderr).toContain(part);
  }

  test('of a newer version is refused in one line, and nothing of it changes', async () => {
    const newer = versionAfter(MIGRATIONS) + 1;
    await schemaRows({ db }).insertOne({ _id: 'schema', version: newer, changed_at: new Date(NOW) });
    await expectRefused(`schema version ${newer}`, 'run the newer program, or restore the backup');
    expect(await db.database.listCollections({ name: 'organizations' }).toArray()).toEqual([]);
  });

  test('from before version 1 is refused in one line that says what to do', async () => {
    await db.database.collection('usage_sheets').insertOne({ total: 1 });
    await expectRefused('before schema version 1', '--data .data-2');
    expect(await readVersion()).toBeUndefined();
  });
});

describe('data of version 1', () => {
  /** Adds a field to every organization that has none: what it has done shows, so it can begin again. */
  const addRegion = (failAfter = Number.POSITIVE_INFINITY): Migration => ({
    version: 2,
    what: 'organizations have a region',
    run: async (to) => {
      const organizations = to.database.collection<{ _id: string; region?: string }>('organizations');
      let changed = 0;
      for await (const { _id } of organizations.find({ region: { $exists: false } }).sort({ _id: 1 })) {
        if (changed === failAfter) throw new Error('the power went out');
        await organizations.updateOne({ _id }, { $set: { region: 'eu' } });
        changed += 1;
      }
    },
  });
  const renumber: Migration = {
    version: 3,
    what: 'regions are in capitals',
    run: async (to) => {
      const capitals = { $set: { region: { $toUpper: '$region' } } };
      await to.database.collection('organizations').updateMany({}, [capitals]);
    },
  };
  const regions = async () =>
    (await db.database.collection('organizations').find().toArray()).map(({ region }) => region);

  test('is upgraded in its folder through all versions in their order, also after an interruption, and keeps every row', async () => {
    await release(db, [], NOW);
    await makeData();
    const before = await sessionRows({ db }).find().toArray();
    expect(before).toHaveLength(3);
    await stopStore();

    await startStore();
    expect(await readVersion()).toBe(1);
    await expect(release(db, [addRegion(1)], NOW)).rejects.toThrow('the power went out');
    expect(await readVersion()).toBe(1);
    expect((await regions()).filter(Boolean)).toHaveLength(1);

    const both = [addRegion(), renumber];
    expect((await release(db, both, NOW)).map(({ version }) => version)).toEqual([2, 3]);
    expect(await readVersion()).toBe(3);
    expect(await regions()).toEqual(['EU', 'EU', 'EU']);
    expect(await sessionRows({ db }).find().toArray()).toEqual(before);
    expect(await release(db, both, NOW)).toEqual([]);
    await expect(release(db, [], NOW)).rejects.toThrow('schema version 3, and this program knows 1');
  });

  /** Three organizations with a session each, as the api writes them. */
  async function makeData(): Promise<void> {
    const config = readConfig(testEnv('governor', { mongoUrl: mongo.url }));
    const log = createLog({ level: 'silent', process: 'test' });
    const ctx = { ...(await openContext(config, { process: 'test', wings: WINGS, log })), queuePrefix: '' };
    const api = await startApi({ ctx });
    for (let made = 0; made < 3; made += 1) {
      const { key } = await makeTenant(ctx);
      const { body } = await api.call('/api/v1/signals', { key, body: makeSignal({ ts: Date.now() }) });
      expect(body.results[0].status).toBe('accepted');
    }
    expect(await organizationRows({ db }).countDocuments()).toBe(3);
    await api.close();
    await ctx.close();
  }
});

test('no two migrations have one number', () => {
  const versions = MIGRATIONS.map(({ version }) => version);
  expect(versions).toEqual([...new Set(versions)]);
});
