import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordSignals } from '../../../shared/ingest/record-signals.ts';
import { makeSignal, makeTenant } from '../../support/factories.ts';
import { createTestClock, openTestContext, type TestContext } from '../../support/harness.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
let ctx: TestContext;
beforeAll(async () => {
  ctx = await openTestContext({ clock: createTestClock(NOON + 4 * 60 * MINUTE) });
});
afterAll(() => ctx.close());

test('a late signal joins the long session that it lies in, though that began long before and another came since', async () => {
  const { orgId } = await makeTenant(ctx);
  const sender = { orgId, boundUserId: null, defaultProjectId: null };
  const post = async (...minutes: number[]) => {
    const signals = minutes.map((minute) => makeSignal({ ts: NOON + minute * MINUTE }));
    const results = await recordSignals(ctx, sender, signals);
    return results.map((result) => (result.status === 'accepted' ? result.session_id : result.status));
  };
  const [long] = await post(0, 20, 40, 60, 80);
  const [newer] = await post(200);
  expect(newer).not.toBe(long);
  expect(await post(65)).toEqual([long]);
});
