import type { ClientSession, mongo } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import { collection } from '../platform/mongo/collection.ts';
import { ALL_COUNTER_SHARDS } from '../platform/mongo/counter-shards.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';

/**
 * The conflict row between what records signals or raises events and what changes the rules by which it does. Under snapshot
 * isolation two transactions that only read what the other writes both commit. Here both write: one that records signals or
 * raises events writes one shard of the organization, one that changes a rule writes all shards. One of two that overlap
 * meets a write conflict and runs again on a snapshot that holds the other (docs/adr/0040, docs/adr/0160).
 */
export interface OrganizationVersion {
  /** `versionKey(...)`. */
  _id: string;
  org_id: string;
  /** Rises with each change of the organization's settings, teams, budgets and webhooks: the same in all shards. */
  version: number;
  /** Rises with each batch of signals, and with each transaction that raises events. */
  touches?: number;
  /** Rises with each change of the organization's contexts and boundaries: the same in all shards; absent before the first. */
  contexts?: number;
}

export const organizationVersionRows = collection<OrganizationVersion>('organization_versions', {
  // For the embedded store, which reads more than one row for a filter that no index holds whole.
  indexes: [{ key: { _id: 1, version: 1, contexts: 1 } }],
});

function versionKey(orgId: string, shard: number): string {
  return `${orgId}/${shard}`;
}

/** How often the rules of an organization, and its contexts and boundaries, have changed. */
export type RulesCounts = Pick<Required<OrganizationVersion>, 'version' | 'contexts'>;

/** The counts of an organization as of the transaction's snapshot; 0 for what was never changed. */
export async function readOrganizationVersion(
  ctx: Context,
  orgId: string,
  shard: number,
  transaction: ClientSession,
): Promise<RulesCounts> {
  const row = await organizationVersionRows(ctx).findOne(
    { _id: versionKey(orgId, shard) },
    { projection: { version: 1, contexts: 1 }, session: transaction },
  );
  return { version: row?.version ?? 0, contexts: row?.contexts ?? 0 };
}

/** The version of an organization's rules, and how often its usage or its rules have changed. */
export interface RulesVersion extends RulesCounts {
  touches: number;
}

/** The versions of organizations as of the transaction's snapshot; of one that was never touched 0. */
export async function readOrganizationVersions(
  ctx: Context,
  orgIds: readonly string[],
  transaction: ClientSession,
): Promise<Map<string, RulesVersion>> {
  const keys = orgIds.flatMap((orgId) => ALL_COUNTER_SHARDS.map((shard) => versionKey(orgId, shard)));
  const rows = await organizationVersionRows(ctx)
    .find({ _id: { $in: keys } }, { session: transaction })
    .toArray();
  const none = { version: 0, touches: 0, contexts: 0 };
  const versions = new Map(orgIds.map((orgId) => [orgId, none]));
  for (const { org_id, version, touches = 0, contexts = 0 } of rows) {
    const known = versions.get(org_id) ?? none;
    versions.set(org_id, {
      version: Math.max(known.version, version),
      touches: known.touches + touches,
      contexts: Math.max(known.contexts, contexts),
    });
  }
  return versions;
}

/**
 * The write of a transaction that relies on a version, in one shard, and on contexts where their count is given. It fails with a
 * duplicate key when the row has another one.
 */
export function touchOrganizationVersion(
  orgId: string,
  shard: number,
  { version, contexts }: { version: number; contexts?: number },
): Write {
  const told = contexts === undefined ? {} : { contexts: contexts === 0 ? { $exists: false } : contexts };
  return updateRow(
    organizationVersionRows,
    { _id: versionKey(orgId, shard), version, ...told },
    { $inc: { touches: 1 }, $setOnInsert: { org_id: orgId } },
    { upsert: true },
  );
}

/**
 * The write of a transaction that has itself read rules of the organization and relies on them, in one shard. It conflicts
 * with every change of a rule that the transaction does not see.
 */
export function guardOrganizationRules(orgId: string, shard: number): Write {
  return updateRow(
    organizationVersionRows,
    { _id: versionKey(orgId, shard) },
    // Rows of an organization come into being with its first signal or, all of them, with its first change.
    { $inc: { touches: 1 }, $setOnInsert: { org_id: orgId, version: 0 } },
    { upsert: true },
  );
}

/**
 * The writes by which a transaction that reads for long takes the rows of all shards before it reads: what records signals then
 * waits for it. Without them each batch that commits meanwhile ends it, and a busy organization could not change a budget.
 */
export function takeOrganizationRules(orgId: string): Write[] {
  return Array.from(ALL_COUNTER_SHARDS, (shard) => guardOrganizationRules(orgId, shard));
}

/** The writes of a transaction that changes a setting, a team, a budget or a webhook of the organization. */
export function raiseOrganizationVersion(orgId: string): Write[] {
  return raise(orgId, { $inc: { version: 1, touches: 1 }, $setOnInsert: { org_id: orgId } });
}

/** The writes of a transaction that changes contexts or boundaries of the organization. The rules stay as they are cached. */
export function raiseOrganizationContexts(orgId: string): Write[] {
  return raise(orgId, { $inc: { contexts: 1, touches: 1 }, $setOnInsert: { org_id: orgId, version: 0 } });
}

function raise(orgId: string, update: mongo.UpdateFilter<OrganizationVersion>): Write[] {
  return ALL_COUNTER_SHARDS.map((shard) =>
    updateRow(organizationVersionRows, { _id: versionKey(orgId, shard) }, update, { upsert: true }),
  );
}
