import { expect, test } from 'vitest';
import { recordSignals } from '../../../shared/core/calls/ingest/record-signals.ts';
import { queuedDeliveryRows } from '../../../shared/core/events/webhooks/deliveries/model.ts';
import { deliver } from '../../../shared/core/events/webhooks/sending/deliver.ts';
import { evaluateDue } from '../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { makeSignal, senderOf } from '../../support/factories.ts';
import { filesEntered } from '../../support/files-entered.ts';
import { storesFixture } from '../../support/fixture.ts';
import { raise } from '../../support/webhooks.ts';

const fixture = await storesFixture({
  clock: Date.UTC(2026, 10, 18, 10, 20),
  receiver: true,
  perTest: true,
});
const { ctx, clock, receiver } = fixture;

/**
 * The files of the core, without prices, that two more `act`s both enter once three have filled the caches: a timer of another test
 * may run beside one of them.
 */
async function coreFilesOf(
  act: () => Promise<unknown>,
  prepare: () => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  for (const _ of [1, 2, 3]) {
    await prepare();
    await act();
  }
  await prepare();
  const first = new Set(await filesEntered(act));
  await prepare();
  const files = (await filesEntered(act)).filter((file) => first.has(file));
  return files.filter((file) => file.startsWith('shared/core/') && !file.startsWith('shared/core/pricing/'));
}

const post = (signal: Record<string, unknown> = {}) =>
  recordSignals(ctx, senderOf(fixture.orgId), [makeSignal({ ts: clock.now(), ...signal })]);

test('a signal of a known session enters at most 22 files of the core', async () => {
  const files = await coreFilesOf(post);
  expect(files).toContain('shared/core/calls/ingest/decide-batch.ts');
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(22);
});

test('a signal with a budget, a branch and a subscriber enters at most 30 files of the core', async () => {
  await fixture.budget();
  await fixture.webhook(receiver.url);
  const files = await coreFilesOf(() => post({ repository: 'github.com/acme/shop', branch: 'main' }));
  expect(files).toContain('shared/core/limits/budgets/rules/windows.ts');
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(30);
});

test('a delivery enters at most 14 files of the core', async () => {
  await fixture.webhook(receiver.url);
  const eventIds = await raise(ctx, fixture.orgId, 5);
  const due = await queuedDeliveryRows(ctx)
    .find({ event_id: { $in: eventIds } })
    .toArray();
  const files = await coreFilesOf(async () => {
    const { _id, webhook_id, wake } = due.shift() ?? expect.unreachable();
    await deliver(ctx, { webhook_id, delivery_ids: [_id], wake, published: false });
  });
  expect(receiver.received).toHaveLength(5);
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(14);
});

test('an evaluation of a budget enters at most 15 files of the core', async () => {
  await fixture.budget();
  await fixture.webhook(receiver.url);
  const files = await coreFilesOf(
    () => evaluateDue(ctx, fixture.orgId),
    async () => {
      await post();
      clock.advance(60_000);
    },
  );
  expect(files).toContain('shared/core/limits/budgets/rules/evaluate.ts');
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(15);
});
