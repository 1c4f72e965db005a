import { DomainError } from '../../../../platform/basics/errors.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { memberRows } from '../../../accounts/organizations/model.ts';
import { readOrganization } from '../../../accounts/organizations/read-organization.ts';
import { sessionRows } from '../../../calls/sessions/model.ts';
import { CONCERNED } from '../../../events/record/concerns.ts';
import type { WebhookFilter } from '../../../events/webhooks/endpoints/filter.ts';
import { budgetRows } from '../rules/model.ts';

/**
 * Refuses a webhook's filter with an id that the organization does not know: the webhook would get nothing about it, in silence.
 * A project is known by a call or a budget, a person is a member or known by a call. Throws `invalid_request` that points at the id.
 */
export async function refuseUnknownIds(
  ctx: Context,
  orgId: string,
  filter: WebhookFilter | null | undefined,
): Promise<void> {
  const errors: { pointer: string; detail: string }[] = [];
  for (const kind of CONCERNED) {
    const known = await findKnown(ctx, orgId, kind, filter?.[kind] ?? []);
    for (const [index, id] of (filter?.[kind] ?? []).entries())
      if (!known.has(id)) errors.push({ pointer: `/filter/${kind}/${index}`, detail: UNKNOWN[kind] });
  }
  const [first] = errors;
  if (!first) return;
  throw new DomainError(
    'invalid_request',
    `The webhook is not valid: ${first.pointer.slice(1).replaceAll('/', '.')} ${first.detail}.`,
    { errors },
  );
}

const UNKNOWN = {
  teams: 'is no team of this organization',
  projects: 'is no project that a call or a budget of this organization has named',
  budgets: 'is no budget of this organization',
  people: 'is no member of this organization, and no call has named this user',
} as const;

async function findKnown(
  ctx: Context,
  orgId: string,
  kind: (typeof CONCERNED)[number],
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  switch (kind) {
    case 'teams':
      return new Set((await readOrganization(ctx, orgId)).teams);
    case 'budgets':
      return new Set(await budgetRows(ctx).distinct('_id', { org_id: orgId, _id: { $in: [...ids] } }));
    case 'projects': {
      const named = { org_id: orgId, scope: 'project' as const, scope_id: { $in: [...ids] } };
      const limited = await budgetRows(ctx).distinct('scope_id', named);
      return findCalled(ctx, orgId, 'project_id', ids, limited);
    }
    case 'people': {
      const present = { org_id: orgId, user_id: { $in: [...ids] }, removed_at: null };
      return findCalled(ctx, orgId, 'user_id', ids, await memberRows(ctx).distinct('user_id', present));
    }
  }
}

/** The ids that are known already, and those that a session has. One read of an index for each of the others. */
async function findCalled(
  ctx: Context,
  orgId: string,
  field: 'project_id' | 'user_id',
  ids: readonly string[],
  known: readonly string[],
): Promise<ReadonlySet<string>> {
  const all = new Set(known);
  for (const id of ids)
    if (
      !all.has(id) &&
      (await sessionRows(ctx).findOne({ org_id: orgId, [field]: id }, { projection: { _id: 1 } }))
    )
      all.add(id);
  return all;
}
