import { expect, test } from 'vitest';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { readFixture } from '../shared/core/calls/adapters/fixtures.ts';
import { bytesOf, type Fixture, type FixtureRecord } from '../shared/core/calls/adapters/otlp-messages.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';

const TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' } as const;
const ENCODINGS = ['json', 'protobuf'] as const;

const { api } = await fixture();

async function tenantWithBudget() {
  const { orgId, key } = await makeTenant(api.ctx);
  const { body: budget } = await api.call('/api/v1/budgets', {
    key,
    body: {
      name: 'All',
      scope: 'org',
      metric: 'cost_usd',
      threshold: 10,
      window: 'monthly',
      enforce: 'hard',
    },
  });
  const view = async () => (await api.call(`/api/v1/budgets/${budget.id}`, { key })).body;
  const reserve = async (user_id: string) => {
    const body = { user_id, estimate_usd: 1, ttl_s: 600 };
    return (await api.call('/api/v1/budgets/reserve', { key, body })).body.reservation_id as string;
  };
  return { orgId, key, reserve, view };
}

/** Sends the records of a fixture with other attributes, as of now. */
async function send(
  key: string,
  encoding: keyof typeof TYPES,
  fixture: Fixture,
  attributes: FixtureRecord['attributes'],
) {
  const nowNanos = String(BigInt(Date.now()) * 1_000_000n);
  const timed = (record: FixtureRecord) => ({
    ...record,
    ...(fixture.kind === 'logs'
      ? { timeUnixNano: nowNanos }
      : { startTimeUnixNano: nowNanos, endTimeUnixNano: nowNanos }),
    attributes: { ...record.attributes, ...attributes },
  });
  const records = fixture.records.map(timed);
  return fetch(`${api.url}/otlp/v1/${fixture.kind}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': TYPES[encoding] },
    body: new Uint8Array(bytesOf({ ...fixture, records }, encoding)),
  });
}

const now = () => ({ 'event.timestamp': new Date().toISOString() });

test.each(
  ENCODINGS.flatMap((encoding) =>
    [
      ['claude-code', now],
      ['codex', now],
      ['semconv', () => ({})],
      ['litellm', () => ({})],
    ].map(([name, more]) => [encoding, name, more] as [typeof encoding, string, typeof now]),
  ),
)('a record in %s of %s that names a reservation settles it', async (encoding, name, more) => {
  const { orgId, key, reserve, view } = await tenantWithBudget();
  const reservation = await reserve('ada');
  await until(async () => (await view()).reserved === 1);
  const answer = await send(key, encoding, readFixture(name), {
    ...more(),
    'governor.reservation_id': reservation,
  });
  expect(answer.status).toBe(200);
  const [signal] = await signalRows(api.ctx).find({ org_id: orgId, type: 'call' }).toArray();
  expect(signal).toMatchObject({ adapter: expect.any(String), reservation_id: reservation });
  await until(async () => (await view()).reserved === 0);
  expect((await view()).current).toBeGreaterThan(0);
});

const gateway = (attributes: FixtureRecord['attributes']): Fixture => {
  const fixture = readFixture('gateway');
  return { ...fixture, records: [{ attributes }] };
};

test.each(ENCODINGS)('a line of a gateway’s access log (%s) counts and settles, once', async (encoding) => {
  const { orgId, key, reserve, view } = await tenantWithBudget();
  const reservation = await reserve('ada');
  const line = gateway({
    'governor.reservation_id': reservation,
    'governor.user_id': 'ada',
    'governor.project_id': 'checkout',
    'gen_ai.request.model': 'claude-sonnet-4-5',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.usage.input_tokens': '1000',
    'gen_ai.usage.output_tokens': '1000',
    'gen_ai.usage.cost': '-',
    'http.response.status_code': '200',
  });
  for (let time = 0; time < 2; time += 1) expect((await send(key, encoding, line, {})).status).toBe(200);
  const signals = await signalRows(api.ctx).find({ org_id: orgId }).toArray();
  expect(signals).toHaveLength(1);
  expect(signals[0]).toMatchObject({
    adapter: 'gateway',
    id: reservation,
    user_id: 'ada',
    project_id: 'checkout',
    provider: 'anthropic',
    tokens_in: 1000,
    tokens_out: 1000,
    reservation_id: reservation,
  });
  await until(async () => (await view()).reserved === 0);
  expect((await view()).current).toBe(0.018);
});

test.each(ENCODINGS)(
  'a gateway’s call that failed without tokens (%s) frees its amount and counts nothing',
  async (encoding) => {
    const { orgId, key, reserve, view } = await tenantWithBudget();
    const reservation = await reserve('ada');
    await until(async () => (await view()).reserved === 1);
    const line = gateway({
      'governor.reservation_id': reservation,
      'governor.user_id': 'ada',
      'gen_ai.usage.input_tokens': '-',
      'http.response.status_code': '503',
    });
    for (let time = 0; time < 2; time += 1) {
      const answer = await send(key, encoding, line, {});
      expect([answer.status, await answer.text()]).toEqual([200, encoding === 'json' ? '{}' : '']);
    }
    await until(async () => (await view()).reserved === 0);
    expect(await signalRows(api.ctx).countDocuments({ org_id: orgId })).toBe(0);
  },
);

test('a bound key frees no reservation of another user by a log', async () => {
  const { orgId, reserve, key, view } = await tenantWithBudget();
  const reservation = await reserve('ada');
  await until(async () => (await view()).reserved === 1);
  const bound = await createApiKey(api.ctx, {
    org_id: orgId,
    scopes: ['signals:write'],
    user_id: 'grace',
  });
  const failed = gateway({ 'governor.reservation_id': reservation, 'http.response.status_code': '500' });
  expect((await send(bound.key, 'json', failed, {})).status).toBe(200);
  const again = await reserve('ada');
  await until(async () => (await view()).reserved === 2);
  expect((await send(key, 'json', failed, {})).status).toBe(200);
  await until(async () => (await view()).reserved === 1);
  expect(again).not.toBe(reservation);
});
