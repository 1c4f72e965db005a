import { K_ANONYMITY_FLOOR, SESSION_TIMEOUT_S, type Tier } from '../../../platform/basics/contract.ts';
import { DomainError, isDuplicateKey } from '../../../platform/basics/errors.ts';
import { newId } from '../../../platform/basics/ids.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { insertRow } from '../../../platform/mongo/writes.ts';
import { auditWrite } from '../audit/record-audit.ts';
import { type Organization, organizationRows } from './model.ts';
import { uniqueEmails } from './roster.ts';

/** Creates an organization. Throws `conflict` when a given `org_id` is taken. */
export async function createOrganization(
  ctx: Context,
  input: {
    name: string;
    plan: Tier;
    timezone?: string;
    org_id?: string;
    admin_emails?: string[];
    session_timeout?: number;
  },
): Promise<Organization> {
  const admin_emails = uniqueEmails(input.admin_emails ?? []);
  const organization: Organization = {
    _id: input.org_id ?? newId('org'),
    name: input.name,
    plan: input.plan,
    timezones: [{ from: new Date(0), timezone: input.timezone ?? 'UTC' }],
    session_timeout: input.session_timeout ?? SESSION_TIMEOUT_S,
    k_anonymity: K_ANONYMITY_FLOOR,
    k_population: 'reported',
    admin_emails,
    // Only an operator creates an organization.
    vouched_emails: admin_emails,
    teams: [],
    created_at: new Date(ctx.clock.now()),
  };
  try {
    return await commitPlan(ctx, async (transaction) => {
      const { _id: org_id, plan } = organization;
      if (await organizationRows(ctx).findOne({ _id: org_id }, { session: transaction })) throw taken(org_id);
      const audit = auditWrite(ctx, { action: 'organization.create', org_id, details: { plan } });
      const writes = [insertRow(organizationRows, organization), audit];
      return { writes, result: organization };
    });
  } catch (error) {
    throw isDuplicateKey(error) ? taken(organization._id) : error;
  }
}

function taken(orgId: string): DomainError {
  return new DomainError('conflict', `Organization ${orgId} exists.`);
}
