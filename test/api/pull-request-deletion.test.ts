import { beforeAll, describe, expect, test } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { boundaryRows } from '../../shared/wings/work/attribution/model.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { makePerson, type Person } from '../support/people.ts';

const { idp, api } = await fixture({ clock: Date.parse('2026-02-01T12:00:00Z'), idp: true });
let admin: Person;
let key: string;

beforeAll(async () => {
  admin = await makePerson(api.ctx, idp, { role: 'admin' });
  ({ key } = await createApiKey(api.ctx, { org_id: admin.orgId, scopes: [...SCOPES] }));
});

const REPOSITORY = 'github.com/acme/shop';
const report = async (number: number, overrides: object) => {
  const body = { repository: REPOSITORY, number, branch: 'cart', state: 'open', ...overrides };
  const { status, body: made, text } = await api.call('/api/v1/pull-requests', { key, body });
  expect(status, text).toBe(200);
  return made.id as string;
};
const costOf = async (id: string) => (await api.call(`/api/v1/pull-requests/${id}`, { key })).body.cost_usd;
const remove = (id: string, by: string) => api.call(`/v1/pull-requests/${id}`, { method: 'DELETE', key: by });
const total = async () =>
  (await api.call(`/api/v1/pull-requests?repository=${REPOSITORY}`, { key })).body.total;

describe('DELETE /v1/pull-requests/{id}', () => {
  test('gives the calls of one that was reported by mistake back to the pull request of their branch', async () => {
    const own = await report(12, { opened_at: '2026-01-10T10:00:00Z', updated_at: '2026-01-10T11:00:00Z' });
    const call = makeSignal({
      ts: Date.parse('2026-01-20T10:00:00Z'),
      cost_usd: 2,
      repository: REPOSITORY,
      branch: 'cart',
    });
    const posted = await api.call('/api/v1/signals', { key, body: call });
    expect(posted.body.results).toMatchObject([{ status: 'accepted' }]);
    expect(await costOf(own)).toBe(2);
    const wrong = await report(99, {
      opened_at: '2026-01-20T09:00:00Z',
      state: 'closed',
      closed_at: '2026-01-20T11:00:00Z',
      updated_at: '2026-01-20T11:00:00Z',
    });
    const taken = await costOf(wrong);
    expect(await total()).toBe(2);
    expect((await remove(wrong, admin.session)).status).toBe(204);
    expect((await remove(wrong, admin.session)).status).toBe(404);
    expect([taken + (await costOf(own)) >= 2, await costOf(own), await total()]).toEqual([true, 2, 1]);
    const entries = await auditRows(api.ctx).find({ action: 'pull_request.delete' }).toArray();
    expect(entries).toMatchObject([{ actor: admin.accountId, details: { id: wrong, number: 99 } }]);
  });

  test('ends the renames that it had told of; a later report makes it anew', async () => {
    const times = (day: number) => ({
      opened_at: '2026-01-10T10:00:00Z',
      updated_at: `2026-01-${day}T10:00:00Z`,
    });
    const id = await report(13, { branch: 'old', ...times(11) });
    await report(13, { branch: 'new', ...times(12) });
    const renames = () => boundaryRows(api.ctx).countDocuments({ renamed_to: { $exists: true } });
    expect(await renames()).toBe(1);
    expect((await remove(id, admin.session)).status).toBe(204);
    expect(await renames()).toBe(0);
    expect(await report(13, { branch: 'new', ...times(12) })).toBe(id);
    expect((await remove(id, admin.session)).status).toBe(204);
  });

  test('is for admins of its organization', async () => {
    const id = await report(14, { opened_at: '2026-01-10T10:00:00Z' });
    const member = await makePerson(api.ctx, idp, { orgId: admin.orgId });
    const foreign = await makePerson(api.ctx, idp, { role: 'admin' });
    expect((await remove(id, member.session)).status).toBe(403);
    const refused = await remove(id, foreign.session);
    expect(refused.status).toBe(404);
    const never = await remove('pr_0000000000000000000000', foreign.session);
    expect({ ...refused.body, instance: 0, request_id: 0 }).toEqual({
      ...never.body,
      instance: 0,
      request_id: 0,
    });
  });
});
