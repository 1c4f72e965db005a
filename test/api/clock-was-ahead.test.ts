import { afterAll, expect, test } from 'vitest';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { fixture } from '../support/fixture.ts';
import { createTestClock, openTestContext } from '../support/harness.ts';
import { recordAll } from '../support/usage.ts';

const NOW = Date.UTC(2026, 10, 18, 10, 55);
const TEN_MINUTES = 600_000;

const f = await fixture({ clock: NOW });
const { api, clock, tenant } = f;
const elsewhere = await openTestContext({ sharing: api.ctx, clock: createTestClock(NOW) });
afterAll(() => elsewhere.close());

test.each([
  ['an hour', { window: 'hourly' }],
  ["a person's hour", { window: 'hourly', per: 'user' }],
])(
  'what is spent in %s is known again when the clock of an api was ahead over its end',
  async (_what, fields) => {
    clock.set(NOW);
    const { orgId, key } = await tenant({ timezone: 'UTC' });
    const call = { ts: NOW, user_id: 'ada', cost_usd: 10 };
    const body = { name: 'B', scope: 'org', metric: 'cost_usd', threshold: 10, enforce: 'hard', ...fields };
    expect((await f.send('/api/v1/budgets', body, { key })).status).toBe(201);
    await recordAll(elsewhere, orgId, [call]);
    const ask = (verb: string, more: object = {}) =>
      f.ask(`/api/v1/budgets/${verb}`, { user_id: 'ada', estimate_usd: 5, ...more }, { key });
    await statusCache(api.ctx).refresh(orgId);
    expect(await ask('check')).toMatchObject({ allow: false });

    clock.shift(TEN_MINUTES);
    await recordAll(elsewhere, orgId, [{ ...call, cost_usd: 0 }]);
    await statusCache(api.ctx).refresh(orgId);
    expect(await ask('check')).toMatchObject({ allow: true });

    clock.shift(-TEN_MINUTES);
    expect(await ask('check')).toMatchObject({ allow: false, refused_by: { cause: 'spent' } });
    expect(await ask('reserve', { ttl_s: 60 })).toMatchObject({
      allow: false,
      refused_by: { cause: 'spent' },
    });
  },
);
