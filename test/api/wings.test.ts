import { expect, test } from 'vitest';
import { openApiDocument } from '../../api/docs/openapi.ts';
import { routes } from '../../api/routes/index.ts';
import { API_WINGS } from '../../api/wings/index.ts';
import { EVENT_TYPES } from '../../shared/platform/basics/contract.ts';
import { WINGS } from '../../shared/tables/wings.ts';

const table = routes({ stopping: false });

test('the API takes the parts of every wing, in the order of the wings', () => {
  expect(API_WINGS.map(({ name }) => name)).toEqual(WINGS.map(({ name }) => name));
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
