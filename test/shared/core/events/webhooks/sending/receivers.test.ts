import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { startDeaf, startReceiver, startSilence } from '../../../../../support/receiver.ts';
import { attemptAllDue, raise, readDelivery } from '../../../../../support/webhooks.ts';

/** The contract's deadline, for which the four that wait for it wait at the same time. */
const DEADLINE_MS = 10_000;
/** Beyond a timer of this process that began at the same time, and so is late by as much. */
const SLACK_MS = 900;
/** Node counts a timer from the beginning of the turn that sets it, so that it may be early by what this turn took. */
const EARLY_MS = 100;

const { ctx, orgId, tenant, webhook } = await storesFixture();

/** The one attempt of a delivery to an endpoint, as the log shows it. */
async function attemptAt(url: string): Promise<Attempt> {
  const own = await tenant();
  await own.webhook(url);
  const [eventId = ''] = await raise(ctx, own.orgId);
  await attemptAllDue(ctx, eventId);
  const { status, attempts } = await readDelivery(ctx, eventId);
  const [attempt] = attempts;
  if (!attempt || attempts.length !== 1) throw new Error(`${attempts.length} attempts`);
  expect(status).toBe('pending');
  return attempt;
}

/** How long a timer of the deadline takes in this process now. */
async function measureDeadline(): Promise<number> {
  const startedMs = performance.now();
  await wait(DEADLINE_MS);
  return performance.now() - startedMs;
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

const at = async (scheme: string, start: typeof startDeaf) => {
  const receiver = await start();
  return { url: `${scheme}://127.0.0.1:${receiver.port}/`, close: () => receiver.close() };
};

describe.concurrent('a receiver that', () => {
  it.each<[string, () => Promise<{ url: string; close: () => Promise<void> }>]>([
    ['takes the request and answers nothing', () => startReceiver('hang')],
    ['takes the request and never ends its headers', () => startReceiver('drip-headers')],
    ['never finishes the TCP connection', () => at('http', startDeaf)],
    ['never finishes the TLS handshake', () => at('https', startSilence)],
  ])('%s fails at 10 s', async (_, start) => {
    const { url, close } = await start();
    const [attempt, timerMs] = await Promise.all([attemptAt(url), measureDeadline()]);
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
    expect(attempt.latency_ms).toBeGreaterThanOrEqual(DEADLINE_MS - EARLY_MS);
    expect(attempt.latency_ms).toBeLessThan(timerMs + SLACK_MS);
    await close();
  });
});
