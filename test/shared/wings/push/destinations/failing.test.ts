import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { organizationRows } from '../../../../../shared/core/accounts/organizations/model.ts';
import { alertFailing } from '../../../../../shared/core/events/webhooks/endpoints/alert-failing.ts';
import { dueRows } from '../../../../../shared/platform/due/model.ts';
import { failingDestination } from '../../../../../shared/wings/push/destinations/failing-destination.ts';
import { ExportFailure, type FailureCode } from '../../../../../shared/wings/push/destinations/failures.ts';
import { type Destination, destinationRows } from '../../../../../shared/wings/push/destinations/model.ts';
import { runDestination } from '../../../../../shared/wings/push/destinations/runs/run-destination.ts';
import { openStore } from '../../../../../shared/wings/push/destinations/stores/open-store.ts';
import { makeDestination, newFolder } from '../../../../support/destinations.ts';
import { makeTenant } from '../../../../support/factories.ts';
import { createTestClock, startApi, type TestApi } from '../../../../support/harness.ts';
import { startSmtp } from '../../../../support/smtp.ts';
import { readEvents, subscribeToAll } from '../../../../support/webhooks.ts';

const START = Date.parse('2026-02-03T12:00:00Z');
const clock = createTestClock(START);
const folder = newFolder();
let api: TestApi;
/** Happens while a mail is sent. */
let meanwhile: () => Promise<void>;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
let orgId: string;
let destination: Destination;

beforeAll(async () => {
  smtp = await startSmtp(() => meanwhile());
  api = await startApi({
    clock,
    env: { EXPORT_FOLDER: folder, SMTP_URL: smtp.url, MAIL_FROM: 'gov@example.com' },
  });
});
beforeEach(async () => {
  clock.set(START);
  smtp.mails.length = 0;
  meanwhile = async () => undefined;
  ({ orgId } = await makeTenant(api.ctx));
  await subscribeToAll(api.ctx, orgId);
  const addresses = ['ada@example.com'];
  const change = { admin_emails: addresses, vouched_emails: addresses };
  await organizationRows(api.ctx).updateOne({ _id: orgId }, { $set: change });
  destination = await makeDestination(api.ctx, orgId, { name: 'Finance' });
});
afterAll(async () => {
  await api.close();
  await smtp.close();
});

const dueOf = (kind: string) => dueRows(api.ctx).findOne({ _id: `${kind} ${destination._id}` });
const untilDue = async () => clock.set((await dueOf('run-destination'))?.due_at.getTime() ?? clock.now());
/** The next run, which fails with this code, or does not. */
const run = async (code: FailureCode | null) => {
  await untilDue();
  await runDestination(api.ctx, destination._id, (context, of) => {
    const store = openStore(context, of);
    return code === null ? store : { ...store, read: () => Promise.reject(new ExportFailure(code)) };
  });
};
const events = async () => (await readEvents(api.ctx, orgId)).filter(({ type }) => type === 'export.failed');
const mail = () => alertFailing(api.ctx, failingDestination, destination._id);

test('a failure that somebody has to mend is told at once, by an event and by one mail', async () => {
  await run('access_denied');
  const at = new Date(clock.now()).toISOString();
  expect(await events()).toMatchObject([
    {
      ts: at,
      data: {
        destination_id: destination._id,
        name: 'Finance',
        code: 'access_denied',
        since: at,
        last_success_at: null,
        next_attempt_at: '2026-02-05T03:00:00.000Z',
      },
    },
  ]);
  await mail();
  await mail();
  expect(smtp.mails).toHaveLength(1);
  expect(smtp.mails[0]).toContain('ada@example.com');
  expect(smtp.mails[0]).toContain(destination._id);
  expect(await dueOf('alert-destination')).toBeNull();
});

test('another failure is told at the third run, by an event and a mail, once until a run succeeds, and then again', async () => {
  for (const told of [0, 0, 1, 1, 1]) {
    await run('unavailable');
    await mail();
    expect([(await events()).length, smtp.mails.length]).toEqual([told, told]);
  }
  await run('no_such_bucket');
  await mail();
  expect([(await events()).length, smtp.mails.length]).toEqual([1, 1]);
  const since = (await events())[0]?.data.since;
  expect(since).toBe('2026-02-04T03:00:00.000Z');
  await run(null);
  const healthy = { failures: 0, failing_since: null, code: null, told_at: null, mailed_at: null };
  expect(await destinationRows(api.ctx).findOne({ _id: destination._id })).toMatchObject(healthy);
  await run('no_such_bucket');
  await mail();
  expect(smtp.mails).toHaveLength(2);
  expect((await events()).map(({ data }) => data.code)).toEqual(['unavailable', 'no_such_bucket']);
  expect((await events())[1]?.data.last_success_at).toBe(new Date((await lastSuccess()) ?? 0).toISOString());
});

const lastSuccess = async () =>
  (await destinationRows(api.ctx).findOne({ _id: destination._id }))?.last_success_at?.getTime();

test('a mail that nobody can get stays due while the destination fails, and not longer', async () => {
  await organizationRows(api.ctx).updateOne({ _id: orgId }, { $set: { admin_emails: [] } });
  await run('access_denied');
  await mail();
  expect(smtp.mails).toEqual([]);
  expect((await dueOf('alert-destination'))?.due_at.getTime()).toBe(clock.now() + 300_000);
  await run(null);
  await mail();
  expect(smtp.mails).toEqual([]);
  expect(await dueOf('alert-destination')).toBeNull();
});

test('a destination that recovers and fails again while its mail is sent gets another mail', async () => {
  await run('access_denied');
  meanwhile = async () => {
    meanwhile = async () => undefined;
    await run(null);
    await run('no_such_bucket');
  };
  await mail();
  expect(smtp.mails).toHaveLength(1);
  expect(await dueOf('alert-destination')).not.toBeNull();
  await mail();
  expect(smtp.mails).toHaveLength(2);
  expect(smtp.mails[1]).toContain('no_such_bucket');
  expect(await dueOf('alert-destination')).toBeNull();
});
