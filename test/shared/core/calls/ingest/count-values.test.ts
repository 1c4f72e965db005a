import { beforeEach, describe, expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import { waitUntilReady } from '../../../../../shared/platform/redis/connect.ts';
import { contextRows } from '../../../../../shared/wings/work/attribution/model.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { fixture, processBeside } from '../../../../support/fixture.ts';
import { openTestContext, type TestContext } from '../../../../support/harness.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;
const LIMITS = { RATE_LIMITS: 'on', VALUES_PER_DAY: '3' };
const { api, clock } = await fixture({ clock: NOW, env: LIMITS });
const second = await processBeside(api.ctx);
await waitUntilReady(second.redis.queues, 5_000);
beforeEach(() => clock.set(NOW));

/** Records signals, and says what became of each. */
async function post(orgId: string, signals: Record<string, unknown>[], ctx: TestContext = api.ctx) {
  const results = await recordSignals(ctx, senderOf(orgId), signals);
  return results.map((result) => (result.status === 'rejected' ? result.code : result.status)).join(' ');
}
const signalOf = (fields: Record<string, unknown>) => makeSignal({ ts: clock.now(), ...fields });
const usersOf = (...names: string[]) => names.map((user_id) => signalOf({ user_id }));

describe('an organization that has reported as many values as it may today', () => {
  test.each(['user_id', 'project_id', 'model'])(
    'reports no further %s, and goes on with the others',
    async (field) => {
      const { orgId, key } = await makeTenant(api.ctx);
      const of = (value: string) => signalOf({ [field]: value });
      const signals = ['a', 'b', 'a', 'c', 'd', 'b'].map(of);
      const { body } = await api.call('/api/v1/signals', { key, body: { signals } });
      expect(body.results[4]).toMatchObject({
        status: 'rejected',
        code: 'too_many_values',
        detail: expect.stringContaining(field),
      });
      expect(await post(orgId, ['a', 'd', 'e', 'c'].map(of))).toBe(
        'accepted too_many_values too_many_values accepted',
      );
      expect(await signalRows(api.ctx).countDocuments({ org_id: orgId })).toBe(7);
      const other = await makeTenant(api.ctx);
      expect(await post(other.orgId, [of('d')])).toBe('accepted');
    },
  );

  test('may tell no new work, by signals and by contexts, and goes on with those that it has', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const place = (branch: string) => ({ repository: 'github.com/acme/shop', branch });
    const tell = async (...branches: string[]) => {
      const ts = new Date(clock.now()).toISOString();
      const contexts = branches.map((branch) => ({ client_session_id: `s-${branch}`, ts, ...place(branch) }));
      const { body } = await api.call('/api/v1/contexts', { key, body: { contexts } });
      return body.results.map(({ status, code }: Record<string, string>) => code ?? status).join(' ');
    };
    const placed = [signalOf(place('a')), signalOf({ ...place('a'), task: 'T' })];
    expect(await post(orgId, placed)).toBe('accepted accepted');
    expect(await tell('a', 'b', 'c', 'd')).toBe('accepted accepted too_many_values too_many_values');
    const further = [signalOf(place('b')), signalOf(place('c'))];
    expect(await post(orgId, further)).toBe('accepted too_many_values');
    expect(await contextRows(api.ctx).countDocuments({ org_id: orgId })).toBe(2);
  });

  test('may report new ones from midnight UTC on', async () => {
    const { orgId } = await makeTenant(api.ctx);
    expect(await post(orgId, usersOf('a', 'b', 'c', 'd'))).toContain('too_many_values');
    clock.advance(DAY / 2);
    expect(await post(orgId, usersOf('d', 'e', 'f'))).toBe('accepted accepted accepted');
  });

  test('has one count over all processes, and each of them takes the users that another knows', async () => {
    const { orgId } = await makeTenant(api.ctx);
    const [first = {}] = usersOf('a');
    expect(await post(orgId, [first, ...usersOf('b')])).toBe('accepted accepted');
    expect(await post(orgId, usersOf('c'), second)).toBe('accepted');
    for (const ctx of [second, api.ctx]) expect(await post(orgId, usersOf('d'), ctx)).toBe('too_many_values');
    expect(await post(orgId, [...usersOf('a', 'b'), first], second)).toBe('accepted accepted duplicate');
  });
});

test.each(['user_id', 'project_id', 'model'])(
  'a signal is a repeat for every process, and the day after, also when no further %s is taken',
  async (field) => {
    const { orgId } = await makeTenant(api.ctx);
    const of = (value: string) => signalOf({ [field]: value });
    const first = of('a');
    expect(await post(orgId, [first])).toBe('accepted');
    await post(orgId, ['b', 'c', 'd'].map(of));
    expect(await post(orgId, [first, of('e')], second)).toBe('duplicate too_many_values');
    clock.advance(DAY);
    expect(await post(orgId, ['b', 'c', 'd'].map(of))).toBe('accepted accepted accepted');
    expect(await post(orgId, [first, of('e')])).toBe('duplicate too_many_values');
  },
);

test('new values of requests that come together cost one call of Redis, and those that a process has seen none', async () => {
  const { orgId } = await makeTenant(api.ctx);
  const calls: string[] = [];
  const client = api.ctx.redis.queues;
  const original = client.evalsha.bind(client) as (...args: unknown[]) => unknown;
  const evalsha = (...args: unknown[]) => {
    if (args.join(' ').includes(orgId)) calls.push(args.join(' '));
    return original(...args);
  };
  Object.assign(client, { evalsha });
  const answers = await Promise.all(['a', 'b'].map((user) => post(orgId, usersOf(user))));
  expect(answers).toEqual(['accepted', 'accepted']);
  expect(calls).toHaveLength(1);
  await post(orgId, usersOf('b', 'a', 'a'));
  expect(calls).toHaveLength(1);
  await post(orgId, usersOf('c', 'a'));
  expect(calls).toHaveLength(2);
  Object.assign(client, { evalsha: original });
});

test('values that Redis could not count are counted when it answers again', async () => {
  const { orgId } = await makeTenant(api.ctx);
  const client = api.ctx.redis.queues;
  const original = client.evalsha.bind(client);
  Object.assign(client, { evalsha: () => Promise.reject(new Error('Connection is closed.')) });
  expect(await post(orgId, usersOf('a', 'b', 'c'))).toBe('accepted accepted accepted');
  Object.assign(client, { evalsha: original });
  clock.advance(5_000);
  await post(orgId, usersOf('a', 'b', 'c'));
  expect(await post(orgId, usersOf('d'))).toBe('too_many_values');
});

test('nothing is refused while Redis cannot be asked, or when limits are off', async () => {
  for (const options of [
    { env: LIMITS, redisUrl: 'redis://127.0.0.1:1' },
    { env: { ...LIMITS, RATE_LIMITS: 'off' } },
  ]) {
    const ctx = await openTestContext({ clock, ...options });
    const { orgId } = await makeTenant(ctx);
    expect(await post(orgId, usersOf('a', 'b', 'c', 'd'), ctx)).not.toContain('too_many_values');
    await ctx.close();
  }
});
