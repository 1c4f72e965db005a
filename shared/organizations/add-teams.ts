import type { ClientSession } from 'mongoose';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { organizationRows } from './model.ts';
import { readOrganization } from './read-organization.ts';

/** Every request reads the row of its organization, and the teams in it. */
const TEAMS_PER_ORGANIZATION = 1_000;

/** Adds those teams to an organization that it does not have yet. Throws `conflict` when it would have too many, `not_found`. */
export async function addTeams(
  ctx: Context,
  orgId: string,
  teams: readonly string[],
  transaction: ClientSession,
): Promise<void> {
  const known = (await readOrganization(ctx, orgId, transaction)).teams;
  const all = new Set([...known, ...teams]);
  if (all.size === known.length) return;
  if (all.size > TEAMS_PER_ORGANIZATION)
    throw new DomainError('conflict', `An organization has at most ${TEAMS_PER_ORGANIZATION} teams.`);
  const add = { $addToSet: { teams: { $each: [...teams] } } };
  await organizationRows(ctx).updateOne({ _id: orgId }, add, { session: transaction });
}
