import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeMember } from '../../../shared/administration/change-member.ts';
import { changeOrganization } from '../../../shared/administration/change-organization.ts';
import { addMember } from '../../../shared/administration/members.ts';
import { removeMember } from '../../../shared/administration/remove-member.ts';
import { auditRows } from '../../../shared/audit/model.ts';
import { changeBudget, createBudget, removeBudget } from '../../../shared/budgets/change-budgets.ts';
import { linkIdentity } from '../../../shared/identity/link-identity.ts';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../../shared/keys/api-keys.ts';
import { createOrganization } from '../../../shared/organizations/create-organization.ts';
import { openTestContext, type TestContext } from '../../support/harness.ts';
import { makeWebhook } from '../../support/webhooks.ts';

interface Command {
  insert?: string;
  documents?: { action: string }[];
  ops?: { document?: { action?: string } }[];
  nsInfo?: { ns: string }[];
  autocommit?: boolean;
}

let ctx: TestContext;
/** The actions whose entries were written inside a transaction. */
const within: string[] = [];
beforeAll(async () => {
  ctx = await openTestContext({ monitorCommands: true });
  const { collectionName } = auditRows;
  ctx.db.connection.getClient().on('commandStarted', ({ command }: { command: Command }) => {
    if (command.autocommit !== false) return;
    const isBulk = command.nsInfo?.some(({ ns }) => ns.endsWith(`.${collectionName}`)) === true;
    const ofPlan = isBulk ? (command.ops ?? []).map(({ document }) => document?.action) : [];
    const plain =
      command.insert === collectionName ? (command.documents ?? []).map(({ action }) => action) : [];
    within.push(...[...plain, ...ofPlan].filter((action) => action !== undefined));
  });
});
afterAll(() => ctx.close());

test('a change of an organization, its members, keys, budgets and webhooks is one transaction with its line in the audit log', async () => {
  const { _id: org_id } = await createOrganization(ctx, { name: 'Acme', plan: 'team' });
  await changeOrganization(ctx, org_id, { session_timeout: 600 });
  const { user_id } = await addMember(ctx, { org_id, email: 'ada@example.com', role: 'member' });
  await changeMember(ctx, org_id, user_id, { role: 'admin' });
  await linkIdentity(ctx, org_id, user_id, { iss: 'https://idp.example', sub: 'ada' });
  await removeMember(ctx, org_id, user_id);
  const { key_id } = await createApiKey(ctx, { org_id, scopes: ['signals:write'] });
  await rotateApiKey(ctx, key_id, 1_000);
  await revokeApiKey(ctx, key_id);
  const fields = { name: 'B', scope: 'org', metric: 'signals', threshold: 5, window: 'daily' } as const;
  const budget = await createBudget(ctx, org_id, fields);
  await changeBudget(ctx, org_id, budget._id, { threshold: 6 });
  await removeBudget(ctx, org_id, budget._id);
  await makeWebhook(ctx, org_id, 'http://127.0.0.1:9/');
  const actions = (await auditRows(ctx).find({}).toArray()).map(({ action }) => action);
  expect(new Set(actions)).toEqual(
    new Set([
      'organization.create',
      'organization.change',
      'member.add',
      'member.change',
      'member.identity',
      'member.remove',
      'key.create',
      'key.rotate',
      'key.revoke',
      'budget.create',
      'budget.change',
      'budget.remove',
      'webhook.create',
    ]),
  );
  expect(within.sort()).toEqual(actions.sort());
});
