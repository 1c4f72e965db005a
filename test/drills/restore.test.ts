import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyWebhook } from 'usage-governor/verify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { grantCredits } from '../../shared/core/credits/ledger/grant-credits.ts';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { ledgerRows } from '../../shared/core/credits/model.ts';
import { expectReplayed, makeAccount, type TestAccount } from '../support/credits.ts';
import { dumpDatabase, readDump, restoreDump } from '../support/drills/dump.ts';
import { type Attempt, spendByHttp } from '../support/drills/load.ts';
import { type Stack, startStack } from '../support/drills/stack.ts';
import { until } from '../support/harness.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { findDeliveries, makeWebhook, raise, SECRET } from '../support/webhooks.ts';

/** Waits between the attempts of a delivery are a tenth of the contract's. */
const ENV = { TIME_SCALE: '10' };
const SPENDS = 12;
const PENDING = 5;

let folder: string;
let receiver: Receiver;
let stack: Stack;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'usage-governor-dump-'));
  receiver = await startReceiver({ status: 503 });
  stack = await startStack({ env: ENV });
});

afterEach(async () => {
  await stack?.stop();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

async function spend(account: TestAccount, key: string): Promise<Attempt> {
  const attempt: Attempt = { account, key, answer: null, refused: false };
  await until(async () => (await spendByHttp(stack.url, attempt)) === 200);
  return attempt;
}

const countSpends = ({ accountId }: TestAccount) =>
  ledgerRows(stack.ctx).countDocuments({ account_id: accountId, reason: 'receipt' });

test('MongoDB restored from a dump, with Redis gone, gives back balances, receipts and pending deliveries', async () => {
  const account = await makeAccount(stack.ctx, { plan: 'team' });
  const { accountId, orgId } = account;
  await grantCredits(stack.ctx, { accountId, bucket: 'granted', amount: 40, idempotencyKey: 'gift' });
  const spends: Attempt[] = [];
  for (let count = 0; count < SPENDS; count += 1) spends.push(await spend(account, `before-${count}`));
  await until(async () => (await countSpends(account)) === SPENDS);
  await makeWebhook(stack.ctx, orgId, receiver.url);
  const events = await raise(stack.ctx, orgId, PENDING);
  await until(() => receiver.received.length >= PENDING);
  await until(async () =>
    (await findDeliveries(stack.ctx, { org_id: orgId })).every(({ attempts }) => attempts.length > 0),
  );

  // The dump of a moment at which nobody writes to MongoDB; what comes after it is lost.
  await stack.kill('worker');
  const balances = await readBalances(stack.ctx, accountId);
  await dumpDatabase(stack.ctx.db, folder);
  await spend(account, 'after-the-dump');
  const lost = await raise(stack.ctx, orgId, 1);
  await stack.stop();
  receiver.received.length = 0;
  receiver.behave({ status: 200 });

  const dump = readDump(folder);
  expect(dump.get('queued_deliveries')).toHaveLength(PENDING);
  stack = await startStack({ env: ENV, prepare: ({ db }) => restoreDump(db, folder) });

  expect(await readBalances(stack.ctx, accountId)).toEqual(balances);
  await expectReplayed(stack.ctx, accountId);
  const after = join(folder, 'after');
  await dumpDatabase(stack.ctx.db, after);
  expect(readDump(after).get('ledger')).toEqual(dump.get('ledger'));
  expect(await countSpends(account)).toBe(SPENDS);

  for (const before of spends) {
    const repeated = await spend(account, before.key);
    expect(repeated.answer, before.key).toBe(before.answer);
  }
  expect(await readBalances(stack.ctx, accountId)).toEqual(balances);

  await until(() => new Set(receiver.received.map(({ event }) => event.id)).size === PENDING, {
    what: 'every delivery of the dump',
  });
  expect(new Set(receiver.received.map(({ event }) => event.id))).toEqual(new Set(events));
  expect(receiver.received.map(({ event }) => event.id)).not.toContain(lost[0]);
  for (const { body, headers } of receiver.received)
    expect(verifyWebhook(body, headers['x-service-signature'], SECRET)).toBe(true);
  await until(
    async () => (await stack.ctx.db.database.collection('queued_deliveries').countDocuments()) === 0,
  );
});
