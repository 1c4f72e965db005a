import { afterAll, expect, it } from 'vitest';
import { connectRedis } from '../../shared/platform/redis/connect.ts';
import { askForDigest } from '../../shared/wings/digests/ask-for-digest.ts';
import { exportRunRows } from '../../shared/wings/push/destinations/model.ts';
import { askForRun } from '../../shared/wings/push/destinations/runs/ask-for-run.ts';
import * as jobs from '../../workers/index.ts';
import { startWorker } from '../../workers/worker.ts';
import { makeDestination, newFolder } from '../support/destinations.ts';
import { storesFixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { startHostileServer, TRICKLING } from '../support/hostile-server.ts';
import { makeWebhook, raise, readDelivery } from '../support/webhooks.ts';

const MINUTE_MS = 60_000;
const NARROW = { from: '2026-02-02', to: '2026-02-02', force: true };
const hostile = await startHostileServer();
hostile.become(TRICKLING['a trickling body']);
// The looks at runs come at once.
const env = { EXPORT_FOLDER: newFolder(), EXPORT_S3_ENDPOINTS: hostile.url, TIME_SCALE: '1000' };
const own = await storesFixture({ clock: '2026-02-03T12:00:00Z', smtp: true, receiver: true, env });
const { ctx, clock, receiver, smtp, tenant } = own;
const connection = connectRedis(ctx.config, 'worker');
const workers = Object.values(jobs)
  .filter(({ everyMs }) => everyMs === undefined)
  .map((row) => startWorker(row, ctx, connection));
await Promise.all(workers.map((worker) => worker.waitUntilReady()));
afterAll(async () => {
  await hostile.close();
  await Promise.all(workers.map((worker) => worker.close()));
  connection.disconnect();
});

/** Adds a bucket of an organization of its own whose server trickles, and runs it. */
async function runTrickling(): Promise<string> {
  const { orgId } = await tenant();
  const { _id } = await makeDestination(ctx, orgId, {
    kind: 's3',
    endpoint: hostile.url,
    bucket: 'lake',
    region: 'r',
    access_key_id: 'key',
    secret_access_key: 'secret',
  });
  return (await askForRun(ctx, orgId, _id, NARROW))._id;
}

const countRunning = (ids: string[]) =>
  exportRunRows(ctx).countDocuments({ _id: { $in: ids }, state: 'running' });

it('four buckets that trickle hold all places of a worker no longer than their turn, and at least two go on', async () => {
  const trickling = await Promise.all([1, 2, 3, 4].map(runTrickling));
  await until(async () => (await countRunning(trickling)) === 4, { what: 'all places to be taken' });
  await until(async () => hostile.asked >= 4, { what: 'all to be asked' });
  const { orgId } = await tenant();
  const { _id } = await makeDestination(ctx, orgId);
  const { _id: runId } = await askForRun(ctx, orgId, _id, NARROW);
  clock.advance(MINUTE_MS);
  const succeeded = () => exportRunRows(ctx).findOne({ _id: runId, state: 'succeeded' });
  await until(async () => (await succeeded()) !== null, { what: 'the run of the other organization' });
  const isOver = { _id: { $in: trickling }, state: { $ne: 'running' as const } };
  const over = await exportRunRows(ctx).find(isOver).toArray();
  expect([1, 2]).toContain(over.length);
  for (const { state, code } of over) expect([state, code]).toEqual(['failed', 'timeout']);
});

it('requests that are held up in twenty endpoints of one organization delay no delivery and no mail of another', async () => {
  hostile.become(TRICKLING.silence);
  const held = await tenant();
  // One after the other: they would wait for each other within their transactions.
  for (let made = 0; made < 20; made += 1) await makeWebhook(ctx, held.orgId, hostile.url);
  await raise(ctx, held.orgId, 2);
  await until(() => hostile.asked >= 20, { what: 'all endpoints to be asked' });
  const { orgId, member } = await tenant();
  await makeWebhook(ctx, orgId, receiver.url);
  const { _id: accountId } = await member('ada');
  await askForDigest(ctx, { accountId, orgId });
  const [eventId = ''] = await raise(ctx, orgId);
  const isSent = async () => (await readDelivery(ctx, eventId)).status === 'succeeded';
  await until(isSent, { what: 'the delivery' });
  await until(() => smtp.mails.length === 1, { what: 'the digest' });
});
