import { expect, test } from 'vitest';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { testEnv } from '../support/harness.ts';
import { SECRET } from '../support/webhooks.ts';

const { ctx, send, tenant } = await fixture({ env: { WEBHOOKS_PER_ORGANIZATION: '3' } });

test('an organization has 250 webhooks, unless the setting says otherwise', () => {
  expect(readConfig(testEnv('any')).webhooksPerOrganization).toBe(250);
});

const URL = 'http://127.0.0.1:9/';
const { key, webhook, budget } = await tenant();

test.each([
  [
    'three webhooks, as the setting says',
    '/api/v1/webhooks',
    { url: URL, events: ['session.ended'], secret: SECRET },
    () => Promise.all([webhook(URL), webhook(URL)]),
  ],
  [
    '5,000 budgets',
    '/api/v1/budgets',
    BUDGET,
    async () => {
      const { _id, ...made } = await budget();
      const more = Array.from({ length: 4_998 }, () => ({ ...made, _id: newId('bud') }));
      await budgetRows(ctx).insertMany(more);
    },
  ],
])('the last place of %s is given to one of those that come at once', async (_, path, body, fill) => {
  await fill();
  const answers = await Promise.all([1, 2, 3].map(() => send(path, body, { key })));
  const codes = answers.map(({ status, body: { code = '' } }) => `${status} ${code}`);
  expect(codes.toSorted()).toEqual(['201 ', '409 conflict', '409 conflict']);
});
