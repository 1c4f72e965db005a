import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { cancelWaiters } from '../../shared/core/events/webhooks/sending/endpoint.ts';
import { fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { attemptAllDue, raise, SECRET } from '../support/webhooks.ts';

const f = await fixture({ perTest: true, receiver: true });
const { api } = f;

const PATH = '/services/T000/B000/a-token-that-nobody-may-see';
const register = (fields: Record<string, unknown> = {}) => {
  const url = f.receiver.url.replace('/hook', PATH);
  return f.send('/api/v1/webhooks', { url, events: ['session.started'], format: 'slack', ...fields });
};

describe.each(['slack', 'teams', 'discord', 'ntfy'] as const)('a webhook of the format %s', (format) => {
  it('needs no secret, never shows more of its URL than the host, and stores it encrypted', async () => {
    const made = await register({ format });
    const shown = `${new URL(f.receiver.url).origin}/…`;
    expect([made.status, made.body.url, made.body.format]).toEqual([201, shown, format]);
    const { id } = made.body;
    const seen = await Promise.all([
      f.send('/api/v1/webhooks'),
      f.send(`/api/v1/webhooks/${id}`),
      f.patch(`/api/v1/webhooks/${id}`, { enabled: false }),
    ]);
    const stored = await webhookRows(api.ctx).findOne({ _id: id });
    const audited = await f.audited();
    for (const each of [made.text, ...seen.map(({ text }) => text), JSON.stringify([stored, audited])])
      expect(each).not.toContain('a-token');
    expect(stored?.encrypted_url).toMatch(/^v1\./);
  });

  it('is sent messages to the whole URL, signed over the bytes that are sent, and the log shows these', async () => {
    await f.member('ada', { name: 'Ada Lovelace' });
    const { body } = await register({ format, secret: SECRET });
    await f.spend({ user_id: 'ada' });
    const log = `/api/v1/webhooks/${body.id}/deliveries`;
    const [{ id, event_id }] = (await f.ask(log)).data;
    const shown = async () => (await f.ask(`${log}/${id}`)).request;
    const before = await shown();
    await attemptAllDue(api.ctx, event_id);
    const [request] = f.receiver.received;
    const signature = createHmac('sha256', SECRET).update(before.body).digest('hex');
    const headers = { ...before.headers, 'x-service-signature': `sha256=${signature}` };
    expect(request).toMatchObject({ path: PATH, body: before.body, headers });
    expect(before.body).toContain('Ada Lovelace');
    expect(await shown()).toEqual(before);
  });

  it('is tested in its format', async () => {
    const { body } = await register({ format });
    const test = await f.send('/api/v1/webhooks/test', { webhook_id: body.id });
    expect([test.status, test.body.status]).toEqual([200, 200]);
    const message = { path: PATH, body: expect.stringContaining('Test message') };
    expect(f.receiver.received).toMatchObject([message]);
  });

  it('takes no address of our own network', async () => {
    for (const url of ['https://169.254.169.254/x', 'https://10.0.0.1/x', 'http://example.com/x']) {
      const { status, body } = await register({ format, url });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(JSON.stringify(body)).not.toContain('/x');
    }
  });
});

it.each(['slack', 'discord'])(
  'a burst does not go to %s at once: the ninth message waits',
  async (format) => {
    await register({ format });
    await raise(api.ctx, f.orgId, 24);
    const withWaits = (timeScale: number) => ({ ...api.ctx, config: { ...api.ctx.config, timeScale } });
    const slow = withWaits(0.1);
    const attempts = attemptAllDue(slow);
    const done = { org_id: f.orgId, status: 'succeeded' as const };
    await until(async () => (await deliveryRows(api.ctx).countDocuments(done)) === 8);
    expect(f.receiver.received).toHaveLength(8);
    cancelWaiters(slow);
    await attempts;
    const quick = withWaits(1_000);
    while ((await attemptAllDue(quick)) > 0);
    expect(f.receiver.received).toHaveLength(24);
  },
);
