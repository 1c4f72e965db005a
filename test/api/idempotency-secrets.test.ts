import { describe, expect, test } from 'vitest';
import { deviceGrantRows } from '../../shared/core/accounts/devices/model.ts';
import { idempotencyRecordRows } from '../../shared/core/accounts/idempotency/model.ts';
import { apiKeyRows } from '../../shared/core/accounts/keys/model.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { fixture } from '../support/fixture.ts';
import type { Answer } from '../support/harness.ts';
import { approve, poll } from '../support/people.ts';

const HOUR_MS = 3_600_000;
const f = await fixture({ clock: true, idp: true, admin: true, perTest: true });
const { api, clock } = f;
const KEY = 'Idempotency-Key';
const post = (path: string, idempotencyKey: string, body: unknown) =>
  f.send(path, body, { key: f.admin, headers: { [KEY]: idempotencyKey } });
const begin = (idempotencyKey: string) =>
  api.call('/v1/device_authorization', {
    body: { name: idempotencyKey },
    headers: { [KEY]: idempotencyKey },
  });
/** The answers to ten of the same request at once: the one that created, and the others. */
async function tenAtOnce(work: () => Promise<Answer>) {
  const answers = await Promise.all(Array.from({ length: 10 }, work));
  const [made, ...more] = answers.filter(({ status }) => status < 300);
  expect(more).toEqual([]);
  return { made: made as Answer, repeats: answers.filter((answer) => answer !== made) };
}

test('an answer of before is shown to nobody who is no admin any more', async () => {
  const body = { email: 'new@example.org', role: 'member', teams: ['red'] };
  await f.person(undefined, 'admin');
  expect((await post('/v1/members', 'demoted', body)).status).toBe(201);
  await changeMember(api.ctx, f.orgId, f.admin.userId, { role: 'member' });
  const repeat = await post('/v1/members', 'demoted', body);
  expect([repeat.status, repeat.body.code]).toEqual([403, 'missing_scope']);
  expect(repeat.text).not.toContain(body.email);
});

describe('making a key with an Idempotency-Key', () => {
  const body = { name: 'ci', scopes: ['signals:write'] };

  test('makes one: each repeat is 409 and names it, and the key is kept nowhere', async () => {
    const { made, repeats } = await tenAtOnce(() => post('/v1/keys', 'key', body));
    const { id, key } = made.body;
    expect(key).toContain(id);
    for (const repeat of repeats)
      expect(repeat).toMatchObject({ status: 409, body: { code: 'conflict', id } });
    expect(await apiKeyRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(2);
    const kept = await idempotencyRecordRows(api.ctx).find({}).toArray();
    expect(JSON.stringify(kept)).not.toContain(key);
  });

  test('rotates each key once, also when two keys are rotated with one Idempotency-Key', async () => {
    const [one, two] = [await post('/v1/keys', 'one', body), await post('/v1/keys', 'two', body)];
    const rotate = ({ body: { id } }: typeof one) => post(`/v1/keys/${id}/rotate`, 'rotate', {});
    const { id } = (await rotate(one)).body;
    expect(await rotate(one)).toMatchObject({ status: 409, body: { code: 'conflict', id } });
    expect(await rotate(two)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(await apiKeyRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(4);
  });
});

describe('beginning to link a device with an Idempotency-Key', () => {
  const grants = () => deviceGrantRows(api.ctx).countDocuments({});

  test('begins once: each repeat is 409 and names the device', async () => {
    const before = await grants();
    const { made, repeats } = await tenAtOnce(() => begin('link'));
    for (const repeat of repeats) {
      expect([repeat.status, repeat.body.error]).toEqual([409, 'invalid_request']);
      expect(repeat.body.error_description).toMatch(/ created dev_\w{22}\. /);
      expect(repeat.text).not.toContain(made.body.device_code);
    }
    expect(await grants()).toBe(before + 1);
  });

  test('begins no second time for a device that was linked, also when its grant is gone', async () => {
    const begun = (await begin('linked')).body;
    expect((await approve(api, f.admin, begun.user_code)).status).toBe(204);
    const { device_id: deviceId } = (await poll(api, begun.device_code)).body;
    await deviceGrantRows(api.ctx).deleteMany({});
    clock.advance(2 * HOUR_MS);
    const repeat = await begin('linked');
    expect(repeat.status).toBe(409);
    expect(repeat.body.error_description).toContain(deviceId);
    expect(await grants()).toBe(0);
  });
});
