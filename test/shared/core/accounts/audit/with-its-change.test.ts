import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { auditRows } from '../../../../../shared/core/accounts/audit/model.ts';
import {
  acceptInvitation,
  declineInvitation,
} from '../../../../../shared/core/accounts/identity/invitations.ts';
import { linkIdentity } from '../../../../../shared/core/accounts/identity/link-identity.ts';
import {
  createApiKey,
  revokeApiKey,
  rotateApiKey,
} from '../../../../../shared/core/accounts/keys/api-keys.ts';
import { createOrganization } from '../../../../../shared/core/accounts/organizations/create-organization.ts';
import type { Member } from '../../../../../shared/core/accounts/organizations/model.ts';
import { deleteWebhook } from '../../../../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import {
  subscribeAgain,
  unsubscribe,
  unsubscribeUrl,
} from '../../../../../shared/core/events/webhooks/endpoints/unsubscribe.ts';
import { updateWebhook } from '../../../../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import {
  changeBudget,
  removeBudget,
} from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { changeMember } from '../../../../../shared/people/change-member.ts';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import { removeMember } from '../../../../../shared/people/remove-member.ts';
import { newId } from '../../../../../shared/platform/basics/ids.ts';
import { deleteDestination } from '../../../../../shared/wings/push/destinations/manage-destinations.ts';
import { askForRun } from '../../../../../shared/wings/push/destinations/runs/ask-for-run.ts';
import { updateDestination } from '../../../../../shared/wings/push/destinations/update-destination.ts';
import {
  addCodeHost,
  deleteCodeHost,
} from '../../../../../shared/wings/work/code-hosts/manage-code-hosts.ts';
import { makeDestination } from '../../../../support/destinations.ts';
import { storesFixture, type Tenant } from '../../../../support/fixture.ts';
import { failCommits } from '../../../../support/interleave.ts';

const { ctx, tenant } = await storesFixture({ env: { EXPORT_FOLDER: '/nowhere' } });
let own: Tenant;
let orgId: string;
let member: Member;
let made = 0;
beforeEach(async () => {
  made += 1;
  own = await tenant();
  ({ orgId } = own);
  member = await own.member('ada');
});
afterEach(() => {
  vi.restoreAllMocks();
});

const identity = () => ({ iss: 'https://idp.example.org', sub: `person-${made}` });
const invitation = () => ({ accountId: member._id, email: member.email ?? '' });
const tokenOf = () => new URL(unsubscribeUrl(ctx.config, member._id)).pathname.split('/').at(-1) ?? '';
const newKey = async () => (await createApiKey(ctx, { org_id: orgId, scopes: ['usage:read'] })).key_id;
const newBudget = () => own.budget();
const newWebhook = () => own.webhook('http://127.0.0.1:9/x');
const newHost = () => addCodeHost(ctx, orgId, { provider: 'github' });
const newDestination = () => makeDestination(ctx, orgId);
/** A change of what is made before it. */
const of =
  <Made>(make: () => Promise<Made>, change: (made: Made) => Promise<unknown>) =>
  async () => {
    const made = await make();
    return () => change(made);
  };

/** By the action of its line: what comes before the change, and the change. */
const CHANGES: Record<string, () => Promise<() => Promise<unknown>>> = {
  'organization.create': async () => {
    const org_id = newId('org');
    return () => createOrganization(ctx, { name: 'New', plan: 'free', org_id });
  },
  'organization.change': async () => () => changeOrganization(ctx, orgId, { name: 'Other' }),
  'member.add': async () => () => own.member('new'),
  'member.change': async () => () => changeMember(ctx, orgId, member.user_id, { role: 'admin' }),
  'member.remove': async () => () => removeMember(ctx, orgId, member.user_id),
  'member.identity': async () => () => linkIdentity(ctx, orgId, member.user_id, identity()),
  'member.join': async () => () => acceptInvitation(ctx, { ...invitation(), identity: identity() }),
  'member.decline': async () => () => declineInvitation(ctx, invitation()),
  'member.unsubscribe': async () => () => unsubscribe(ctx, tokenOf()),
  'member.subscribe': async () => {
    await unsubscribe(ctx, tokenOf());
    return () => subscribeAgain(ctx, tokenOf());
  },
  'key.create': async () => newKey,
  'key.rotate': of(newKey, (keyId) => rotateApiKey(ctx, keyId, 1_000)),
  'key.revoke': of(newKey, (keyId) => revokeApiKey(ctx, keyId)),
  'budget.create': async () => newBudget,
  'budget.change': of(newBudget, ({ _id }) => changeBudget(ctx, orgId, _id, { name: 'other' })),
  'budget.remove': of(newBudget, ({ _id }) => removeBudget(ctx, orgId, _id)),
  'webhook.create': async () => newWebhook,
  'code_host.create': async () => newHost,
  'code_host.delete': of(newHost, ({ host }) => deleteCodeHost(ctx, orgId, host._id)),
  'destination.create': async () => newDestination,
  'destination.update': of(newDestination, ({ _id }) =>
    updateDestination(ctx, orgId, _id, { name: 'Other' }),
  ),
  'destination.delete': of(newDestination, ({ _id }) => deleteDestination(ctx, orgId, _id)),
  'destination.run': of(newDestination, ({ _id }) =>
    askForRun(ctx, orgId, _id, { from: null, to: null, force: false }),
  ),
  'webhook.update': of(newWebhook, ({ _id }) => updateWebhook(ctx, orgId, _id, { enabled: false })),
  'webhook.delete': of(newWebhook, ({ _id }) => deleteWebhook(ctx, orgId, _id)),
};

const linesOf = (action: string) => auditRows(ctx).countDocuments({ action });

test.each(Object.entries(CHANGES))(
  'the audit line of %s is not there when the change was not made, and once when it was tried twice',
  async (action, prepare) => {
    const change = await prepare();
    const before = await linesOf(action);
    failCommits('each');
    await expect(change()).rejects.toThrow('planted');
    vi.restoreAllMocks();
    expect(await linesOf(action)).toBe(before);
    failCommits('one');
    await change();
    expect(await linesOf(action)).toBe(before + 1);
  },
);
