import { Webhook as StandardWebhook } from 'standardwebhooks';
import { verifyWebhook } from 'usage-governor/verify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventRows } from '../../../../../../shared/core/events/record/model.ts';
import { retryWebhook } from '../../../../../../workers/index.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { failCommits } from '../../../../../support/interleave.ts';
import {
  attemptAllDue,
  findDeliveries,
  raise,
  readDelivery,
  SECRET,
  subscribe,
} from '../../../../../support/webhooks.ts';

const fx = await storesFixture({ clock: '2026-11-21T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;
/** Characters of two to four bytes, and one that ends lines in JavaScript. */
const NAMES = 'Zoë ☕ 漢字 🧾 \u2028';
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a delivery', () => {
  it('is verified by the Standard Webhooks libraries, whatever characters it has, also with a whsec_ secret', async () => {
    const whsec = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
    const asked = { url: fx.receiver.url, events: ['session.started' as const] };
    for (const secret of [SECRET, whsec]) await subscribe(ctx, fx.orgId, { ...asked, secret });
    clock.set(Date.now());
    await raise(ctx, fx.orgId, 1, { user_id: NAMES });
    await attemptAllDue(ctx);
    const verifiedBy = (secret: string) =>
      fx.receiver.received.filter(({ body, headers }) => {
        const library =
          secret === SECRET ? new StandardWebhook(secret, { format: 'raw' }) : new StandardWebhook(secret);
        try {
          library.verify(body, headers as Record<string, string>);
          return verifyWebhook(body, headers['x-service-signature'], secret);
        } catch {
          return false;
        }
      });
    expect(fx.receiver.received).toHaveLength(2);
    expect(verifiedBy(SECRET)).toHaveLength(1);
    expect(verifiedBy(whsec)).toHaveLength(1);
  });

  it('goes to each webhook that subscribes and to no other; without one the event is not stored', async () => {
    const other = await fx.tenant();
    await fx.webhook(`${fx.receiver.url}/b`, ['budget.warning']);
    await raise(ctx, fx.orgId);
    expect(await eventRows(ctx).countDocuments({ org_id: fx.orgId })).toBe(0);
    await fx.webhook(`${fx.receiver.url}/a`, ['session.started', 'session.ended']);
    await other.webhook(`${fx.receiver.url}/c`);
    await raise(ctx, fx.orgId);
    await attemptAllDue(ctx);
    expect(fx.receiver.received.map(({ path }) => path)).toEqual(['/hook/a']);
  });

  it('is not planned when the change that raised it is rolled back', async () => {
    await fx.webhook(fx.receiver.url);
    failCommits('each');
    await expect(raise(ctx, fx.orgId)).rejects.toThrow('planted');
    vi.restoreAllMocks();
    expect(await findDeliveries(ctx, { org_id: fx.orgId })).toEqual([]);
    expect(await eventRows(ctx).countDocuments({ org_id: fx.orgId })).toBe(0);
    await ctx.queues.drained();
    expect(await attemptAllDue(ctx)).toBe(0);
  });
});

describe('the schedule', () => {
  it('is 0 s, 30 s, 5 min, 30 min and 2 h after the failure before, exactly', async () => {
    fx.receiver.behave({ status: 500, body: 'not today' });
    await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    const times: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await attemptAllDue(ctx);
      times.push(clock.now());
      const { next_attempt_at } = await readDelivery(ctx, eventId);
      if (!next_attempt_at) break;
      clock.set(next_attempt_at.getTime() - 1);
      expect(await attemptAllDue(ctx)).toBe(0);
      clock.advance(1);
    }
    const waits = times.map((at, index) => at - (times[index - 1] ?? at));
    expect(waits).toEqual([0, 30_000, 300_000, 1_800_000, 7_200_000]);
    const { received } = fx.receiver;
    const numbers = received.map(({ headers }) => headers['x-service-attempt']).join();
    expect([numbers, new Set(received.map(({ body }) => body)).size]).toEqual(['1,2,3,4,5', 1]);
    const timestamps = received.map(({ headers }) => Number(headers['webhook-timestamp']) * 1_000);
    expect(timestamps).toEqual(times);
    const answered = { status: 500, error: 'http', answer: 'not today' };
    const attempts = [1, 2, 3, 4, 5].map((number) => ({ number, ...answered }));
    expect(await readDelivery(ctx, eventId)).toMatchObject({ status: 'exhausted', attempts });
  });

  it('wakes each retry a little early, and sends it when it is due', async () => {
    fx.receiver.behave({ status: 500 });
    await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    await attemptAllDue(ctx);
    const { _id, webhook_id } = await readDelivery(ctx, eventId);
    await ctx.queues.drained();
    expect((await ctx.queues.of('retry-webhook').getJob(`${_id}-2`))?.delay).toBe(29_750);
    const job = { webhook_id, delivery_ids: [_id], wake: `${_id}-2`, published: false };
    const dueMs = clock.now() + 30_000;
    expect(await retryWebhook.handle(job, ctx)).toEqual({ notBeforeMs: dueMs - 250 });
    clock.set(dueMs - 50);
    expect(await retryWebhook.handle(job, ctx)).toEqual({ notBeforeMs: dueMs });
    expect(fx.receiver.received).toHaveLength(1);
    const handled = retryWebhook.handle(job, ctx);
    clock.set(dueMs);
    expect(await handled).toBeUndefined();
    expect(fx.receiver.received).toHaveLength(2);
  });

  it('records an attempt once, however many workers run it', async () => {
    fx.receiver.behave({ status: 500, afterMs: 30 });
    await fx.webhook(fx.receiver.url);
    const [eventId = ''] = await raise(ctx, fx.orgId);
    await Promise.all(Array.from({ length: 4 }, () => attemptAllDue(ctx, eventId)));
    const delivery = await readDelivery(ctx, eventId);
    expect(delivery.attempts).toHaveLength(1);
    expect(delivery.next_attempt_at).toEqual(new Date(clock.now() + 30_000));
  });
});
