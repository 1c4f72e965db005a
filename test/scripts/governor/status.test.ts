import { expect, onTestFinished, test } from 'vitest';
import { webhookRows } from '../../../shared/core/events/webhooks/endpoints/model.ts';
import { connectQueues } from '../../../shared/platform/redis/connect.ts';
import { endSession } from '../../../workers/index.ts';
import { startWorker } from '../../../workers/worker.ts';
import { commandLine, type Failed } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';
import { until } from '../../support/harness.ts';
import { makeWebhook } from '../../support/webhooks.ts';

interface Check {
  name: string;
  status: string;
  detail: string;
}

const own = await fixture({ idp: true, redis: true, smtp: true });
const { ctx, tenant } = own;
const env = { ...own.env, BASE_URL: own.api.url };

/**
 * The checks by name, and how the command ended. It asks again while a part that matters (every one, unless they are named)
 * has not answered in time: a busy machine is no failing part.
 */
async function look(with_: Record<string, string> = {}, parts?: readonly string[]) {
  for (;;) {
    const seen = await lookOnce(with_);
    const asked = [...seen.byName.values()].filter(({ name }) => parts?.includes(name) ?? true);
    if (!asked.some(({ detail }) => detail.includes('took longer than'))) return seen;
  }
}

async function lookOnce(with_: Record<string, string>) {
  const line = commandLine({ ...env, ...with_ });
  const { code, stdout } = await line.run('--json', 'status').then(
    ({ stdout }) => ({ code: 0, stdout }),
    (failed: Failed) => failed,
  );
  const { status, version, checks } = JSON.parse(stdout);
  return { code, status, version, byName: new Map<string, Check>(checks.map((of: Check) => [of.name, of])) };
}

/** Runs a worker until the test ends. */
async function startOwnWorker(): Promise<void> {
  const connection = connectQueues(ctx.config, 'worker');
  const worker = startWorker(endSession, ctx, connection);
  onTestFinished(() => worker.close().then(() => connection.disconnect()));
  await worker.waitUntilReady();
}

test('names every part, and exits 0 while none is failing', async () => {
  await startOwnWorker();
  const { code, status, byName, version } = await look();
  const parts = 'api mongo redis worker queues ledger sign-in mail webhooks held-signals'.split(' ');
  const found = [...byName.values()].map(({ name, status }) => [name, status]);
  expect(found).toEqual(parts.map((name) => [name, 'ok']));
  expect({ code, status }).toEqual({ code: 0, status: 'ok' });
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test('exits 1 without a worker, and takes no api for one, though it hears what others publish', async () => {
  await own.ask('/api/v1/budgets/check', {});
  const isHearing = async () => (await ctx.redis.queues.pubsub('CHANNELS')).length > 0;
  await until(isHearing, { what: 'an api that hears' });
  const { code, status, byName } = await look();
  expect({ code, status }).toEqual({ code: 1, status: 'failing' });
  expect(byName.get('worker')?.status).toBe('failing');
});

test('shows the rest while a store does not answer', async () => {
  const gone = { MONGODB_URL: 'mongodb://127.0.0.1:1/governor?replicaSet=rs0' };
  const { code, byName } = await look(gone, ['api', 'redis']);
  expect(code).toBe(1);
  const states = ['mongo', 'redis', 'api'].map((name) => byName.get(name)?.status);
  expect(states).toEqual(['failing', 'ok', 'ok']);
});

test('warns of failing webhooks and of mail that is not set up', async () => {
  const { orgId } = await tenant();
  const { _id } = await makeWebhook(ctx, orgId, 'https://hooks.example.com/');
  await webhookRows(ctx).updateOne({ _id }, { $set: { status: 'failing', failing_since: new Date() } });
  await startOwnWorker();
  const { code, status, byName } = await look({ SMTP_URL: '' });
  expect({ code, status }).toEqual({ code: 0, status: 'warning' });
  const detail = expect.stringContaining('SMTP_URL');
  expect(byName.get('mail')).toMatchObject({ status: 'warning', detail });
  expect(byName.get('webhooks')?.detail).toContain('1 of 1 are failing');
});

test('finds an identity provider that does not answer', async () => {
  const { byName } = await look({ OIDC_ISSUER: 'http://127.0.0.1:1' });
  expect(byName.get('sign-in')).toMatchObject({ status: 'failing' });
});
