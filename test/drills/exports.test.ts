import { fork } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { dayAt } from '../../shared/platform/basics/utc-days.ts';
import { exportPartitionRows, exportRunRows } from '../../shared/wings/push/destinations/model.ts';
import { askForRun } from '../../shared/wings/push/destinations/runs/ask-for-run.ts';
import { runDestination } from '../../shared/wings/push/destinations/runs/run-destination.ts';
import { checkManifests, makeDestination } from '../support/destinations.ts';
import { type ProxiedMongo, startProxiedMongo } from '../support/drills/proxied-mongo.ts';
import { type NetProxy, startProxy } from '../support/drills/proxy.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { createTestClock } from '../support/harness.ts';
import { hasS3, startS3, type TestS3 } from '../support/s3.ts';

/** More requests than a run makes. */
const MOST_STEPS = 40;
const DAY_MS = 86_400_000;
/** The run is a process of its own, so it has the time of this machine. */
const NOW = Date.now();
const BUCKET = 'lake';

const isThere = hasS3();
let mongo: ProxiedMongo;
let s3: TestS3;
let bucketProxy: NetProxy;
beforeAll(async () => {
  if (!isThere) return;
  s3 = await startS3();
  await s3.makeBucket(BUCKET);
  bucketProxy = await startProxy(Number(new URL(s3.url).port));
  const env = { EXPORT_S3_ENDPOINTS: `http://127.0.0.1:${bucketProxy.port}`, TIME_SCALE: '1000' };
  mongo = await startProxiedMongo({ clock: createTestClock(NOW), env });
});
beforeEach(({ skip }) => {
  if (!isThere) skip('there is no moto (pip install "moto[server]==5.2", or its binary in MOTO_SERVER)');
});
afterAll(async () => {
  await mongo?.stop();
  await bucketProxy?.close();
  await s3?.stop();
});

/** Requests to the bucket, and commits of transactions, each by what it is. */
function stepOf(chunk: Buffer): string | null {
  const text = chunk.toString('latin1');
  if (text.includes('commitTransaction')) return 'commit';
  const [, method, path = ''] = /^(GET|PUT|POST|DELETE) (\S+) HTTP/.exec(text) ?? [];
  return method === undefined ? null : `${method} ${path.split('/').at(-1)?.split('?')[0] ?? ''}`;
}

/** Runs a destination in a process that is killed at a step, which is carried out or not. Returns the step; null: it had ended. */
async function killAt(id: string, step: number, isSent: boolean): Promise<string | null> {
  let steps = 0;
  let killedAt: string | null = null;
  const child = fork(new URL('../support/drills/run-destination.ts', import.meta.url), [id], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error', ...mongo.env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const onRequest = (chunk: Buffer) => {
    const name = stepOf(chunk);
    if (name === null) return true;
    steps += 1;
    if (steps === step) {
      killedAt = name;
      child.kill('SIGKILL');
    }
    return steps < step || (isSent && steps === step);
  };
  mongo.proxy.onRequest = onRequest;
  bucketProxy.onRequest = onRequest;
  const code = await gone;
  mongo.proxy.onRequest = () => true;
  bucketProxy.onRequest = () => true;
  if (killedAt === null) expect(code, 'a run that nobody kills').toBe(0);
  return killedAt;
}

it.each([
  ['before', false],
  ['after', true],
])(
  'a worker that is killed %s any step of a run leaves manifests whose files are there, and the next run brings the same files',

  async (when, isSent) => {
    const { ctx } = mongo;
    const { orgId } = await makeTenant(ctx);
    const prefix = `out-${when}`;
    const destination = await makeDestination(ctx, orgId, {
      kind: 's3',
      endpoint: `http://127.0.0.1:${bucketProxy.port}`,
      region: 'us-east-1',
      bucket: BUCKET,
      prefix,
      access_key_id: 'any',
      secret_access_key: 'any',
      levels: [{ level: 'focus', format: 'parquet' }],
      since: dayAt(NOW - 2 * DAY_MS),
    });
    const { _id } = destination;
    const objects = async () => {
      const all = Object.entries(await s3.objects(BUCKET));
      return Object.fromEntries(all.filter(([path]) => path.startsWith(`${prefix}/`)));
    };
    const seen = new Set<string>();
    for (let step = 1, isKilled = true; isKilled; step += 1) {
      expect(step).toBeLessThan(MOST_STEPS);
      const signal = makeSignal({ ts: NOW - DAY_MS - step * 1_000 });
      await recordSignals(ctx, { orgId, boundUserId: null, defaultProjectId: null }, [signal]);
      const asked = await askForRun(ctx, orgId, _id, { from: null, to: null, force: false });
      const killedAt = await killAt(_id, step, isSent);
      isKilled = killedAt !== null;
      if (killedAt !== null) seen.add(killedAt);
      checkManifests(await objects());
      await runDestination(ctx, _id);
      const run = await exportRunRows(ctx).findOne({ _id: asked._id });
      expect(run, `step ${step}: ${killedAt}`).toMatchObject({ state: 'succeeded', code: null });
      const after = await objects();
      const manifests = Object.values(checkManifests(after));
      expect(manifests.length, `step ${step}`).toBeGreaterThan(0);
      const parts = Object.keys(after).filter((path) => path.includes('/part-'));
      expect(parts, `step ${step}: no file that no manifest names`).toHaveLength(
        manifests.flatMap(({ files }) => files).length,
      );
      const rows = await exportPartitionRows(ctx)
        .find({ destination_id: _id, rows: { $gt: 0 } })
        .toArray();
      expect(rows.map(({ sums }) => sums.EffectiveCost)).toEqual(
        manifests.map(({ sums }) => sums.EffectiveCost),
      );
    }
    expect(
      [...seen].some((step) => step.startsWith('PUT part-')),
      'a file',
    ).toBe(true);
    expect([...seen]).toEqual(expect.arrayContaining(['commit', 'PUT manifest.json']));
    expect(
      [...seen].some((step) => step.startsWith('DELETE part-')),
      'an old file',
    ).toBe(true);
  },
);
