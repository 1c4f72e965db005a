import { memberRows, type Organization } from '../../core/accounts/organizations/model.ts';
import type { Context } from '../../platform/context/context.ts';
import type { WeekCells } from './model.ts';
import type { People, Week } from './read-week.ts';

/**
 * The people of a week, as of now: their teams, and by the organization's `k_population` whether they count towards k.
 * Members who left during the week, or after it, were members then.
 */
export async function peopleOf(ctx: Context, organization: Organization, week: Week): Promise<People> {
  const members = await memberRows(ctx)
    .find({ org_id: organization._id }, { projection: { user_id: 1, teams: 1, removed_at: 1 } })
    .toArray();
  const teams = new Map(members.map((member) => [member.user_id, member.teams]));
  const teamOf = (user: string) => teamName(teams.get(user) ?? []);
  if (organization.k_population !== 'members') return { teamOf, isOther: () => false };
  const counted = new Set(
    members
      .filter(({ removed_at }) => removed_at === null || removed_at.getTime() > week.fromMs)
      .map(({ user_id }) => user_id),
  );
  return { teamOf, isOther: (user) => !counted.has(user) };
}

/** Members of several teams have a value of their own, so that each user is under one and cells never overlap. */
function teamName(teams: readonly string[]): string {
  return [...teams].sort().join(' + ');
}

/** The people of a frozen week: its users keep the team that they were counted in, and the others have theirs of now. */
export function peopleAsFrozen(byTeam: WeekCells, now: People): People {
  const known = new Map(
    [...byTeam].flatMap(([team, users]) =>
      users.map(({ user, isOther }) => [user, { team, isOther }] as const),
    ),
  );
  return {
    teamOf: (user) => known.get(user)?.team ?? now.teamOf(user),
    isOther: (user) => known.get(user)?.isOther ?? now.isOther(user),
  };
}
