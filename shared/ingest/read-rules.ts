import type { ClientSession } from 'mongoose';
import type { BudgetSet } from '../budgets/count-signals.ts';
import { readBudgetSet } from '../budgets/read-budget-set.ts';
import type { Organization } from '../organizations/model.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { readOrganizationVersion } from '../organizations/versions.ts';
import { boundedCache } from '../platform/context/cache.ts';
import type { Context } from '../platform/context/context.ts';
import { findSubscribers, type Subscriber } from '../webhooks/endpoints/find-subscribers.ts';

/** The rules by which an organization's signals count, as of one version. */
export interface Rules {
  version: number;
  organization: Organization;
  budgets: BudgetSet;
  subscribers: readonly Subscriber[];
}

const keptRules = boundedCache<string, Rules>({ max: 10_000 });

/** The rules as they were when this process last read them, if it has. */
export function recallRules(ctx: Context, orgId: string): Rules | undefined {
  return keptRules(ctx).get(orgId);
}

/**
 * The rules as of the transaction's snapshot: one read while they have not changed. The transaction that relies on rules
 * writes the version's row (`touchOrganizationVersion`). Throws `not_found`.
 */
export async function readRules(
  ctx: Context,
  orgId: string,
  shard: number,
  transaction: ClientSession,
): Promise<Rules> {
  const version = await readOrganizationVersion(ctx, orgId, shard, transaction);
  const known = keptRules(ctx).get(orgId);
  if (known?.version === version) return known;
  const organization = await readOrganization(ctx, orgId, transaction);
  const budgets = await readBudgetSet(ctx, orgId, transaction);
  const { webhooks: subscribers } = await findSubscribers(ctx, orgId, transaction);
  return { version, organization, budgets, subscribers };
}

/** Keeps rules once a transaction that read them has committed. */
export function keepRules(ctx: Context, rules: Rules): void {
  keptRules(ctx).set(rules.organization._id, rules);
}
