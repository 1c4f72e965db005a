import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { readDemo, type ShownOrganization, writeDemo } from '../../../scripts/demo/file.ts';
import { ensureDemoOrganizations } from '../../../scripts/demo/organizations.ts';
import { authenticateApiKey, listApiKeys } from '../../../shared/core/accounts/keys/api-keys.ts';
import { apiKeyRows } from '../../../shared/core/accounts/keys/model.ts';
import { listMembers } from '../../../shared/core/accounts/organizations/list-members.ts';
import { memberRows, organizationRows } from '../../../shared/core/accounts/organizations/model.ts';
import { removeMember } from '../../../shared/people/remove-member.ts';
import { SCOPES } from '../../../shared/platform/basics/contract.ts';
import { COLLECTIONS } from '../../../shared/tables/collections.ts';
import { openCreditContext, startOwnRedis } from '../../support/credits.ts';
import type { TestContext } from '../../support/harness.ts';
import { newDataDir } from '../../support/up-run.ts';

let ctx: TestContext;
let dataDir: string;
const redis = await startOwnRedis();
afterAll(() => redis.stop());

beforeEach(async () => {
  ctx = await openCreditContext({ redisUrl: redis.url });
  dataDir = newDataDir();
});

afterEach(async () => {
  await ctx.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('gives each organization a key with every scope and no user', async () => {
  for (const { org_id, api_key } of await ensureDemoOrganizations(ctx, dataDir)) {
    const key = await authenticateApiKey(ctx, api_key ?? '');
    expect(key).toMatchObject({ org_id, user_id: null });
    expect(key?.scopes).toEqual([...SCOPES]);
  }
});

test('changes nothing when everything is there', async () => {
  const first = await ensureDemoOrganizations(ctx, dataDir);
  expect(await ensureDemoOrganizations(ctx, dataDir)).toEqual(first);
  expect(await organizationRows(ctx).countDocuments()).toBe(2);
  expect(await memberRows(ctx).countDocuments()).toBe(15);
  expect(await apiKeyRows(ctx).countDocuments()).toBe(2);
});

test('goes on under the same ids where an interrupted start stopped', async () => {
  const [first] = await ensureDemoOrganizations(ctx, dataDir);
  const demo = readDemo(dataDir);
  if (!first || !demo) throw new Error('no demo');
  // As if the process had ended after two members, before the key was kept.
  await memberRows(ctx).deleteMany({ email: /^(mei|jonas|tomas|aisha)/ });
  writeDemo(dataDir, {
    ...demo,
    orgs: demo.orgs.map((organization) => ({ ...organization, api_key: null })),
  });
  const [resumed] = await ensureDemoOrganizations(ctx, dataDir);
  expect(resumed?.api_key).not.toBe(first.api_key);
  const people = ({ members }: ShownOrganization) =>
    members.map(({ user_id, email, role }) => ({ user_id, email, role }));
  expect(resumed && { org_id: resumed.org_id, people: people(resumed) }).toEqual({
    org_id: first.org_id,
    people: people(first),
  });
  expect(await listMembers(ctx, first.org_id)).toHaveLength(14);
});

test('does not bring back a member whom an operator removed', async () => {
  const [first] = await ensureDemoOrganizations(ctx, dataDir);
  await removeMember(ctx, first?.org_id ?? '', first?.members[3]?.user_id ?? '');
  await ensureDemoOrganizations(ctx, dataDir);
  expect(await listMembers(ctx, first?.org_id ?? '')).toHaveLength(13);
});

test('makes everything anew in a database that does not know it', async () => {
  const [first] = await ensureDemoOrganizations(ctx, dataDir);
  const demo = readDemo(dataDir);
  if (!demo) throw new Error('no demo');
  writeDemo(dataDir, { ...demo, traffic: { until: '2026-01-01T00:00:00.000Z', played: true } });
  for (const { collectionName } of COLLECTIONS)
    await ctx.db.database.collection(collectionName).deleteMany({});
  const [second] = await ensureDemoOrganizations(ctx, dataDir);
  expect(readDemo(dataDir)?.traffic).toBeNull();
  expect(second?.org_id).toBe(first?.org_id);
  expect(await listApiKeys(ctx, second?.org_id ?? '')).toHaveLength(1);
  expect(await authenticateApiKey(ctx, second?.api_key ?? '')).not.toBeNull();
});
