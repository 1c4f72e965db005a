import { expect, it } from 'vitest';
import { readOrganization } from '../../../../shared/core/accounts/organizations/read-organization.ts';
import { changeOrganization } from '../../../../shared/people/change-organization.ts';
import { removeMember } from '../../../../shared/people/remove-member.ts';
import { peopleOf } from '../../../../shared/wings/analytics/people.ts';
import { storesFixture } from '../../../support/fixture.ts';

const DAY = 86_400_000;
const WEEK = { fromMs: Date.parse('2026-04-06T00:00:00Z'), toMs: Date.parse('2026-04-13T00:00:00Z') };
const { ctx, clock, orgId, member } = await storesFixture({ clock: WEEK.fromMs - 30 * DAY });

it('counts the members of a week towards k, also those who left in the middle of it, and nobody who had left before', async () => {
  await changeOrganization(ctx, orgId, { k_population: 'members' });
  const leaves: Record<string, number | null> = {
    'before it': WEEK.fromMs - DAY,
    'as it begins': WEEK.fromMs,
    'just after it begins': WEEK.fromMs + 1,
    'in its middle': WEEK.fromMs + 3 * DAY,
    'after it': WEEK.toMs + DAY,
    never: null,
  };
  const users = Object.keys(leaves);
  for (const userId of users) await member(userId);
  for (const [user, atMs] of Object.entries(leaves)) {
    if (atMs === null) continue;
    clock.set(atMs);
    await removeMember(ctx, orgId, user);
  }
  const { isOther } = await peopleOf(ctx, await readOrganization(ctx, orgId), WEEK);
  expect(users.filter((user) => !isOther(user))).toEqual([
    'just after it begins',
    'in its middle',
    'after it',
    'never',
  ]);
  expect(isOther('a stranger')).toBe(true);
});
