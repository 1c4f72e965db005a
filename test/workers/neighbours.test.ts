import { afterAll, beforeAll, expect, it } from 'vitest';
import { addMember } from '../../shared/people/members.ts';
import { connectRedis, type RedisClient } from '../../shared/platform/redis/connect.ts';
import { askForDigest } from '../../shared/wings/digests/ask-for-digest.ts';
import { exportRunRows } from '../../shared/wings/push/destinations/model.ts';
import { askForRun } from '../../shared/wings/push/destinations/runs/ask-for-run.ts';
import * as jobs from '../../workers/index.ts';
import { type JobWorker, startWorker } from '../../workers/worker.ts';
import { makeDestination, newFolder } from '../support/destinations.ts';
import { makeTenant } from '../support/factories.ts';
import { createTestClock, openTestContext, type TestContext, until } from '../support/harness.ts';
import { type HostileServer, startHostileServer, TRICKLING } from '../support/hostile-server.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startSmtp } from '../support/smtp.ts';
import { makeWebhook, raise, readDelivery } from '../support/webhooks.ts';

const MINUTE_MS = 60_000;
const clock = createTestClock(Date.parse('2026-02-03T12:00:00Z'));
const NARROW = { from: '2026-02-02', to: '2026-02-02', force: true };
let ctx: TestContext;
let connection: RedisClient;
let hostile: HostileServer;
let receiver: Receiver;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
let workers: JobWorker[];
beforeAll(async () => {
  [hostile, receiver, smtp] = await Promise.all([startHostileServer(), startReceiver(), startSmtp()]);
  hostile.become(TRICKLING['a trickling body']);
  const env = {
    EXPORT_FOLDER: newFolder(),
    EXPORT_S3_ENDPOINTS: hostile.url,
    SMTP_URL: smtp.url,
    // The looks at runs come at once.
    TIME_SCALE: '1000',
  };
  ctx = await openTestContext({ clock, env });
  connection = connectRedis(ctx.config, 'worker');
  workers = Object.values(jobs)
    .filter(({ everyMs }) => everyMs === undefined)
    .map((row) => startWorker(row, ctx, connection));
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
});
afterAll(async () => {
  await hostile.close();
  await Promise.all(workers.map((worker) => worker.close()));
  connection.disconnect();
  await Promise.all([ctx.close(), receiver.close(), smtp.close()]);
});

/** Adds a bucket of an organization of its own whose server trickles, and runs it. */
async function runTrickling(): Promise<string> {
  const { orgId } = await makeTenant(ctx);
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
  const { orgId } = await makeTenant(ctx);
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
  const held = await makeTenant(ctx);
  // One after the other: they would wait for each other within their transactions.
  for (let made = 0; made < 20; made += 1) await makeWebhook(ctx, held.orgId, hostile.url);
  await raise(ctx, held.orgId, 2);
  await until(() => hostile.asked >= 20, { what: 'all endpoints to be asked' });
  const { orgId } = await makeTenant(ctx);
  await makeWebhook(ctx, orgId, receiver.url);
  const ada = { org_id: orgId, email: 'ada@example.com', user_id: 'ada', role: 'member' } as const;
  const { _id: accountId } = await addMember(ctx, ada);
  await askForDigest(ctx, { accountId, orgId });
  const [eventId = ''] = await raise(ctx, orgId);
  await until(async () => (await readDelivery(ctx, eventId)).status === 'succeeded', {
    what: 'the delivery',
  });
  await until(() => smtp.mails.length === 1, { what: 'the digest' });
});
