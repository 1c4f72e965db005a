import { beforeAll, describe, expect, it } from 'vitest';
import type { Organization } from '../../../../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import type { SessionFilter } from '../../../../../shared/core/calls/sessions/match-sessions.ts';
import { type Session, sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { countSessions } from '../../../../../shared/core/calls/usage/count-sessions.ts';
import { makeSnapshots } from '../../../../../shared/core/calls/usage/make-snapshots.ts';
import { makeTenant } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { pick, seeded } from '../../../../support/random.ts';
import { recordAll } from '../../../../support/usage.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const SEED = 71_001;
const random = seeded(SEED);
const { ctx } = await storesFixture({ clock: NOW });
let organization: Organization;

beforeAll(async () => {
  const { orgId } = await makeTenant(ctx, { timezone: 'America/New_York' });
  const signals = Array.from({ length: 400 }, () => ({
    ts: Math.floor(NOW + (random() * 34.9 - 34.9) * DAY),
    user_id: pick(random, ['ada', 'bob']),
    project_id: pick(random, ['alpha', 'beta']),
    model: pick(random, ['gpt-5', 'claude-sonnet-4-5']),
    tokens_in: Math.floor(random() * 10_000),
    ...(random() < 0.2 ? { error: { code: 'overloaded' } } : {}),
  }));
  await recordAll(ctx, orgId, [...signals, { ts: NOW + 4 * 60_000, user_id: 'ahead' }]);
  organization = await readOrganization(ctx, orgId);
});

function madeUpFilter(): SessionFilter {
  const maybe = <Value>(value: Value): Value | undefined => (random() < 0.3 ? value : undefined);
  const moment = () => {
    const atMs = NOW - random() * 36 * DAY;
    return random() < 0.5 ? Math.floor(atMs) : Math.floor(atMs / DAY) * DAY + 4 * 3_600_000;
  };
  const [fromMs, toMs] = [moment(), moment()].sort((a, b) => a - b);
  return {
    user_id: maybe('ada'),
    project_id: maybe('beta'),
    model: maybe('gpt-5'),
    adapter: maybe('claude-code'),
    errors: maybe(random() < 0.5),
    anomalous: maybe(false),
    state: maybe(pick(random, ['open', 'ended'] as const)),
    minCostNusd: random() < 0.1 ? 5_000_000 : undefined,
    fromMs: random() < 0.7 ? fromMs : undefined,
    toMs: random() < 0.7 ? toMs : undefined,
  };
}

function matches({ fromMs = 0, toMs = Number.POSITIVE_INFINITY, ...equal }: SessionFilter, session: Session) {
  const atMs = session.started_at.getTime();
  const { errors, state, minCostNusd = 0 } = equal;
  const names = ['user_id', 'project_id', 'model', 'adapter'] as const;
  return (
    atMs >= fromMs &&
    atMs < toMs &&
    session.cost_nusd >= minCostNusd &&
    (errors === undefined || errors === session.error_count > 0) &&
    (state === undefined || state === session.state) &&
    names.every((name) => equal[name] === undefined || equal[name] === session[name])
  );
}

/** Each filter is counted, and compared with the sessions themselves. */
async function expectCounts(filters: readonly SessionFilter[]): Promise<void> {
  const sessions = await sessionRows(ctx).find({ org_id: organization._id }).toArray();
  for (const filter of filters) {
    const expected = sessions.filter((session) => matches(filter, session)).length;
    const said = `seed ${SEED}, ${JSON.stringify(filter)}`;
    expect(await countSessions(ctx, organization, filter), said).toBe(expected);
  }
}

describe('countSessions', () => {
  const filters = [{}, { user_id: 'nobody' }, ...Array.from({ length: 60 }, madeUpFilter)];

  it('says how many sessions match, whatever is asked, with snapshots and without', async () => {
    await expectCounts(filters);
    expect(await makeSnapshots(ctx, organization, { fromMs: 0, toMs: NOW })).toBeGreaterThan(30);
    await expectCounts(filters);
  });

  it('answers for an end in the far future as for none', async () => {
    const toMs = Date.parse('9999-12-31T00:00:00Z');
    expect(await countSessions(ctx, organization, { toMs })).toBe(await countSessions(ctx, organization, {}));
  });

  it('counts a late session at once', async () => {
    const before = await countSessions(ctx, organization, {});
    await recordAll(ctx, organization._id, [{ ts: NOW - 20 * DAY, user_id: 'late' }]);
    expect(await countSessions(ctx, organization, {})).toBe(before + 1);
    expect(await countSessions(ctx, organization, { user_id: 'late' })).toBe(1);
  });
});
