import { describe, expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import { waitUntilReady } from '../../../../../shared/platform/redis/connect.ts';
import { contextRows } from '../../../../../shared/wings/work/attribution/model.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';
import { openTestContext, type TestContext } from '../../../../support/harness.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;
const LIMITS = { RATE_LIMITS: 'on', VALUES_PER_DAY: '3' };
const { api, clock } = await fixture({ clock: NOW, env: LIMITS });

async function post(orgId: string, signals: Record<string, unknown>[], ctx: TestContext = api.ctx) {
  const results = await recordSignals(ctx, senderOf(orgId), signals);
  return results.map((result) => (result.status === 'rejected' ? result.code : result.status));
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
      expect(await post(orgId, ['a', 'd', 'e', 'c'].map(of))).toEqual([
        'accepted',
        'too_many_values',
        'too_many_values',
        'accepted',
      ]);
      expect(await signalRows(api.ctx).countDocuments({ org_id: orgId })).toBe(7);
      const other = await makeTenant(api.ctx);
      expect(await post(other.orgId, [of('d')])).toEqual(['accepted']);
    },
  );

  test('may tell no new work, by signals and by contexts, and goes on with those that it has', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const place = (branch: string) => ({ repository: 'github.com/acme/shop', branch });
    const tell = async (...branches: string[]) => {
      const ts = new Date(clock.now()).toISOString();
      const contexts = branches.map((branch) => ({ client_session_id: `s-${branch}`, ts, ...place(branch) }));
      const { body } = await api.call('/api/v1/contexts', { key, body: { contexts } });
      return body.results.map(({ status, code }: Record<string, string>) => code ?? status);
    };
    expect(await post(orgId, [signalOf(place('a')), signalOf({ ...place('a'), task: 'T' })])).toEqual([
      'accepted',
      'accepted',
    ]);
    expect(await tell('a', 'b', 'c', 'd')).toEqual([
      'accepted',
      'accepted',
      'too_many_values',
      'too_many_values',
    ]);
    expect(
      await post(
        orgId,
        ['b', 'c'].map((branch) => signalOf(place(branch))),
      ),
    ).toEqual(['accepted', 'too_many_values']);
    expect(await contextRows(api.ctx).countDocuments({ org_id: orgId })).toBe(2);
  });

  test('may report new ones from midnight UTC on', async () => {
    const { orgId } = await makeTenant(api.ctx);
    expect(await post(orgId, usersOf('a', 'b', 'c', 'd'))).toContain('too_many_values');
    clock.advance(DAY / 2);
    expect(await post(orgId, usersOf('d', 'e', 'f'))).toEqual(['accepted', 'accepted', 'accepted']);
    clock.set(NOW);
  });

  test('has one count over all processes, and each of them takes the users that another knows', async () => {
    const { orgId } = await makeTenant(api.ctx);
    const second = await openTestContext({ clock, sharing: api.ctx });
    const [first] = usersOf('a');
    expect(await post(orgId, [first as Record<string, unknown>, ...usersOf('b')])).toEqual([
      'accepted',
      'accepted',
    ]);
    expect(await post(orgId, usersOf('c'), second)).toEqual(['accepted']);
    expect(await post(orgId, usersOf('d'), second)).toEqual(['too_many_values']);
    expect(await post(orgId, usersOf('d'))).toEqual(['too_many_values']);
    expect(await post(orgId, [...usersOf('a', 'b'), first as Record<string, unknown>], second)).toEqual([
      'accepted',
      'accepted',
      'duplicate',
    ]);
    await second.close();
  });
});

test.each(['user_id', 'project_id', 'model'])(
  'a signal is a repeat for every process, also when no further %s is taken',
  async (field) => {
    const { orgId } = await makeTenant(api.ctx);
    const second = await openTestContext({ clock, sharing: api.ctx });
    await waitUntilReady(second.redis.queues, 5_000);
    const first = signalOf({ [field]: 'a' });
    expect(await post(orgId, [first])).toEqual(['accepted']);
    await post(
      orgId,
      ['b', 'c', 'd'].map((value) => signalOf({ [field]: value })),
    );
    expect(await post(orgId, [first, signalOf({ [field]: 'e' })], second)).toEqual([
      'duplicate',
      'too_many_values',
    ]);
    await second.close();
  },
);

test.each(['user_id', 'project_id', 'model'])(
  'a signal of yesterday is a repeat, though no further %s is taken today and its process has recorded others',
  async (field) => {
    const { orgId } = await makeTenant(api.ctx);
    const of = (value: string) => signalOf({ [field]: value });
    const first = of('a');
    expect(await post(orgId, [first])).toEqual(['accepted']);
    clock.advance(DAY);
    expect(await post(orgId, ['b', 'c', 'd'].map(of))).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await post(orgId, [first, of('e')])).toEqual(['duplicate', 'too_many_values']);
    clock.set(NOW);
  },
);

test('values that a process has seen today cost no call of Redis', async () => {
  const { orgId } = await makeTenant(api.ctx);
  await post(orgId, usersOf('a', 'b'));
  const commands: string[] = [];
  const monitor = await watchScripts(api.ctx, commands);
  await post(orgId, usersOf('b', 'a', 'a'));
  expect(commands.filter((line) => line.includes(orgId))).toEqual([]);
  await post(orgId, usersOf('c', 'a'));
  expect(commands.filter((line) => line.includes(orgId))).toHaveLength(1);
  monitor();
});

test('the new values of requests that come together cost one call of Redis', async () => {
  const { orgId } = await makeTenant(api.ctx);
  const commands: string[] = [];
  const monitor = await watchScripts(api.ctx, commands);
  const answers = await Promise.all(['a', 'b', 'c'].map((user) => post(orgId, usersOf(user))));
  expect(answers).toEqual([['accepted'], ['accepted'], ['accepted']]);
  expect(commands.filter((line) => line.includes(orgId))).toHaveLength(1);
  monitor();
});

/** Collects the scripts that the client of the queues sends. */
async function watchScripts(ctx: TestContext, commands: string[]): Promise<() => void> {
  const client = ctx.redis.queues;
  const original = client.evalsha.bind(client) as (...args: unknown[]) => unknown;
  Object.assign(client, {
    evalsha: (...args: unknown[]) => {
      commands.push(args.join(' '));
      return original(...args);
    },
  });
  return () => Object.assign(client, { evalsha: original });
}

test('values that Redis could not count are counted when it answers again', async () => {
  const { orgId } = await makeTenant(api.ctx);
  const client = api.ctx.redis.queues;
  const original = client.evalsha.bind(client);
  Object.assign(client, { evalsha: () => Promise.reject(new Error('Connection is closed.')) });
  expect(await post(orgId, usersOf('a', 'b', 'c'))).toEqual(['accepted', 'accepted', 'accepted']);
  Object.assign(client, { evalsha: original });
  clock.advance(5_000);
  await post(orgId, usersOf('a', 'b', 'c'));
  expect(await post(orgId, usersOf('d'))).toEqual(['too_many_values']);
  clock.set(NOW);
});

test('nothing is refused while Redis cannot be asked, or when limits are off', async () => {
  const users = ['a', 'b', 'c', 'd', 'e'];
  for (const options of [
    { env: LIMITS, redisUrl: 'redis://127.0.0.1:1' },
    { env: { ...LIMITS, RATE_LIMITS: 'off' } },
  ]) {
    const ctx = await openTestContext({ clock, ...options });
    const { orgId } = await makeTenant(ctx);
    expect(new Set(await post(orgId, usersOf(...users), ctx))).toEqual(new Set(['accepted']));
    await ctx.close();
  }
});
