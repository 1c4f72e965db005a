import { afterAll, beforeAll, expect, test } from 'vitest';
import { addMember } from '../../shared/administration/members.ts';
import { createOrganization } from '../../shared/organizations/create-organization.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { changePreferences } from '../../shared/preferences/change-preferences.ts';
import { mailDigestJob } from '../../shared/preferences/jobs.ts';
import { preferencesRows } from '../../shared/preferences/model.ts';
import { type Stack, startStack } from '../support/drills/stack.ts';
import { until } from '../support/harness.ts';
import { seeded } from '../support/random.ts';
import { startSmtp } from '../support/smtp.ts';

const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 3);
const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
const PEOPLE = 40;

let stack: Stack;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
beforeAll(async () => {
  // A mail takes a moment, so that a worker is killed while some are under way.
  smtp = await startSmtp(() => new Promise((resolve) => setTimeout(resolve, 50)));
  stack = await startStack({ env: { SMTP_URL: smtp.url, MAILS_PER_ORGANIZATION: '10000' } });
}, 60_000);
afterAll(async () => {
  await stack.stop();
  await smtp.close();
});

/** Makes every digest that a worker had taken, or that is planned and was not sent, due now. */
async function dueNow(orgId: string): Promise<void> {
  const now = new Date(stack.ctx.clock.now());
  const sent = await preferencesRows(stack.ctx)
    .find({ org_id: orgId, last_period: { $exists: true } })
    .toArray();
  const keys = new Set(sent.map(({ _id }) => _id));
  for (const row of await dueRows(stack.ctx).find({ org_id: orgId, kind: mailDigestJob.kind }).toArray())
    if (!keys.has(row.key))
      await dueRows(stack.ctx).updateOne({ _id: row._id }, { $set: { due_at: now, scheduled_at: now } });
}

test(`${ROUNDS} times kill -9 of a worker in a digest (seed ${SEED}): each person gets one mail of the period, by its Message-ID`, {
  timeout: 240_000,
}, async () => {
  const { ctx } = stack;
  const random = seeded(SEED);
  const { _id: orgId } = await createOrganization(ctx, { name: 'Drill', plan: 'team' });
  const addresses = Array.from({ length: PEOPLE }, (_, index) => `person-${index}@example.com`);
  for (const email of addresses) {
    const { _id: accountId } = await addMember(ctx, { org_id: orgId, email, role: 'member' });
    await changePreferences(ctx, { accountId, orgId }, { digest: 'daily' });
  }
  const countSent = () =>
    preferencesRows(ctx).countDocuments({ org_id: orgId, last_period: { $exists: true } });
  for (let killed = 0; killed < ROUNDS; killed += 1) {
    await dueNow(orgId);
    const before = smtp.mails.length;
    await until(() => smtp.mails.length > before, { timeoutMs: 60_000, what: 'a mail of this round' });
    await new Promise((resolve) => setTimeout(resolve, random() * 200));
    await stack.kill('worker');
    await stack.start('worker');
    await until(() => stack.isReady('worker'), { timeoutMs: 60_000, what: 'the worker back' });
  }
  await dueNow(orgId);
  await until(async () => (await countSent()) === PEOPLE, { timeoutMs: 120_000, what: 'every digest' });
  const idsOf = Map.groupBy(
    smtp.mails.map((mail) => ({
      to: /^To:\s+(\S+)/im.exec(mail)?.[1] ?? '',
      id: /^Message-ID:\s+(\S+)/im.exec(mail)?.[1] ?? '',
    })),
    ({ to }) => to,
  );
  expect([...idsOf.keys()].toSorted()).toEqual(addresses.toSorted());
  for (const [to, mails] of idsOf) expect([to, new Set(mails.map(({ id }) => id)).size]).toEqual([to, 1]);
  expect(new Set(smtp.mails.map((mail) => /^Message-ID:\s+(\S+)/im.exec(mail)?.[1])).size).toBe(PEOPLE);
  console.log(`${PEOPLE} people, ${smtp.mails.length - PEOPLE} mails repeated`);
});
