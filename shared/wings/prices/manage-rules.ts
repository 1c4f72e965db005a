import { auditWrite } from '../../core/accounts/audit/record-audit.ts';
import { beginCreation } from '../../core/accounts/idempotency/creation.ts';
import { confirmActor } from '../../core/accounts/keys/confirm-actor.ts';
import { organizationRows } from '../../core/accounts/organizations/model.ts';
import { readOrganization } from '../../core/accounts/organizations/read-organization.ts';
import { raiseOrganizationVersion } from '../../core/accounts/organizations/versions.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { PRICE_RULES_PER_ORGANIZATION } from '../../platform/basics/contract.ts';
import { DomainError, invalid } from '../../platform/basics/errors.ts';
import { newId } from '../../platform/basics/ids.ts';
import type { Listed, ListPage } from '../../platform/basics/paginate.ts';
import { commitPlan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { findOwn } from '../../platform/mongo/find-own.ts';
import { listRows } from '../../platform/mongo/list-rows.ts';
import { deleteRows, insertRow, replaceRow, updateRow, type Write } from '../../platform/mongo/writes.ts';
import type { PRICES_ACTIONS } from './actions.ts';
import { effectOf, type PriceRuleChange, type PriceRuleInput } from './input.ts';
import { type PriceRuleRow, priceRuleRows } from './model.ts';

/**
 * Adds a price rule, by which calls are priced that are recorded after it. Throws `conflict` when the organization has as many as it
 * may have, and as `confirmActor`.
 */
export async function createPriceRule(
  ctx: Context,
  orgId: string,
  input: PriceRuleInput,
): Promise<PriceRuleRow> {
  const rule = newRule(ctx, orgId, input);
  return commitPlan(ctx, async (transaction) => {
    await beginCreation(ctx, 'prl', transaction);
    const actor = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const { price_rules = 0 } = await readOrganization(ctx, orgId, transaction);
    if (price_rules >= PRICE_RULES_PER_ORGANIZATION)
      throw new DomainError(
        'conflict',
        `An organization has at most ${PRICE_RULES_PER_ORGANIZATION} price rules. Delete one that is not used.`,
      );
    const writes = [
      ...actor.writes,
      insertRow(priceRuleRows, rule),
      ...changed(ctx, 'price-rule.create', rule, 1),
    ];
    return { writes, result: rule };
  });
}

function newRule(ctx: Context, orgId: string, input: PriceRuleInput): PriceRuleRow {
  const { name, from, to, match, replaces_reported } = input;
  const now = dateAt(ctx.clock.now());
  const { provider = null, model = null, service_tier = null, project_id = null } = match;
  return {
    _id: newId('prl'),
    org_id: orgId,
    name,
    from: dateAt(from),
    to: to == null ? null : dateAt(to),
    match: { provider, model, service_tier, project_id },
    effect: effectOf(input),
    replaces_reported,
    created_at: now,
    updated_at: now,
  };
}

/** Changes the name of a price rule, or when it ends. Throws `not_found`, `invalid_request`, and as `confirmActor`. */
export async function changePriceRule(
  ctx: Context,
  orgId: string,
  id: string,
  { name, to }: PriceRuleChange,
): Promise<PriceRuleRow> {
  return commitPlan(ctx, async (transaction) => {
    const actor = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const before = await getPriceRule(ctx, orgId, id, transaction);
    if (to != null && to <= before.from.getTime())
      throw invalid('The rule would end before it begins.', '/to', 'must be later than from');
    const after: PriceRuleRow = {
      ...before,
      ...(name === undefined ? {} : { name }),
      ...(to === undefined ? {} : { to: to === null ? null : dateAt(to) }),
      updated_at: dateAt(ctx.clock.now()),
    };
    const writes = [
      ...actor.writes,
      replaceRow(priceRuleRows, after),
      ...changed(ctx, 'price-rule.change', after, 0),
    ];
    return { writes, result: after };
  });
}

/** Deletes a price rule. The calls that it priced keep their cost and its name. Throws `not_found`, and as `confirmActor`. */
export async function removePriceRule(ctx: Context, orgId: string, id: string): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const actor = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const rule = await getPriceRule(ctx, orgId, id, transaction);
    const gone = deleteRows(priceRuleRows, { _id: id });
    const writes = [...actor.writes, gone, ...changed(ctx, 'price-rule.remove', rule, -1)];
    return { writes, result: undefined };
  });
}

/** The writes beside a change of rules: their count, the version by which batches notice it, and the audit entry. */
function changed(
  ctx: Context,
  action: (typeof PRICES_ACTIONS)[number],
  { _id, org_id, name, from, to, match, effect }: PriceRuleRow,
  more: 1 | 0 | -1,
): Write[] {
  const details = { price_rule_id: _id, name, from, to, match, ...effect };
  return [
    ...(more === 0 ? [] : [updateRow(organizationRows, { _id: org_id }, { $inc: { price_rules: more } })]),
    ...raiseOrganizationVersion(org_id),
    auditWrite(ctx, { action, org_id, details }),
  ];
}

export const getPriceRule = findOwn(priceRuleRows, 'price rule');

/** One page of an organization's price rules, by (`created_at`, id). */
export async function listPriceRules(
  ctx: Context,
  orgId: string,
  page: ListPage,
): Promise<Listed<PriceRuleRow>> {
  return listRows(ctx, priceRuleRows, { org_id: orgId }, 'created_at', page);
}
