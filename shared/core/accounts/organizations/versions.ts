import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { ALL_COUNTER_SHARDS } from '../../../platform/mongo/counter-shards.ts';
import { only, optional } from '../../../platform/mongo/fields.ts';
import { updateRow, type Write } from '../../../platform/mongo/writes.ts';

export const organizationVersionRows = collection('organization_versions', {
  about: 'The versions of an organization’s rules, by which writers notice each other.',
  fields: {
    /** `versionKey(...)`. */
    _id: String,
    org_id: String,
    /** Rises with each change of the organization's settings, teams, budgets and webhooks: the same in all shards. */
    version: Number,
    /** Rises with each batch of signals, and with each transaction that raises events. */
    touches: optional(Number),
    /** Rises with each change of the organization's contexts and boundaries: the same in all shards; absent before the first. */
    contexts: optional(Number),
    /**
     * There while a change that met a conflict waits: batches of signals let it go first (docs/adr/0264). It proves nothing, so one
     * that a dead process left behind costs one batch half a second.
     */
    change_waits: optional(only<true>(Boolean)),
  },

  // For the embedded store, which reads more than one row for a filter that no index holds whole.
  indexes: [{ key: { _id: 1, version: 1, contexts: 1, change_waits: 1 } }],
});

/**
 * The conflict row between what records signals or raises events and what changes the rules by which it does. Under snapshot
 * isolation two transactions that only read what the other writes both commit. Here both write: one that records signals or
 * raises events writes one shard of the organization, one that changes a rule writes all shards. One of two that overlap
 * meets a write conflict and runs again on a snapshot that holds the other (docs/adr/0040, docs/adr/0160).
 */
export interface OrganizationVersion extends RowOf<typeof organizationVersionRows> {}

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

/** How long a batch of signals lets changes go first, in all its attempts together, and how often it looks. Milliseconds. */
const LONGEST_WAIT_MS = 500;
const LOOK_MS = 10;

/** The counts of an organization outside a transaction, and whether changes that waited have passed. */
export interface Passed extends RulesCounts {
  isPassed: boolean;
}

/**
 * Waits until no change of the organization waits, and then reads its counts: a touch by them proves that they hold. A batch that
 * has waited long enough since `sinceMs` goes on beside the changes.
 */
export async function letChangesPass(
  ctx: Context,
  orgId: string,
  shard: number,
  sinceMs: number,
): Promise<Passed> {
  for (;;) {
    // As the touch sees it: also before a majority of the set has it.
    const row = await organizationVersionRows(ctx).findOne(
      { _id: versionKey(orgId, shard) },
      { projection: { version: 1, contexts: 1, change_waits: 1 }, readConcern: { level: 'local' } },
    );
    const isPassed = !row?.change_waits;
    if (isPassed || performance.now() - sinceMs > LONGEST_WAIT_MS)
      return { version: row?.version ?? 0, contexts: row?.contexts ?? 0, isPassed };
    await sleep(LOOK_MS);
  }
}

/** The counts that a batch of signals relies on, contexts only where it does, and whether it lets a change that waits go first. */
export interface Relied {
  version: number;
  contexts?: number;
  /** `first`: changes that wait go first. `after`: this batch has let them pass. `overdue`: it has waited long enough. */
  waiting: 'first' | 'after' | 'overdue';
}

/**
 * The write of a transaction that relies on a version, in one shard, and on contexts where their count is given. It fails with a
 * duplicate key when the row has another one, or a change waits that goes first.
 */
export function touchOrganizationVersion(
  orgId: string,
  shard: number,
  { version, contexts, waiting }: Relied,
): Write {
  const told = contexts === undefined ? {} : { contexts: contexts === 0 ? { $exists: false } : contexts };
  const none = waiting === 'first' ? { change_waits: { $exists: false } } : {};
  const ended = waiting === 'overdue' ? { $unset: { change_waits: true as const } } : {};
  return updateRow(
    organizationVersionRows,
    { _id: versionKey(orgId, shard), version, ...told, ...none },
    { $inc: { touches: 1 }, ...ended, $setOnInsert: { org_id: orgId } },
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

/** A batch holds one row and a change needs all of them at once, so a change that met a conflict has the batches wait. */
function haveBatchesWait(orgId: string) {
  return { $set: { change_waits: true as const }, $setOnInsert: { org_id: orgId, version: 0 } };
}

/**
 * The writes by which a transaction that reads for long takes the rows of all shards before it reads: what records signals then
 * waits for it. Without them each batch that commits meanwhile ends it, and a busy organization could not change a budget.
 */
export function takeOrganizationRules(orgId: string): Write[] {
  return ALL_COUNTER_SHARDS.map((shard) => ({
    ...guardOrganizationRules(orgId, shard),
    ahead: haveBatchesWait(orgId),
  }));
}

/** The writes of a transaction that changes a setting, a team, a budget or a webhook of the organization. */
export function raiseOrganizationVersion(orgId: string): Write[] {
  return raise(orgId, RAISED).map((write) => ({ ...write, ahead: haveBatchesWait(orgId) }));
}

/** The same for a batch of signals that relies on a version: they fail with a duplicate key for another one, and no other batch waits. */
export function raiseReliedVersion(orgId: string, version: number): Write[] {
  return raise(orgId, RAISED, { version });
}

const RAISED = { $inc: { version: 1, touches: 1 } };

/** The writes of a transaction that changes contexts or boundaries of the organization. The rules stay as they are cached. */
export function raiseOrganizationContexts(orgId: string): Write[] {
  const raised = { $inc: { contexts: 1, touches: 1 }, $setOnInsert: { version: 0 } };
  return raise(orgId, raised).map((write) => ({ ...write, ahead: haveBatchesWait(orgId) }));
}

function raise(
  org_id: string,
  { $inc, $setOnInsert }: { $inc: Record<string, number>; $setOnInsert?: object },
  relied: { version?: number } = {},
): Write[] {
  const update = { $inc, $unset: { change_waits: true as const }, $setOnInsert: { ...$setOnInsert, org_id } };
  return ALL_COUNTER_SHARDS.map((shard) => {
    const filter = { _id: versionKey(org_id, shard), ...relied };
    return updateRow(organizationVersionRows, filter, update, { upsert: true });
  });
}
