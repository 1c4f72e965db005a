import { beforeAll, expect, it } from 'vitest';
import type { SessionMatch } from '../../../../../shared/core/calls/sessions/match-sessions.ts';
import { type Session, sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import {
  ORDERED_BY_COST,
  ORDERED_SESSIONS,
  orderSessions,
} from '../../../../../shared/core/calls/sessions/order-sessions.ts';
import { dateAt } from '../../../../../shared/platform/basics/clock.ts';
import type { Order, Position } from '../../../../../shared/platform/basics/paginate.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { pick, seeded } from '../../../../support/random.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const DAY = 86_400_000;
const SEED = 90_113;
const random = seeded(SEED);
const { ctx } = await storesFixture();

/** 700 sessions: a third for nothing, many for the same, and some of very different costs. */
beforeAll(async () => {
  const rows = Array.from({ length: 700 }, (_, index) => sessionAt(index));
  await sessionRows(ctx).insertMany([...rows, { ...sessionAt(7_000), org_id: 'org_other' }]);
});

function sessionAt(index: number): Session {
  const at = dateAt(NOW - Math.floor(random() * 30 * DAY));
  const cost_nusd = pick(random, [0, 1, 2, 1_000_000, Math.floor(10 ** (random() * 15))]);
  return {
    _id: `ses_${String(Math.floor(random() * 1e9)).padStart(9, '0')}${index}`,
    org_id: 'org_a',
    user_id: pick(random, ['ada', 'bob']),
    project_id: pick(random, ['web', 'api']),
    adapter: pick(random, ['codex', 'claude-code']),
    key: `key-${index}`,
    state: index % 7 === 0 ? 'open' : 'ended',
    end_reason: index % 7 === 0 ? null : 'timeout',
    started_at: at,
    last_activity_at: at,
    ended_at: at,
    model: pick(random, ['gpt-5', 'o3']),
    model_tokens: [],
    tokens_in: 1,
    tokens_out: 1,
    cost_nusd,
    unpriced_signals: 0,
    signal_count: 1,
    error_count: index % 5 === 0 ? 1 : 0,
    intervention_count: 0,
    ...(index % 3 === 0 ? { anomaly_types: ['cost_spike'] as const } : {}),
  };
}

/** Values of each filter; the ids are those of some sessions. */
const valuesOfAll = (ids: string[]): { [Name in keyof SessionMatch]-?: SessionMatch[Name][] } => ({
  user_id: ['ada'],
  project_id: ['web'],
  model: ['o3'],
  adapter: ['codex'],
  users: [[], ['bob', 'nobody']],
  errors: [true, false],
  anomalous: [true, false],
  state: ['open', 'ended'],
  minCostNusd: [1_000_000],
  ids: [ids],
  having: [[{ $match: { _id: { $regex: '[05]$' } } }]],
});

const ALL = { match: {}, started: { started_at: { $gte: dateAt(0), $lt: dateAt(NOW + DAY) } } };

type Page = { order: Order; limit: number; total: number };
async function walk(match: SessionMatch, fromMs: number, page: Page): Promise<string[]> {
  const started = { started_at: { $gte: dateAt(fromMs), $lt: dateAt(NOW + DAY) } };
  const ids: string[] = [];
  let after: Position | null = null;
  for (let pages = 0; pages < 1_000; pages += 1) {
    const found = await orderSessions(ctx, 'org_a', { match, started }, { ...page, sort: 'cost_usd', after });
    ids.push(...found.rows.map(({ _id }) => _id));
    if (!found.hasMore) return ids;
    after = found.last;
  }
  throw new Error('the walk does not end');
}

it.each(['asc', 'desc'] as const)(
  'the index of the cost, %s, gives the order that sorting gives, with each filter',
  async (order) => {
    const some = await sessionRows(ctx).find({ org_id: 'org_a' }).limit(90).toArray();
    const alone = Object.entries(valuesOfAll(some.map(({ _id }) => _id))).flatMap(([name, values]) =>
      values.map((value): SessionMatch => ({ [name]: value })),
    );
    for (const match of [{}, ...alone])
      for (const fromMs of [0, NOW - 3 * DAY]) {
        const sorted = await walk(match, fromMs, { order, limit: 1_000, total: ORDERED_BY_COST });
        for (const limit of sorted.length > 200 ? [13, 100] : [1, 13, 100]) {
          const walked = await walk(match, fromMs, { order, limit, total: ORDERED_BY_COST + 1 });
          expect(walked, `seed ${SEED} ${JSON.stringify({ match, fromMs, limit })}`).toEqual(sorted);
        }
      }
  },
);

it('a walk may change from sorting to the index between two pages', async () => {
  const expected = await walk({}, 0, { order: 'desc', limit: 1_000, total: 1 });
  const page = { sort: 'cost_usd', order: 'desc', limit: 40 } as const;
  const read = (total: number, after: Position | null) =>
    orderSessions(ctx, 'org_a', ALL, { ...page, total, after });
  const first = await read(ORDERED_BY_COST, null);
  const second = await read(ORDERED_BY_COST + 1, first.last);
  const third = await read(ORDERED_BY_COST, second.last);
  const ids = [first, second, third].flatMap(({ rows }) => rows.map(({ _id }) => _id));
  expect(ids).toEqual(expected.slice(0, 120));
});

it('refuses to order more than it may by a value without an index', async () => {
  const page = { sort: 'tokens', order: 'desc', limit: 5, after: null } as const;
  const ask = (total: number) => orderSessions(ctx, 'org_a', ALL, { ...page, total });
  expect((await ask(ORDERED_SESSIONS)).rows).toHaveLength(5);
  await expect(ask(ORDERED_SESSIONS + 1)).rejects.toMatchObject({ code: 'invalid_request' });
});
