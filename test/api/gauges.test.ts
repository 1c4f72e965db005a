import { expect, it, vi } from 'vitest';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { removeBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { type Budget, budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { fixture } from '../support/fixture.ts';

const { api, clock, tenant } = await fixture({ clock: Date.parse('2026-11-22T12:00:00Z') });

const metrics = async () => (await api.call('/metrics', { key: api.ctx.config.operatorToken })).text;

/** The samples of a gauge by their labels, as Prometheus reads them. */
async function samples(name: string): Promise<Record<string, number>> {
  const lines = (await metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  const cut = (line: string) => line.lastIndexOf(' ');
  return Object.fromEntries(
    lines.map((line) => [line.slice(name.length, cut(line)), Number(line.slice(cut(line)))]),
  );
}

it('tells usage by organization, model and adapter, and budgets, and no user', async () => {
  const { budget, orgId, record } = await tenant({ timezone: 'Asia/Tokyo' });
  const call = { ts: clock.now(), model: 'gpt-5' };
  await record(
    { ...call, user_id: 'ada', tokens_in: 12_000, tokens_out: 900, cost_usd: 0.5 },
    { ...call, user_id: 'bob', tokens_in: 10, tokens_out: 1, cost_usd: 0.25 },
    { ...call, ts: clock.now() - 86_400_000, cost_usd: 9 },
  );
  const fields = { name: 'All "we" spend', threshold: 2, timezone: 'Asia/Tokyo' };
  const { _id } = await budget({ ...fields, scope_id: orgId });
  await budget({ ...fields, per: 'user' });
  await budget({ ...fields, scope: 'user', scope_id: 'ada' });
  const [ofAda] = await budgetRows(api.ctx).find({ org_id: orgId, scope: 'user' }).toArray();
  const later = new Date(clock.now() + 1);
  await budgetRows(api.ctx).insertMany(
    Array.from({ length: 500 }, (_, n) => ({ ...(ofAda as Budget), _id: `bud_${n}`, created_at: later })),
  );

  const of = `{org="${orgId}",model="gpt-5",adapter="claude-code"`;
  expect(await samples('governor_usage_cost_usd')).toEqual({ [`${of}}`]: 0.75 });
  expect(await samples('governor_usage_tokens')).toEqual({
    [`${of},direction="in"}`]: 12_010,
    [`${of},direction="out"}`]: 901,
  });
  expect(await samples('governor_usage_sessions')).toEqual({ [`${of}}`]: 2 });
  for (const [name, value] of Object.entries({ limit: 2, used: 0.75, remaining: 1.25 })) {
    const [[labels, told] = ['', 0], ...others] = Object.entries(await samples(`governor_budget_${name}`));
    expect([told, others]).toEqual([value, []]);
    expect(labels).toContain('name="All \\"we\\" spend",scope="org",metric="cost_usd"');
  }
  expect(await metrics()).not.toContain('"ada"');
  await removeBudget(api.ctx, orgId, _id);
  clock.advance(15_000);
  for (const name of ['limit', 'used', 'remaining'])
    expect(await samples(`governor_budget_${name}`), name).toEqual({});
});

it('tells a hundred models of an organization apart, and the others together', async () => {
  const { orgId, record } = await tenant();
  const call = { ts: clock.now(), cost_usd: 1 };
  const models = Array.from({ length: 150 }, (_, at) => ({ ...call, user_id: `u${at}`, model: `m${at}` }));
  await record(...models, { ...call, model: 'm149' });
  clock.advance(15_000);
  const told = Object.entries(await samples('governor_usage_cost_usd')).filter(([of]) => of.includes(orgId));
  expect(told).toHaveLength(101);
  expect(told.find(([of]) => of.includes('"m149"'))?.[1]).toBe(2);
  expect(told.find(([of]) => of.includes('model="other",adapter="other"'))?.[1]).toBe(50);
});

it('begins each day of the organization at 0, in every gauge', async () => {
  const { record } = await tenant();
  await record({ ts: clock.now(), model: 'nobody-knows' });
  const names = ['cost_usd', 'tokens', 'sessions', 'unpriced_signals'].map(
    (name) => `governor_usage_${name}`,
  );
  clock.advance(15_000);
  for (const name of names)
    expect(Object.values(await samples(name)), name).toContainEqual(expect.any(Number));
  clock.advance(24 * 3_600_000);
  for (const name of names) expect(await samples(name), name).toEqual({});
});

it('are read once at a time, and again also when the clock was set back', async () => {
  const answer = Promise.withResolvers<never[]>();
  const cursor = { sort: () => ({ toArray: () => answer.promise }) };
  const find = vi.spyOn(organizationRows(api.ctx), 'find').mockReturnValue(cursor as never);
  clock.advance(15_000);
  const slow = samples('governor_usage_cost_usd');
  await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(1), { timeout: 60_000 });
  clock.advance(15_000);
  await Promise.all([slow, samples('governor_usage_cost_usd')]);
  expect(find).toHaveBeenCalledTimes(1);
  answer.resolve([]);
  clock.shift(-3_600_000);
  clock.advance(15_000);
  await samples('governor_usage_cost_usd');
  expect(find).toHaveBeenCalledTimes(2);
  find.mockRestore();
});
