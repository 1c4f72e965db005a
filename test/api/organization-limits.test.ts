import { describe, expect, test } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { addMember } from '../../shared/people/members.ts';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { testEnv } from '../support/harness.ts';
import { makeWebhook } from '../support/webhooks.ts';

const { api } = await fixture({ env: { WEBHOOKS_PER_ORGANIZATION: '3' } });

/** The statuses of requests that are sent at once, in order of size. */
async function createAtOnce(path: string, key: string, bodies: readonly object[]): Promise<number[]> {
  const answers = await Promise.all(bodies.map((body) => api.call(path, { key, body })));
  for (const { status, body } of answers) if (status === 409) expect(body.code).toBe('conflict');
  return answers.map(({ status }) => status).toSorted((one, other) => one - other);
}

describe('the last place of an organization is given to one of those that come at once, and the rest are 409', () => {
  test('of webhooks, 250 unless the setting says otherwise', async () => {
    expect(readConfig(testEnv('any')).webhooksPerOrganization).toBe(250);
    const { orgId, key } = await makeTenant(api.ctx);
    for (let made = 0; made < 2; made += 1) await makeWebhook(api.ctx, orgId, 'http://127.0.0.1:9/');
    const body = { url: 'http://127.0.0.1:9/', events: ['session.ended'], secret: 's'.repeat(32) };
    expect(await createAtOnce('/api/v1/webhooks', key, [body, body, body])).toEqual([201, 409, 409]);
  });

  test('of 5,000 budgets', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const body = { name: 'B', scope: 'org', metric: 'tokens', window: 'daily', threshold: 1 } as const;
    const { _id, ...made } = await createBudget(api.ctx, orgId, body);
    const more = Array.from({ length: 4_998 }, () => ({ ...made, _id: newId('bud') }));
    await budgetRows(api.ctx).insertMany(more);
    expect(await createAtOnce('/api/v1/budgets', key, [body, body, body])).toEqual([201, 409, 409]);
  });

  test('of 1,000 teams', async () => {
    const { orgId } = await makeTenant(api.ctx);
    const person = { org_id: orgId, email: 'a@example.com', role: 'member', user_id: 'ada' } as const;
    const teams = Array.from({ length: 999 }, (_, index) => `team-${index}`);
    await addMember(api.ctx, { ...person, teams });
    await addMember(api.ctx, { ...person, user_id: 'bob', email: 'b@example.com' });
    const results = await Promise.allSettled([
      changeMember(api.ctx, orgId, 'ada', { teams: ['one'] }),
      changeMember(api.ctx, orgId, 'bob', { teams: ['another'] }),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = results.find((result) => result.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'conflict' });
    expect((await readOrganization(api.ctx, orgId)).teams).toHaveLength(1_000);
  });
});
