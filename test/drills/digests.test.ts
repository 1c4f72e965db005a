import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { addMember } from '../../shared/people/members.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { changePreferences } from '../../shared/wings/digests/preferences/change-preferences.ts';
import { mailDigestJob } from '../../shared/wings/digests/preferences/jobs.ts';
import { preferencesRows } from '../../shared/wings/digests/preferences/model.ts';
import { noonTimezone } from '../support/calendars.ts';
import { type Stack, startStack } from '../support/drills/stack.ts';
import { until } from '../support/harness.ts';
import { seeded } from '../support/random.ts';
import { startSmtp } from '../support/smtp.ts';

const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 3);
const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
/** Each round has people of its own, so that it has mails to send however slowly a worker starts. */
const PEOPLE_PER_ROUND = 14;

let stack: Stack;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
/** How the mail server takes its time before it says that it took a mail. */
let takeTime: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  smtp = await startSmtp(() => takeTime());
  stack = await startStack({ env: { SMTP_URL: smtp.url, MAILS_PER_ORGANIZATION: '10000' } });
});
beforeEach(() => stack.mend());
afterAll(async () => {
  await stack?.stop();
  await smtp?.close();
});

/** Makes every digest that a worker had taken, or that is planned and was not sent, due since a moment. */
async function makeDue(orgId: string, since: Date): Promise<void> {
  const sent = await preferencesRows(stack.ctx)
    .find({ org_id: orgId, last_period: { $exists: true } })
    .toArray();
  const keys = new Set(sent.map(({ _id }) => _id));
  for (const row of await dueRows(stack.ctx).find({ org_id: orgId, kind: mailDigestJob.kind }).toArray())
    if (!keys.has(row.key))
      await dueRows(stack.ctx).updateOne({ _id: row._id }, { $set: { due_at: since, scheduled_at: since } });
}

test(`${ROUNDS} times kill -9 of a worker in a digest (seed ${SEED}): each person gets one mail of the period, by its Message-ID`, {
  timeout: 300_000 + ROUNDS * 120_000,
}, async () => {
  const { ctx } = stack;
  const random = seeded(SEED);
  const since = new Date(ctx.clock.now());
  // It is noon there: neither midnight nor the next digest comes within the drill.
  const timezone = noonTimezone(since);
  const { _id: orgId } = await createOrganization(ctx, { name: 'Drill', plan: 'team', timezone });
  // A second attempt has addresses of its own: the mail server still has the mails of the first.
  const domain = `${randomUUID()}.example.com`;
  const mailsHere = () => smtp.mails.filter((mail) => addressOf(mail).endsWith(`@${domain}`));
  const addresses: string[] = [];
  for (let killed = 0; killed < ROUNDS; killed += 1) {
    for (let made = 0; made < PEOPLE_PER_ROUND; made += 1) {
      const email = `person-${addresses.length}@${domain}`;
      addresses.push(email);
      const { _id: accountId } = await addMember(ctx, { org_id: orgId, email, role: 'member' });
      await changePreferences(ctx, { accountId, orgId }, { digest: 'daily' });
    }
    // From this mail on the server says nothing, so that the worker is killed while some are under way.
    const silentFrom = mailsHere().length + 1 + Math.floor(random() * PEOPLE_PER_ROUND);
    const isKilled = Promise.withResolvers<void>();
    takeTime = () => (mailsHere().length < silentFrom ? sleep(50) : isKilled.promise);
    await makeDue(orgId, since);
    await until(() => mailsHere().length >= silentFrom, { what: 'mails of this round' });
    await sleep(random() * 200);
    await stack.kill('worker');
    isKilled.resolve();
    await stack.start('worker');
    await until(() => stack.isReady('worker'), { what: 'the worker back' });
  }
  await makeDue(orgId, since);
  const countSent = () =>
    preferencesRows(ctx).countDocuments({ org_id: orgId, last_period: { $exists: true } });
  await until(async () => (await countSent()) === addresses.length, {
    what: 'every digest',
  });
  const idsOf = Map.groupBy(mailsHere(), addressOf);
  expect([...idsOf.keys()].toSorted()).toEqual(addresses.toSorted());
  for (const [to, mails] of idsOf) expect([to, new Set(mails.map(idOf)).size]).toEqual([to, 1]);
  expect(new Set(mailsHere().map(idOf)).size).toBe(addresses.length);
  const repeated = mailsHere().length - addresses.length;
  expect(repeated, 'a mail was under way at each kill').toBeGreaterThanOrEqual(ROUNDS);
  console.log(`${addresses.length} people, ${repeated} mails repeated`);
});

function addressOf(mail: string): string {
  return /^To:\s+(\S+)/im.exec(mail)?.[1] ?? '';
}

function idOf(mail: string): string {
  return /^Message-ID:\s+(\S+)/im.exec(mail)?.[1] ?? '';
}
