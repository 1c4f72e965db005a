import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { makeTenant } from './factories.ts';
import { createTestClock, openTestContext, type TestClock, type TestContext } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** The time at which a fixture's clock begins, epoch ms. */
export const START = Date.parse('2026-11-21T12:00:00.000Z');

export interface WebhookFixture {
  clock: TestClock;
  ctx: TestContext;
  receiver: Receiver;
  orgId: string;
}

/** Opens a context with a clock for a file, and a receiver and an organization of its own for each test. */
export function webhookFixture(): WebhookFixture {
  const fixture = { clock: createTestClock(START) } as WebhookFixture;
  beforeAll(async () => {
    fixture.ctx = await openTestContext({ clock: fixture.clock });
  });
  beforeEach(async () => {
    fixture.receiver = await startReceiver();
    fixture.orgId = (await makeTenant(fixture.ctx)).orgId;
  });
  afterEach(() => fixture.receiver.close());
  afterAll(() => fixture.ctx.close());
  return fixture;
}
