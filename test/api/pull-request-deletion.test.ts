import { beforeAll, describe, expect, test } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { boundaryRows } from '../../shared/wings/work/attribution/model.ts';
import { fixture } from '../support/fixture.ts';
import { makePerson, type Person } from '../support/people.ts';

const { idp, ctx, ask, send, spend, person } = await fixture({ clock: '2026-02-01T12:00:00Z', idp: true });
let admin: Person;
beforeAll(async () => {
  admin = await person(undefined, 'admin');
});

const REPOSITORY = 'github.com/acme/shop';
const report = async (number: number, overrides: object): Promise<string> => {
  const fields = { repository: REPOSITORY, number, branch: 'cart', state: 'open', ...overrides };
  return (await ask('/api/v1/pull-requests', fields)).id;
};
const costOf = async (id: string) => (await ask(`/api/v1/pull-requests/${id}`)).cost_usd;
const remove = (id: string, by: Person) =>
  send(`/v1/pull-requests/${id}`, undefined, { method: 'DELETE', key: by.session });
const total = async () => (await ask(`/api/v1/pull-requests?repository=${REPOSITORY}`)).total;

describe('DELETE /v1/pull-requests/{id}', () => {
  test('gives the calls of one that was reported by mistake back to the pull request of their branch', async () => {
    const own = await report(12, { opened_at: '2026-01-10T10:00:00Z', updated_at: '2026-01-10T11:00:00Z' });
    await spend({ ts: '2026-01-20T10:00:00Z', cost_usd: 2, repository: REPOSITORY, branch: 'cart' });
    expect(await costOf(own)).toBe(2);
    const wrong = await report(99, {
      opened_at: '2026-01-20T09:00:00Z',
      state: 'closed',
      closed_at: '2026-01-20T11:00:00Z',
      updated_at: '2026-01-20T11:00:00Z',
    });
    const taken = await costOf(wrong);
    expect(await total()).toBe(2);
    expect((await remove(wrong, admin)).status).toBe(204);
    expect((await remove(wrong, admin)).status).toBe(404);
    expect([taken + (await costOf(own)) >= 2, await costOf(own), await total()]).toEqual([true, 2, 1]);
    const entries = await auditRows(ctx).find({ action: 'pull_request.delete' }).toArray();
    expect(entries).toMatchObject([{ actor: admin.accountId, details: { id: wrong, number: 99 } }]);
  });

  test('ends the renames that it had told of; a later report makes it anew', async () => {
    const times = (day: number) => ({
      opened_at: '2026-01-10T10:00:00Z',
      updated_at: `2026-01-${day}T10:00:00Z`,
    });
    const id = await report(13, { branch: 'old', ...times(11) });
    await report(13, { branch: 'new', ...times(12) });
    const renames = () => boundaryRows(ctx).countDocuments({ renamed_to: { $exists: true } });
    expect(await renames()).toBe(1);
    expect((await remove(id, admin)).status).toBe(204);
    expect(await renames()).toBe(0);
    expect(await report(13, { branch: 'new', ...times(12) })).toBe(id);
    expect((await remove(id, admin)).status).toBe(204);
  });

  test('is for admins of its organization', async () => {
    const id = await report(14, { opened_at: '2026-01-10T10:00:00Z' });
    const member = await person();
    const foreign = await makePerson(ctx, idp, { role: 'admin' });
    expect((await remove(id, member)).status).toBe(403);
    const refused = await remove(id, foreign);
    expect(refused.status).toBe(404);
    const never = await remove('pr_0000000000000000000000', foreign);
    expect({ ...refused.body, instance: 0, request_id: 0 }).toEqual({
      ...never.body,
      instance: 0,
      request_id: 0,
    });
  });
});
