import { beforeEach, expect, test } from 'vitest';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { readFixture } from '../shared/core/calls/adapters/fixtures.ts';
import { bytesOf, type Fixture, type FixtureRecord } from '../shared/core/calls/adapters/otlp-messages.ts';
import { fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { ENCODINGS, type Encoding, sendOtlp } from '../support/otlp.ts';

type Attributes = FixtureRecord['attributes'];

const fx = await fixture({ perTest: true });
let budgetId: string;
beforeEach(async () => {
  ({ _id: budgetId } = await fx.budget({ window: 'monthly', enforce: 'hard' }));
});

const view = () => fx.ask(`/api/v1/budgets/${budgetId}`);
const reserve = async (): Promise<string> => {
  const body = { user_id: 'ada', estimate_usd: 1, ttl_s: 600 };
  return (await fx.ask('/api/v1/budgets/reserve', body)).reservation_id;
};
const untilReserved = (usd: number) => until(async () => (await view()).reserved === usd);

/** Sends the records of a fixture with other attributes, as of now. */
function send(encoding: Encoding, fixture: Fixture, attributes: Attributes = {}, key = fx.key) {
  const nanos = String(BigInt(Date.now()) * 1_000_000n);
  const times = { timeUnixNano: nanos, startTimeUnixNano: nanos, endTimeUnixNano: nanos };
  const now = { 'event.timestamp': new Date().toISOString() };
  const records = fixture.records.map((record) => ({
    ...record,
    ...times,
    attributes: { ...record.attributes, ...now, ...attributes },
  }));
  const { kind: route } = fixture;
  return sendOtlp(bytesOf({ ...fixture, records }, encoding), { to: fx.api, key, route, encoding });
}

const SENT = ENCODINGS.flatMap((encoding) =>
  ['claude-code', 'codex', 'semconv', 'litellm'].map((name) => [encoding, name] as const),
);
test.each(SENT)('a record in %s of %s that names a reservation settles it', async (encoding, name) => {
  const reservation = await reserve();
  await untilReserved(1);
  const attributes = { 'governor.reservation_id': reservation };
  expect((await send(encoding, readFixture(name), attributes)).status).toBe(200);
  const [signal] = await signalRows(fx.ctx).find({ org_id: fx.orgId, type: 'call' }).toArray();
  expect(signal).toMatchObject({ adapter: expect.any(String), reservation_id: reservation });
  await untilReserved(0);
  expect((await view()).current).toBeGreaterThan(0);
});

const gateway = (attributes: Attributes): Fixture => ({
  ...readFixture('gateway'),
  records: [{ attributes }],
});

test.each(ENCODINGS)('a line of a gateway’s access log (%s) counts and settles, once', async (encoding) => {
  const reservation = await reserve();
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
  for (let time = 0; time < 2; time += 1) expect((await send(encoding, line)).status).toBe(200);
  const read = { adapter: 'gateway', user_id: 'ada', project_id: 'checkout', provider: 'anthropic' };
  const counted = { id: reservation, reservation_id: reservation, tokens_in: 1000, tokens_out: 1000 };
  const signals = await signalRows(fx.ctx).find({ org_id: fx.orgId }).toArray();
  expect(signals).toMatchObject([{ ...read, ...counted }]);
  await untilReserved(0);
  expect((await view()).current).toBe(0.018);
});

test.each(ENCODINGS)(
  'a gateway’s call that failed without tokens (%s) frees its amount and counts nothing',
  async (encoding) => {
    const reservation = await reserve();
    await untilReserved(1);
    const line = gateway({
      'governor.reservation_id': reservation,
      'governor.user_id': 'ada',
      'gen_ai.usage.input_tokens': '-',
      'http.response.status_code': '503',
    });
    for (let time = 0; time < 2; time += 1) {
      const { status, bytes } = await send(encoding, line);
      expect([status, bytes.toString()]).toEqual([200, encoding === 'json' ? '{}' : '']);
    }
    await untilReserved(0);
    expect(await signalRows(fx.ctx).countDocuments({ org_id: fx.orgId })).toBe(0);
  },
);

test('a bound key frees no reservation of another user by a log', async () => {
  const reservation = await reserve();
  await untilReserved(1);
  const failed = gateway({ 'governor.reservation_id': reservation, 'http.response.status_code': '500' });
  expect((await send('json', failed, {}, await fx.keyOf('grace'))).status).toBe(200);
  await reserve();
  await untilReserved(2);
  expect((await send('json', failed)).status).toBe(200);
  await untilReserved(1);
});
