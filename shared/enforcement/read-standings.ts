import type { ClientSession } from 'mongoose';
import { budgetRows } from '../budgets/model.ts';
import { readWindows } from '../budgets/read-windows.ts';
import { memberRows } from '../organizations/model.ts';
import { type RulesVersion, readOrganizationVersions } from '../organizations/versions.ts';
import { dateAt } from '../platform/basics/clock.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { type ReservationMark, reservationMarkRows, type Settlement, settlementRows } from './model.ts';
import { type Definitions, defineBudgets, type Standing } from './standing.ts';

/** A read that takes longer has failed: what it brings would be too old. */
const DEADLINE_MS = 900;

/** What one snapshot holds of an organization. */
export interface Reading {
  standing: Omit<Standing, 'reserved'>;
  /** Of reservations whose real cost is in the amounts. */
  settlements: readonly Settlement[];
  mark: Pick<ReservationMark, 'epoch' | 'seq'> | null;
}

/**
 * How the budgets of organizations stand, all at one moment. What has not changed since `known` is not read again: of an
 * organization at rest only its version. Throws a store error.
 */
export async function readStandings(
  ctx: Context,
  known: ReadonlyMap<string, Standing | null>,
): Promise<Map<string, Reading>> {
  return inTransaction(ctx.db, (transaction) => readChanges(ctx, known, transaction), {
    deadlineMs: DEADLINE_MS,
  });
}

async function readChanges(
  ctx: Context,
  known: ReadonlyMap<string, Standing | null>,
  transaction: ClientSession,
): Promise<Map<string, Reading>> {
  const versions = await readOrganizationVersions(ctx, [...known.keys()], transaction);
  const isRedefined = ([orgId, { version }]: [string, RulesVersion]) =>
    known.get(orgId)?.definitions.version !== version;
  const isTouched = ([orgId, { touches }]: [string, RulesVersion]) => known.get(orgId)?.touches !== touches;
  const redefined = new Map([...versions].filter(isRedefined));
  const touched = [...versions].filter(isTouched).map(([orgId]) => orgId);
  const definitions = await readDefinitions(ctx, redefined, transaction);
  const usage = await readUsage(ctx, touched, transaction);
  const standings = [...versions].map(([orgId, { touches }]) => {
    const before = known.get(orgId);
    const parts = {
      definitions: definitions.get(orgId) ?? before?.definitions,
      usage: usage.get(orgId) ?? before?.usage,
    };
    return { orgId, touches, ...parts } as Reading['standing'];
  });
  const reserving = standings.filter((standing) => standing.definitions.mayReserve);
  const beside = await readBeside(
    ctx,
    reserving.map(({ orgId }) => orgId),
    transaction,
  );
  return new Map(
    standings.map((standing) => [standing.orgId, { standing, ...(beside.get(standing.orgId) ?? NOTHING) }]),
  );
}

const NOTHING = { settlements: [], mark: null };

/** What the record holds of reservations. */
async function readBeside(
  ctx: Context,
  orgIds: readonly string[],
  transaction: ClientSession,
): Promise<Map<string, Omit<Reading, 'standing'>>> {
  if (orgIds.length === 0) return new Map();
  const settlements = await readSettlements(ctx, orgIds, transaction);
  const marks = await reservationMarkRows(ctx)
    .find({ _id: { $in: [...orgIds] } }, { session: transaction, projection: { epoch: 1, seq: 1 } })
    .toArray();
  const byOrganization = Map.groupBy(settlements, ({ org_id }) => org_id);
  const markOf = new Map(marks.map((mark) => [mark._id, mark]));
  return new Map(
    orgIds.map((orgId) => [
      orgId,
      { settlements: byOrganization.get(orgId) ?? [], mark: markOf.get(orgId) ?? null },
    ]),
  );
}

/** Settlements of one read. A full one is followed by one of the organizations that it did not show. */
const SETTLEMENTS = 5_000;

/** Settlements of each organization that has any; what is left of them the next call reads. */
async function readSettlements(
  ctx: Context,
  orgIds: readonly string[],
  transaction: ClientSession,
): Promise<Settlement[]> {
  const found = await settlementRows(ctx)
    .find({ org_id: { $in: [...orgIds] } }, { session: transaction, limit: SETTLEMENTS })
    .toArray();
  if (found.length < SETTLEMENTS) return found;
  const seen = new Set(found.map(({ org_id }) => org_id));
  const others = orgIds.filter((orgId) => !seen.has(orgId));
  return [...found, ...(await readSettlements(ctx, others, transaction))];
}

async function readDefinitions(
  ctx: Context,
  versions: ReadonlyMap<string, RulesVersion>,
  transaction: ClientSession,
): Promise<Map<string, Definitions>> {
  if (versions.size === 0) return new Map();
  const budgets = await budgetRows(ctx)
    .find({ org_id: { $in: [...versions.keys()] } }, { session: transaction })
    .toArray();
  const ofTeams = budgets.filter(({ scope }) => scope === 'team').map(({ org_id }) => org_id);
  const members = await memberRows(ctx)
    .find({ org_id: { $in: [...new Set(ofTeams)] } }, { session: transaction, projection: TEAMS })
    .toArray();
  const budgetsOf = Map.groupBy(budgets, ({ org_id }) => org_id);
  const membersOf = Map.groupBy(members, ({ org_id }) => org_id);
  return new Map(
    [...versions].map(([orgId, { version }]) => {
      const teamsOf = new Map((membersOf.get(orgId) ?? []).map(({ user_id, teams }) => [user_id, teams]));
      return [orgId, defineBudgets(version, budgetsOf.get(orgId) ?? [], teamsOf)];
    }),
  );
}

const TEAMS = { org_id: 1, user_id: 1, teams: 1 };

/** What the windows hold that are open now or open later. */
async function readUsage(
  ctx: Context,
  orgIds: readonly string[],
  transaction: ClientSession,
): Promise<Map<string, Standing['usage']>> {
  if (orgIds.length === 0) return new Map();
  const open = { org_id: { $in: [...orgIds] }, window_end: { $gt: dateAt(ctx.clock.now()) } };
  const windows = await readWindows(ctx, open, transaction);
  const byOrganization = Map.groupBy(windows, ({ org_id }) => org_id);
  return new Map(
    orgIds.map((orgId) => [orgId, Map.groupBy(byOrganization.get(orgId) ?? [], ({ counter }) => counter)]),
  );
}
