import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { type Demo, readDemo, type ShownOrganization, writeDemo } from '../../../scripts/demo/file.ts';
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
import { temporaryFolder } from '../../support/temporary.ts';

let ctx: TestContext;
let dataDir: string;
const redis = await startOwnRedis();
afterAll(() => redis.stop());

beforeEach(async () => {
  ctx = await openCreditContext({ redisUrl: redis.url });
  dataDir = temporaryFolder();
});

afterEach(() => ctx.close());

const ensure = () => ensureDemoOrganizations(ctx, dataDir);
/** The first of the demo's organizations, once they are there. */
async function ensureFirst(): Promise<ShownOrganization> {
  const [first] = await ensure();
  if (!first) throw new Error('no demo');
  return first;
}
/** Changes what the data folder keeps of the demo. */
function rewriteDemo(change: (demo: Demo) => Partial<Demo>): void {
  const demo = readDemo(dataDir);
  if (demo) writeDemo(dataDir, { ...demo, ...change(demo) });
}

test('gives each organization a key with every scope and no user, and changes nothing when it is there', async () => {
  const first = await ensure();
  for (const { org_id, api_key } of first)
    expect(await authenticateApiKey(ctx, api_key ?? '')).toMatchObject({
      org_id,
      user_id: null,
      scopes: [...SCOPES],
    });
  expect(await ensure()).toEqual(first);
  expect(await organizationRows(ctx).countDocuments()).toBe(2);
  expect(await memberRows(ctx).countDocuments()).toBe(15);
  expect(await apiKeyRows(ctx).countDocuments()).toBe(2);
});

test('goes on under the same ids where an interrupted start stopped', async () => {
  const first = await ensureFirst();
  // As if the process had ended after two members, before the key was kept.
  await memberRows(ctx).deleteMany({ email: /^(mei|jonas|tomas|aisha)/ });
  rewriteDemo(({ orgs }) => ({ orgs: orgs.map((organization) => ({ ...organization, api_key: null })) }));
  const resumed = await ensureFirst();
  expect(resumed.api_key).not.toBe(first.api_key);
  const shown = ({ org_id, members }: ShownOrganization) => ({
    org_id,
    people: members.map(({ user_id, email, role }) => ({ user_id, email, role })),
  });
  expect(shown(resumed)).toEqual(shown(first));
  expect(await listMembers(ctx, first.org_id)).toHaveLength(14);
});

test('does not bring back a member whom an operator removed', async () => {
  const { org_id, members } = await ensureFirst();
  await removeMember(ctx, org_id, members[3]?.user_id ?? '');
  await ensure();
  expect(await listMembers(ctx, org_id)).toHaveLength(13);
});

test('makes everything anew in a database that does not know it', async () => {
  const first = await ensureFirst();
  rewriteDemo(() => ({ traffic: { until: '2026-01-01T00:00:00.000Z', played: true } }));
  for (const { collectionName } of COLLECTIONS)
    await ctx.db.database.collection(collectionName).deleteMany({});
  const second = await ensureFirst();
  expect(readDemo(dataDir)?.traffic).toBeNull();
  expect(second.org_id).toBe(first.org_id);
  expect(await listApiKeys(ctx, second.org_id)).toHaveLength(1);
  expect(await authenticateApiKey(ctx, second.api_key ?? '')).not.toBeNull();
});
