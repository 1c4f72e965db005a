import { describe, expect, test } from 'vitest';
import { routes } from '../../api/routes/index.ts';
import { deviceGrantRows, deviceRows } from '../../shared/core/accounts/devices/model.ts';
import { idempotencyRecordRows } from '../../shared/core/accounts/idempotency/model.ts';
import { apiKeyRows } from '../../shared/core/accounts/keys/model.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { FOLDER } from '../support/destinations.ts';
import { BUDGET, fixture } from '../support/fixture.ts';

const HOUR_MS = 3_600_000;
const f = await fixture({
  clock: true,
  env: { EXPORT_FOLDER: '/nowhere' },
  idp: true,
  admin: true,
  perTest: true,
});
const { api, clock } = f;
const KEY = 'Idempotency-Key';
const post = (path: string, idempotencyKey: string, body: unknown) =>
  f.send(path, body, { key: f.admin, headers: { [KEY]: idempotencyKey } });
const begin = (idempotencyKey: string) =>
  api.call('/v1/device_authorization', {
    body: { name: idempotencyKey },
    headers: { [KEY]: idempotencyKey },
  });
const atOnce = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));

describe('inviting a member with an Idempotency-Key', () => {
  const body = { email: 'new@example.org', role: 'member', teams: ['red'] };

  test('shows the old answer to nobody who is no admin any more', async () => {
    await f.person(undefined, 'admin');
    expect((await post('/v1/members', 'demoted', body)).status).toBe(201);
    await changeMember(api.ctx, f.orgId, f.admin.userId, { role: 'member' });
    const repeat = await post('/v1/members', 'demoted', body);
    expect([repeat.status, repeat.body.code]).toEqual([403, 'missing_scope']);
    expect(repeat.text).not.toContain(body.email);
  });
});

describe('making a key with an Idempotency-Key', () => {
  const body = { name: 'ci', scopes: ['signals:write'] };

  test('makes one: each repeat is 409 and names it, and the key is kept nowhere', async () => {
    const answers = await atOnce(10, () => post('/v1/keys', 'key', body));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    const [{ body: first } = { body: {} }] = made;
    expect(first.key).toContain(first.id);
    for (const repeat of answers.filter((answer) => !made.includes(answer)))
      expect(repeat).toMatchObject({ status: 409, body: { code: 'conflict', id: first.id } });
    expect(await apiKeyRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(2);
    const kept = await idempotencyRecordRows(api.ctx).find({}).toArray();
    expect(JSON.stringify(kept)).not.toContain(first.key);
  });

  test('rotates each key once, also when two keys are rotated with one Idempotency-Key', async () => {
    const [one, two] = [await post('/v1/keys', 'one', body), await post('/v1/keys', 'two', body)];
    const rotated = await post(`/v1/keys/${one.body.id}/rotate`, 'rotate', {});
    expect(rotated.status, rotated.text).toBe(201);
    const repeat = await post(`/v1/keys/${one.body.id}/rotate`, 'rotate', {});
    expect(repeat).toMatchObject({ status: 409, body: { code: 'conflict', id: rotated.body.id } });
    const other = await post(`/v1/keys/${two.body.id}/rotate`, 'rotate', {});
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await apiKeyRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(4);
  });
});

describe('beginning to link a device with an Idempotency-Key', () => {
  const grants = () => deviceGrantRows(api.ctx).countDocuments({});

  test('begins once: each repeat is 409 and names the device', async () => {
    const before = await grants();
    const answers = await atOnce(10, () => begin('link'));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    for (const repeat of answers.filter((answer) => !made.includes(answer))) {
      expect([repeat.status, repeat.body.error]).toEqual([409, 'invalid_request']);
      expect(repeat.body.error_description).toMatch(/ created dev_\w{22}\. /);
      expect(repeat.text).not.toContain(made[0]?.body.device_code);
    }
    expect(await grants()).toBe(before + 1);
  });

  test('begins no second time for a device that was linked, also when its grant is gone', async () => {
    await begin('linked');
    const grant = await deviceGrantRows(api.ctx).findOne({ name: 'linked' });
    const deviceId = grant?.device_id ?? '';
    const [account_id, created_at] = [f.admin.accountId, new Date(clock.now())];
    const plain = { name: 'd', public_key: null, status: 'active', revoked_at: null } as const;
    const of = { account_id, org_id: f.orgId, device_id: deviceId };
    await deviceRows(api.ctx).insertOne({ _id: deviceId, ...of, ...plain, created_at });
    await deviceGrantRows(api.ctx).deleteMany({});
    clock.advance(2 * HOUR_MS);
    const repeat = await begin('linked');
    expect(repeat.status).toBe(409);
    expect(repeat.body.error_description).toContain(deviceId);
    expect(await grants()).toBe(0);
  });
});

/** A request that each route which creates something takes. */
const BODIES: Record<string, unknown> = {
  '/api/v1/budgets': BUDGET,
  '/api/v1/webhooks': { url: 'http://127.0.0.1:9/x', events: ['session.ended'], secret: 's'.repeat(32) },
  '/api/v1/raises': { amount: 1 },
  '/v1/raises': { amount: 1 },
  '/v1/members': { email: 'each@example.org', role: 'member' },
  '/v1/keys': { name: 'each', scopes: ['signals:write'] },
  '/v1/keys/{id}/rotate': {},
  '/v1/invitations': { emails: ['each@invited.example'], role: 'member', mail: false },
  '/v1/code-hosts': { provider: 'github' },
  '/api/v1/destinations': FOLDER,
  '/api/v1/price-rules': { name: 'ours', from: '2026-11-01', match: { model: 'gpt-5' }, free: true },
  '/api/v1/repricings': { from: new Date(clock.now() - 86_400_000).toISOString(), to: '2100-01-01' },
  '/v1/device_authorization': { name: 'each' },
};
/** Its Checkout Session is Stripe's, and so is its idempotency. */
const NOT_OURS = '/v1/credits/checkout';
const creating = routes({ stopping: false })
  .filter(({ creates, path }) => creates && path !== NOT_OURS)
  .map(({ path }) => path);

test.each(creating)('%s takes its key in the transaction that creates', async (path) => {
  const asking = await f.keyOf(f.admin.userId, ['budgets:check']);
  const isRaise = path.endsWith('/raises');
  const budget = isRaise ? await f.budget() : null;
  await idempotencyRecordRows(api.ctx).deleteMany({});
  const credential =
    path === '/v1/device_authorization'
      ? {}
      : { key: path.startsWith('/api') ? (isRaise ? asking : f.key) : f.admin.session };
  const send = () =>
    api.call(path.replace('{id}', f.keyId), {
      ...credential,
      body: budget ? { ...(BODIES[path] as object), budget_id: budget._id } : BODIES[path],
      headers: { [KEY]: 'each' },
    });
  const first = await send();
  expect(first.status, first.text).toBeLessThan(300);
  const [row] = await idempotencyRecordRows(api.ctx).find({}).toArray();
  expect(row?.created_by).toMatch(/^[0-9a-f-]{36}$/);
});
