import { beforeAll, expect, test } from 'vitest';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import { makeSnapshots } from '../../../../../shared/core/calls/usage/make-snapshots.ts';
import { addMember } from '../../../../../shared/people/members.ts';
import { recordContexts } from '../../../../../shared/wings/work/contexts/record-contexts.ts';
import { senderOf } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';
import { recordAll } from '../../../../support/usage.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const SHOP = 'github.com/acme/shop';
const { api, orgId, key } = await fixture({ clock: NOW, tenant: { timezone: 'UTC' } });
beforeAll(async () => {
  const ada = { org_id: orgId, user_id: 'ada', email: 'ada@e.org', role: 'member' as const, teams: ['red'] };
  await addMember(api.ctx, ada);
  const ts = new Date(NOW - 30 * DAY).toISOString();
  const context = { client_session_id: 's-1', ts, repository: SHOP, branch: 'fix', task: 'T-1' };
  await recordContexts(api.ctx, senderOf(orgId), [context]);
  const opened = {
    opened_at: new Date(NOW - 34 * DAY).toISOString(),
    updated_at: new Date(NOW - DAY).toISOString(),
  };
  const body = { repository: SHOP, number: 7, branch: 'fix', state: 'open', ...opened };
  expect((await api.call('/api/v1/pull-requests', { key, body })).status).toBeLessThan(300);
  const calls = Array.from({ length: 60 }, (_, index) => ({
    ts: NOW - DAY / 24 - index * (DAY / 3),
    user_id: index % 2 ? 'ada' : 'bob',
    project_id: index % 3 ? 'shop' : 'till',
    model: index % 5 ? 'gpt-5' : 'claude-sonnet-4-5',
    adapter: index % 7 ? 'codex' : 'claude-code',
    tokens_in: 1 + index,
    metadata: index % 2 ? { client_session_id: 's-1' } : {},
  }));
  await recordAll(api.ctx, orgId, calls);
});

const FILTERS: Record<string, string>[] = [
  { user_id: 'ada' },
  { project_id: 'till' },
  { model: 'claude-sonnet-4-5' },
  { adapter: 'claude-code' },
  { team: 'red' },
  { repository: SHOP },
  { repository: SHOP, branch: 'fix' },
  { task: 'T-1' },
  { pull_request: `${SHOP}#7` },
  { user_id: 'ada', repository: SHOP },
  { model: 'gpt-5', task: 'T-1' },
];

async function totals(filter: Record<string, string>) {
  const from = new Date(NOW - 30 * DAY).toISOString();
  const query = new URLSearchParams({ from, to: new Date(NOW).toISOString(), ...filter });
  const answer = await api.call(`/api/v1/usage?${query.toString()}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.totals;
}

test('a filter by any dimension, without grouping by it, has the same totals before and after snapshots are made', async () => {
  const before = await Promise.all(FILTERS.map(totals));
  for (const [index, { signals }] of before.entries()) {
    expect(signals, JSON.stringify(FILTERS[index])).toBeGreaterThan(0);
    expect(signals).toBeLessThan(60);
  }
  const organization = await readOrganization(api.ctx, orgId);
  expect(await makeSnapshots(api.ctx, organization, { fromMs: 0, toMs: NOW })).toBeGreaterThan(15);
  expect(await Promise.all(FILTERS.map(totals))).toEqual(before);
});
