import { expect, test } from 'vitest';
import { ensureAccount } from '../../../../shared/core/credits/ledger/ensure-account.ts';
import { bindFences, readFences } from '../../../../shared/core/credits/ledger/fence.ts';
import { creditAccountRows, ledgerFenceRows, signingKeyRows } from '../../../../shared/core/credits/model.ts';
import { publishSigningKey } from '../../../../shared/core/credits/receipts/publish-keys.ts';
import { newId } from '../../../../shared/platform/basics/ids.ts';
import { storesFixture } from '../../../support/fixture.ts';
import { standingStillAfter } from '../../../support/interleave.ts';

const { ctx, clock, orgId } = await storesFixture({ clock: true, redis: true });

test('a fence that another process makes and binds meanwhile stays bound', async () => {
  await ledgerFenceRows(ctx).deleteMany({});
  const bind = async () => bindFences(ctx, new Map([[7, 'the Redis of now']]), await readFences(ctx, [7]));
  await readFences(standingStillAfter(ctx, ledgerFenceRows, bind), [7]);
  expect((await readFences(ctx, [7])).get(7)).toEqual({ n: 1, last_id: '0-0', epoch: 'the Redis of now' });
});

test('an account that another process makes meanwhile keeps the hour from which its months count', async () => {
  const account = { _id: newId('usr'), org_id: orgId, user_id: 'ada' };
  const make = async () => {
    await ensureAccount(ctx, account);
    clock.advance(86_400_000);
  };
  const made = clock.now();
  // The first look is at what the ledger has of it.
  await ensureAccount(standingStillAfter(ctx, creditAccountRows, make, 2), account);
  expect(await creditAccountRows(ctx).findOne({ _id: account._id })).toMatchObject({
    created_at: new Date(made),
  });
});

test('a public key that is published again keeps the time of its first use', async () => {
  const key = { kty: 'OKP', crv: 'Ed25519', kid: 'k', x: 'x', alg: 'Ed25519', use: 'sig' } as const;
  const first = new Date(clock.now());
  await publishSigningKey(ctx, key);
  clock.advance(1_000);
  await publishSigningKey(ctx, key);
  expect(await signingKeyRows(ctx).findOne({ _id: 'k' })).toMatchObject({ created_at: first });
});
