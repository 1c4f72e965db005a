import { afterAll, beforeEach, expect, test } from 'vitest';
import { organizationRows } from '../../../../../shared/core/accounts/organizations/model.ts';
import { alertFailing } from '../../../../../shared/core/events/webhooks/endpoints/alert-failing.ts';
import { dueRows } from '../../../../../shared/platform/due/model.ts';
import { failingDestination } from '../../../../../shared/wings/push/destinations/failing-destination.ts';
import { ExportFailure, type FailureCode } from '../../../../../shared/wings/push/destinations/failures.ts';
import { type Destination, destinationRows } from '../../../../../shared/wings/push/destinations/model.ts';
import { runDestination } from '../../../../../shared/wings/push/destinations/runs/run-destination.ts';
import { openStore } from '../../../../../shared/wings/push/destinations/stores/open-store.ts';
import { makeDestination, newFolder } from '../../../../support/destinations.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { startSmtp } from '../../../../support/smtp.ts';
import { readEvents, subscribeToAll } from '../../../../support/webhooks.ts';

const START = Date.parse('2026-02-03T12:00:00Z');
/** Happens while a mail is sent. */
let meanwhile: () => Promise<void>;
const smtp = await startSmtp(() => meanwhile());
afterAll(() => smtp.close());
const env = { EXPORT_FOLDER: newFolder(), SMTP_URL: smtp.url, MAIL_FROM: 'gov@example.com' };
const f = await storesFixture({ clock: START, env, perTest: true });
const { ctx, clock } = f;
let destination: Destination;

const setAdmins = (admin_emails: string[]) =>
  organizationRows(ctx).updateOne({ _id: f.orgId }, { $set: { admin_emails, vouched_emails: admin_emails } });
beforeEach(async () => {
  smtp.mails.length = 0;
  meanwhile = async () => undefined;
  await subscribeToAll(ctx, f.orgId);
  await setAdmins(['ada@example.com']);
  destination = await makeDestination(ctx, f.orgId, { name: 'Finance' });
});

const dueOf = (kind: string) => dueRows(ctx).findOne({ _id: `${kind} ${destination._id}` });
const untilDue = async () => clock.set((await dueOf('run-destination'))?.due_at.getTime() ?? clock.now());
/** The next run, which fails with this code, or does not. */
const run = async (code: FailureCode | null) => {
  await untilDue();
  await runDestination(ctx, destination._id, (context, of) => {
    const store = openStore(context, of);
    return code === null ? store : { ...store, read: () => Promise.reject(new ExportFailure(code)) };
  });
};
const events = async () => (await readEvents(ctx, f.orgId)).filter(({ type }) => type === 'export.failed');
const mail = () => alertFailing(ctx, failingDestination, destination._id);

test('a failure that somebody has to mend is told at once, by an event and by one mail', async () => {
  await run('access_denied');
  const at = new Date(clock.now()).toISOString();
  const data = {
    destination_id: destination._id,
    name: 'Finance',
    code: 'access_denied',
    since: at,
    last_success_at: null,
    next_attempt_at: '2026-02-05T03:00:00.000Z',
  };
  expect(await events()).toMatchObject([{ ts: at, data }]);
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
  await run(null);
  const healthy = { failures: 0, failing_since: null, code: null, told_at: null, mailed_at: null };
  const stored = await destinationRows(ctx).findOne({ _id: destination._id });
  expect(stored).toMatchObject(healthy);
  await run('no_such_bucket');
  await mail();
  expect(smtp.mails).toHaveLength(2);
  expect((await events()).map(({ data }) => data)).toMatchObject([
    { code: 'unavailable', since: '2026-02-04T03:00:00.000Z' },
    { code: 'no_such_bucket', last_success_at: stored?.last_success_at?.toISOString() },
  ]);
});

test('a mail that nobody can get stays due while the destination fails, and not longer', async () => {
  await setAdmins([]);
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
