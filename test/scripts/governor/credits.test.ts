import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { auditRows } from '../../../shared/core/accounts/audit/model.ts';
import { ledgerRows, signingKeyRows } from '../../../shared/core/credits/model.ts';
import { signerOf } from '../../../shared/core/credits/receipts/signer.ts';
import { commandLine } from '../../support/command-line.ts';
import { makeAccount, projectAll, spendSurely } from '../../support/credits.ts';
import { fixture } from '../../support/fixture.ts';
import { TEST_SIGNING_KEY } from '../../support/harness.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const folder = temporaryFolder(afterAll);
const keyFile = join(folder, 'key.json');
writeFileSync(keyFile, TEST_SIGNING_KEY);
const { api, ctx, env } = await fixture({
  redis: true,
  env: { SIGNING_KEY: '', SIGNING_KEY_FILE: keyFile },
});
const { run, governor, failure } = commandLine(env);

test('credits grant and purchase add once a key, and refund gives each spend back once', async () => {
  const account = await makeAccount(ctx);
  const { orgId, userId, token } = account;
  for (let time = 0; time < 2; time += 1)
    await governor('credits', 'grant', orgId, userId, '100', '--key', 'g1');
  await governor('credits', 'purchase', orgId, userId, '7');
  for (let spend = 0; spend < 3; spend += 1) await spendSurely(ctx, token);
  const { transactions } = await governor('credits', 'ledger', orgId, userId);
  const spends = (transactions as Record<string, unknown>[]).filter(({ reason }) => reason === 'receipt');
  expect(spends.map(({ balance_after }) => Number(balance_after)).toSorted((a, b) => a - b)).toEqual([
    324, 325, 326,
  ]);
  expect(spends[0]).toMatchObject({ device_id: account.deviceId });
  const refund = (id: unknown) => governor('credits', 'refund', orgId, userId, String(id));
  for (const { id } of [...spends, ...spends]) await refund(id);
  expect((await governor('credits', 'show', orgId, userId)).total).toBe(327);
  const entries = await auditRows(ctx)
    .find({ org_id: orgId, action: /^credits/ })
    .toArray();
  expect(entries.filter(({ action }) => action === 'credits.add')).toHaveLength(2);
  const refunds = entries.filter(({ action }) => action === 'credits.refund');
  expect(refunds.map(({ details }) => String(details.transaction_id)).toSorted()).toEqual(
    spends.map(({ id }) => String(id)).toSorted(),
  );
  expect(entries).toHaveLength(5);
});

test('a purchase without a key tells the one that repeats it, should its answer be lost', async () => {
  const { orgId, userId } = await makeAccount(ctx);
  const purchase = ['credits', 'purchase', orgId, userId, '7'];
  const { stderr } = await run(...purchase);
  const [, key = ''] = /--key (\S+)/.exec(stderr) ?? [];
  expect(await governor(...purchase, '--key', key)).toMatchObject({ delta: 7, replayed: true });
});

test('device revoke ends a device whoever it belongs to', async () => {
  const { deviceId, token } = await makeAccount(ctx);
  await spendSurely(ctx, token);
  for (let time = 0; time < 2; time += 1)
    expect(await governor('device', 'revoke', deviceId)).toEqual({ device_id: deviceId, revoked: true });
  await expect(spendSurely(ctx, token)).rejects.toMatchObject({ code: 'unauthorized' });
  const revoking = { action: 'device.revoke', 'details.device_id': deviceId };
  expect(await auditRows(ctx).countDocuments(revoking)).toBe(1);
});

test('plan puts the accounts of an organization on the plan', async () => {
  const { orgId, userId, token } = await makeAccount(ctx);
  await spendSurely(ctx, token);
  expect(await governor('plan', orgId, 'team')).toMatchObject({ plan: 'team' });
  const shown = await governor('credits', 'show', orgId, userId);
  const plans = JSON.parse(readFileSync('plans.json', 'utf8'));
  expect(shown.balances).toMatchObject({ window: { credits: plans.team.window_credits - 1 } });
});

test('reconcile finds drift, repairs it on request, and rebuild puts a spoilt balance back', async () => {
  const account = await makeAccount(ctx);
  await spendSurely(ctx, account.token);
  await projectAll(ctx);
  expect(await governor('credits', 'reconcile')).toMatchObject({ drifted: [] });
  await ledgerRows(ctx).updateOne(
    { account_id: account.accountId, reason: 'monthly.reset' },
    { $inc: { delta: 5 } },
  );
  const found = await governor('credits', 'reconcile');
  expect(JSON.stringify(found)).toContain(account.accountId);
  await governor('credits', 'reconcile', '--repair');
  expect(JSON.stringify(await governor('credits', 'reconcile'))).not.toContain(account.accountId);
  expect(await governor('rebuild')).toMatchObject({ opened: 64, rebuilt: 64 });
  expect((await governor('credits', 'show', account.orgId, account.userId)).total).toBeGreaterThan(0);
  await spendSurely(ctx, account.token);
});

test('signing-key rotate replaces the key; verify knows old and new receipts, by file and by URL, and bad ones', async () => {
  const { token } = await makeAccount(ctx);
  const old = (await spendSurely(ctx, token)).answer;
  const { kid, file } = await governor('signing-key', 'rotate');
  expect(file).toBe(keyFile);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  signerOf(ctx).reload();
  const fresh = (await spendSurely(ctx, token)).answer;
  expect(signerOf(ctx).publicKey()?.kid).toBe(kid);
  const url = `${api.url}/.well-known/jwks.json`;
  const [jwks, answers, spoilt] = ['jwks.json', 'answers.jsonl', 'spoilt.jsonl'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  writeFileSync(jwks, (await api.call('/.well-known/jwks.json')).text);
  writeFileSync(answers, `${old}\n${JSON.parse(fresh).receipt}\n`);
  writeFileSync(spoilt, `${old}\n${JSON.parse(fresh).receipt.replace(/\.[^.]/, '._')}\n`);
  for (const where of [url, jwks])
    expect(await governor('verify', answers, '--jwks', where)).toEqual({ good: 2, bad: [] });
  const failed = await failure('verify', spoilt, '--jwks', jwks);
  expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([1, { good: 1, bad: [{ line: 2 }] }]);
});

test('signing-key rotate refuses where the key is no file, and says what to do', async () => {
  const keyed = commandLine({ ...env, SIGNING_KEY: TEST_SIGNING_KEY, SIGNING_KEY_FILE: '' });
  const before = await signingKeyRows(ctx).countDocuments({});
  const { stderr } = await keyed.failure('--data', folder, 'signing-key', 'rotate');
  expect(stderr).toContain('The key is in SIGNING_KEY');
  expect(await signingKeyRows(ctx).countDocuments({})).toBe(before);
});
