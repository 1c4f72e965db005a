import { expect, test } from 'vitest';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import { storesFixture } from '../../../../support/fixture.ts';

const MINUTE = 60_000;
const MIDNIGHT = Date.parse('2026-04-15T22:00:00Z');
const DAY = 86_400_000;
const { ctx, clock, tenant } = await storesFixture({ clock: true });

/** Changes the timezone of an organization in Berlin to each of these, at a moment; says which hold from when on. */
async function change(atMs: number, ...timezones: string[]): Promise<[string, number][]> {
  clock.set(atMs);
  const { orgId } = await tenant({ timezone: 'Europe/Berlin' });
  for (const timezone of timezones) await changeOrganization(ctx, orgId, { timezone });
  const organization = await changeOrganization(ctx, orgId, {});
  return organization.timezones.slice(1).map(({ from, timezone }) => [timezone, from.getTime()]);
}

test('a changed timezone holds from the next midnight of the former one on', async () => {
  expect(await change(MIDNIGHT - 12 * 60 * MINUTE, 'Asia/Tokyo')).toEqual([['Asia/Tokyo', MIDNIGHT]]);
});

test('no day changes of which a signal may have been counted, also by a process whose clock is an hour ahead', async () => {
  const soonMs = 65 * MINUTE;
  expect(await change(MIDNIGHT - soonMs, 'Asia/Tokyo')).toEqual([['Asia/Tokyo', MIDNIGHT + DAY]]);
  expect(await change(MIDNIGHT - soonMs - 1, 'Asia/Tokyo')).toEqual([['Asia/Tokyo', MIDNIGHT]]);
});

test('of changes on one day the last holds, and one that takes the others back is none', async () => {
  const noon = MIDNIGHT - 10 * 60 * MINUTE;
  expect(await change(noon, 'Asia/Tokyo', 'America/New_York')).toEqual([['America/New_York', MIDNIGHT]]);
  expect(await change(noon, 'Asia/Tokyo', 'Europe/Berlin')).toEqual([]);
});
