import { expect, test } from 'vitest';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-04-20T12:00:00Z');
const DAY = 86_400_000;
const shop = await fixture({ clock: NOW, perTest: true, env: { SIGNAL_RETENTION_DAYS: '90' } });

/** Two weeks: the second is the range that is asked about. */
const BEFORE = Date.parse('2026-04-07T09:00:00Z');
const WITHIN = Date.parse('2026-04-14T09:00:00Z');
const ask = () => shop.ask('/api/v1/usage/changes?from=2026-04-13&to=2026-04-20');

/** Calls of these costs, an hour apart, so that each is a session of its own. */
async function spend(atMs: number, fields: Record<string, unknown>, ...costs: number[]): Promise<void> {
  const calls = costs.map((cost_usd, at) => ({ ts: atMs + at * 3_600_000, ...fields, cost_usd }));
  await shop.record(...calls);
}

const rowsOf = (body: { splits: { by: string; rows: object[] }[] }, by: string) =>
  body.splits.find((split) => split.by === by)?.rows;

test('says what the cost changed by, and the one session that explains it', async () => {
  await spend(BEFORE, { user_id: 'ada' }, 1, 1, 1);
  await spend(WITHIN, { user_id: 'ada' }, 1, 1, 1);
  await spend(WITHIN, { user_id: 'bob', project_id: 'shop' }, 9.000000001);
  const body = await ask();
  expect(body).toMatchObject({
    from: '2026-04-13T00:00:00.000Z',
    to: '2026-04-20T00:00:00.000Z',
    before: { from: '2026-04-06T00:00:00.000Z', to: '2026-04-13T00:00:00.000Z' },
    cost_usd: '12.000000001',
    before_cost_usd: '3.000000000',
    difference_usd: '9.000000001',
    explained_by: { by: 'session', keys: [expect.stringMatching(/^ses_/)], share: 1 },
  });
  expect(rowsOf(body, 'user_id')).toEqual([
    { key: 'bob', cost_usd: '9.000000001', before_cost_usd: '0.000000000', difference_usd: '9.000000001' },
    { key: 'ada', cost_usd: '3.000000000', before_cost_usd: '3.000000000', difference_usd: '0.000000000' },
  ]);
});

test('somebody in two teams counts in both, and one row takes away what is counted twice', async () => {
  await shop.member('ada', { teams: ['red', 'blue'] });
  await spend(WITHIN, { user_id: 'ada' }, 3);
  const body = await ask();
  const costs = { before_cost_usd: '0.000000000' };
  const three = { ...costs, cost_usd: '3.000000000', difference_usd: '3.000000000' };
  const less = { ...costs, cost_usd: '-3.000000000', difference_usd: '-3.000000000' };
  expect(rowsOf(body, 'team')).toEqual([
    { key: 'blue', ...three },
    { key: 'red', ...three },
    { key: null, ...less, twice: true },
  ]);
  expect(rowsOf(body, 'user_id')).toEqual([{ key: 'ada', ...three }]);
});

test('nothing explains a difference of which each has a part, and nothing that always is most of the cost', async () => {
  for (const user of 'abcdefgh') {
    await spend(BEFORE, { user_id: user, project_id: user, model: user }, 1);
    await spend(WITHIN, { user_id: user, project_id: user, model: user }, 0.5, 0.5, 0.5, 0.5);
  }
  const body = await ask();
  expect([body.difference_usd, body.explained_by]).toEqual(['8.000000000', null]);
});

test('a fall is explained by what fell, and a difference of 0 by nothing', async () => {
  for (const at of [BEFORE, WITHIN]) await spend(at, { user_id: 'bob' }, 20);
  await spend(BEFORE, { user_id: 'ada' }, 1, 1, 1, 1, 1, 1, 1);
  expect((await ask()).explained_by).toEqual({ by: 'user_id', keys: ['ada'], share: 1 });
  await spend(WITHIN, { user_id: 'cyd' }, 7);
  expect(await ask()).toMatchObject({ difference_usd: '0.000000000', explained_by: null });
});

test('sessions are left out where a hundred thousand calls would be read, or some are no longer kept', async () => {
  await spend(WITHIN, { user_id: 'ada' }, 4);
  const old = await shop.ask('/api/v1/usage/changes?from=2026-01-20&to=2026-03-01');
  expect(rowsOf(old, 'session')).toBeUndefined();
  await rollupRows(shop.ctx).updateMany({ org_id: shop.orgId }, { $set: { signals: 100_001 } });
  const body = await ask();
  expect(rowsOf(body, 'session')).toBeUndefined();
  expect(body.explained_by).toMatchObject({ by: 'user_id', keys: ['ada'] });
});

test('a period before that cannot be told exactly is refused with the nearest days', async () => {
  const from = new Date(NOW - 30 * DAY + 3_600_000).toISOString();
  const { status, body } = await shop.send(`/api/v1/usage/changes?from=${from}`);
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect(body.detail).toContain('35 days');
});

test.each(['before_from=2026-04-07', 'before_from=2026-04-07&before_to=2026-04-14'])(
  'another period is named whole and lies before the range: %s is refused',
  async (query) => {
    expect((await shop.send(`/api/v1/usage/changes?from=2026-04-13&${query}`)).status).toBe(400);
  },
);
