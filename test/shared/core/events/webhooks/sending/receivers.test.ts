import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { type Behaviour, startDeaf, startReceiver, startSilence } from '../../../../../support/receiver.ts';
import { attemptAllDue, raise, readDelivery } from '../../../../../support/webhooks.ts';

/** The contract's deadline. The five that wait for it come first: they run at the same time. */
const DEADLINE_MS = 10_000;
/** Beyond a timer of this process that began at the same time, and so is late by as much. */
const SLACK_MS = 900;

const { ctx, orgId, tenant, webhook } = await storesFixture();

/** One delivery to an endpoint, as the log shows it. */
async function deliverTo(url: string): Promise<{ status: string; attempt: Attempt }> {
  const own = await tenant();
  await own.webhook(url);
  const [eventId = ''] = await raise(ctx, own.orgId);
  await attemptAllDue(ctx, eventId);
  const { status, attempts } = await readDelivery(ctx, eventId);
  const [attempt] = attempts;
  if (!attempt || attempts.length !== 1) throw new Error(`${attempts.length} attempts`);
  return { status, attempt };
}

/** How long a timer of the deadline takes in this process now. */
async function measureDeadline(): Promise<number> {
  const startedMs = performance.now();
  await wait(DEADLINE_MS);
  return performance.now() - startedMs;
}

async function deliverAs(behaviour: Behaviour) {
  const receiver = await startReceiver(behaviour);
  const delivered = await deliverTo(receiver.url);
  return { ...delivered, receiver };
}

it('attempts at one webhook share a connection while the endpoint answers', async () => {
  const receiver = await startReceiver();
  await webhook(receiver.url);
  for (let index = 0; index < 5; index += 1) {
    const [eventId] = await raise(ctx, orgId);
    await attemptAllDue(ctx, eventId);
  }
  expect(receiver.received).toHaveLength(5);
  // The next request may begin before the last one has left its connection.
  expect(receiver.accepted).toBeLessThanOrEqual(2);
  await receiver.close();
});

describe.concurrent('a receiver that', () => {
  it.each<Behaviour>(['hang', 'drip-headers'])(
    'takes the request and does %s fails at 10 s',
    async (behaviour) => {
      const [{ receiver, attempt, status }, timerMs] = await Promise.all([
        deliverAs(behaviour),
        measureDeadline(),
      ]);
      expect([status, attempt.status, attempt.error]).toEqual(['pending', null, 'timeout']);
      expectDeadline(attempt, timerMs);
      await receiver.close();
    },
  );

  it.each([
    ['TCP connection', 'http', startDeaf],
    ['TLS handshake', 'https', startSilence],
  ])('never finishes the %s fails at 10 s', async (_phase, scheme, start) => {
    const endpoint = await start();
    const url = `${scheme}://127.0.0.1:${endpoint.port}/`;
    const [{ attempt, status }, timerMs] = await Promise.all([deliverTo(url), measureDeadline()]);
    expect([status, attempt.status, attempt.error]).toEqual(['pending', null, 'timeout']);
    expectDeadline(attempt, timerMs);
    await endpoint.close();
  });

  it('answers after 7 s has answered in time', async () => {
    const { receiver, attempt, status } = await deliverAs({ status: 200, afterMs: 7_000 });
    expect([status, attempt.status, attempt.error]).toEqual(['succeeded', 200, null]);
    expect(attempt.latency_ms).toBeGreaterThan(6_900);
    await receiver.close();
  });
});

/** Node counts a timer from the beginning of the turn that sets it, so that it may be early by what this turn took. */
const EARLY_MS = 100;

function expectDeadline({ latency_ms }: Attempt, timerMs: number): void {
  expect(latency_ms).toBeGreaterThanOrEqual(DEADLINE_MS - EARLY_MS);
  expect(latency_ms).toBeLessThan(timerMs + SLACK_MS);
}
