import { expect, test } from 'vitest';
import { openApiDocument } from '../../api/docs/openapi.ts';
import { routes } from '../../api/routes/index.ts';
import { API_WINGS } from '../../api/wings/index.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import {
  organizationChangeOf,
  type Settings,
  settingsOf,
  viewOrganization,
} from '../../shared/core/accounts/organizations/settings.ts';
import { EVENT_TYPES } from '../../shared/platform/basics/contract.ts';
import { WINGS } from '../../shared/tables/wings.ts';
import { makeTenant } from '../support/factories.ts';
import { storesFixture } from '../support/fixture.ts';

const { ctx } = await storesFixture();
async function organizationAs(settings: Settings): Promise<object> {
  const { orgId } = await makeTenant(ctx);
  return viewOrganization(await readOrganization(ctx, orgId), settings, ctx.clock.now());
}

const table = routes({ stopping: false });

test('the API takes the parts of every wing, in the order of the wings', () => {
  expect(API_WINGS.map(({ name }) => name)).toEqual(WINGS.map(({ name }) => name));
});

test('the API knows the settings of every wing, and shows each at its place', async () => {
  for (const [index, { settings }] of WINGS.entries()) expect(API_WINGS[index]?.settings).toBe(settings);
  const whole = await organizationAs(settingsOf({ wings: WINGS }));
  const names = ['admin_emails', 'teams', 'hold_above', 'hash_names', 'focus_close_day'];
  expect(Object.keys(whole).slice(-names.length)).toEqual(names);
  expect(Object.keys(await organizationAs({})).slice(-3)).toEqual(['admin_emails', 'teams', 'hash_names']);
});

test('a change takes the settings of wings that are there, and no others', () => {
  const change = { hold_above: { tokens: 5_000 } };
  expect(organizationChangeOf(settingsOf({ wings: WINGS })).safeParse(change).success).toBe(true);
  expect(organizationChangeOf({}).safeParse(change).success).toBe(false);
  expect(organizationChangeOf({}).safeParse({ hash_names: true }).success).toBe(true);
});

test.each([...API_WINGS])(
  'the sections of $name follow routes that there are, so that each is served',
  ({ sections }) => {
    expect(sections.length).toBeGreaterThan(0);
    for (const { routes: own } of sections)
      for (const route of own) expect(table.filter((served) => served === route)).toHaveLength(1);
  },
);

test('every type of event is documented once, by the core or by a wing', () => {
  const { webhooks } = openApiDocument(table, 'https://governor.example') as { webhooks: object };
  expect(Object.keys(webhooks).toSorted()).toEqual(EVENT_TYPES.toSorted());
});
