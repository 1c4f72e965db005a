import { expect, test } from 'vitest';
import { BUCKETS, type Bucket } from '../../../../shared/core/credits/buckets.ts';
import { readBalances } from '../../../../shared/core/credits/meter/read-balances.ts';
import { openCredits, writePlans } from '../../../support/credits.ts';
import { createTestClock } from '../../../support/harness.ts';

const WINDOW_MS = 60_000;
const clock = createTestClock(Date.parse('2026-03-01T10:00:00Z'));
const small = { window_credits: 1, window_s: WINDOW_MS / 1_000, monthly_credits: 2 };
const noWindow = { ...small, window_credits: 0 };
const plans = { free: small, team: noWindow, enterprise: { ...noWindow, monthly_credits: 0 } };
const fx = await openCredits({ clock, env: { PLANS_FILE: writePlans(plans) } });
const { ctx } = fx;

const COMBINATIONS = Array.from({ length: 16 }, (_, bits) =>
  BUCKETS.filter((_bucket, index) => (bits & (1 << index)) !== 0),
);

/** An account that holds credits in exactly these buckets, and its token. */
async function holding(full: readonly Bucket[]): Promise<string> {
  const monthly = full.includes('monthly');
  const plan =
    full.includes('window') || monthly ? (full.includes('window') ? 'free' : 'team') : 'enterprise';
  const { accountId, token } = await fx.makeAccount({ plan });
  if (full.includes('window') && !monthly) {
    await fx.spendTimes({ token }, 3);
    clock.advance(WINDOW_MS);
  }
  for (const bucket of ['paid', 'granted'] as const)
    if (full.includes(bucket)) await fx.grant(accountId, { bucket, amount: 1 });
  const { balances } = await readBalances(ctx, accountId);
  expect(BUCKETS.filter((bucket) => balances[bucket].credits > 0)).toEqual(full);
  return token;
}

test.each(COMBINATIONS.map((full) => [full.join(', ') || 'nothing', full] as const))(
  'of an account that holds %s, each spend takes from the first of window, monthly, paid, granted that has any',
  async (_name, full) => {
    const token = await holding(full);
    const taken: Bucket[] = [];
    for (;;) {
      const spent = await fx.spendOnce(token).catch((error: { code?: string }) => {
        expect(error.code).toBe('insufficient_credits');
        return null;
      });
      if (!spent) break;
      taken.push(JSON.parse(spent.answer).bucket);
    }
    // The month holds two.
    expect(taken).toEqual(full.flatMap((bucket) => (bucket === 'monthly' ? [bucket, bucket] : [bucket])));
  },
);
