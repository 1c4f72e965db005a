import { expect, it } from 'vitest';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import type { SessionMatch } from '../../../../../shared/core/calls/sessions/match-sessions.ts';
import { type Session, sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { countSessions } from '../../../../../shared/core/calls/usage/count-sessions.ts';
import { storesFixture } from '../../../../support/fixture.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const HOUR = 3_600_000;
const { ctx, orgId, record, tenant } = await storesFixture({ clock: NOW });

it('sessions until an end in the far future are as many as until none', async () => {
  await record({ ts: NOW - 86_400_000 }, { ts: NOW + 4 * 60_000, user_id: 'ahead' });
  const organization = await readOrganization(ctx, orgId);
  for (const toMs of [undefined, Date.parse('9999-12-31T00:00:00Z')])
    expect(await countSessions(ctx, organization, { toMs })).toBe(2);
});

/** A value of each filter, and the sessions that it takes. */
const FILTERS: Readonly<Record<string, [SessionMatch, (session: Session) => boolean]>> = {
  none: [{}, () => true],
  user: [{ user_id: 'ada' }, ({ user_id }) => user_id === 'ada'],
  project: [{ project_id: 'api' }, ({ project_id }) => project_id === 'api'],
  model: [{ model: 'o3' }, ({ model }) => model === 'o3'],
  adapter: [{ adapter: 'codex' }, ({ adapter }) => adapter === 'codex'],
  users: [{ users: ['bob', 'nobody'] }, ({ user_id }) => user_id === 'bob'],
  nobody: [{ users: [] }, () => false],
  errors: [{ errors: true }, ({ error_count }) => error_count > 0],
  'no errors': [{ errors: false }, ({ error_count }) => error_count === 0],
  anomalous: [{ anomalous: true }, ({ anomaly_types }) => anomaly_types !== undefined],
  'not anomalous': [{ anomalous: false }, ({ anomaly_types }) => anomaly_types === undefined],
  open: [{ state: 'open' }, ({ state }) => state === 'open'],
  ended: [{ state: 'ended' }, ({ state }) => state === 'ended'],
  cost: [{ minCostNusd: 2e9 }, ({ cost_nusd }) => cost_nusd >= 2e9],
  'cost and errors': [
    { minCostNusd: 2e9, errors: true },
    ({ cost_nusd, error_count }) => cost_nusd >= 2e9 && error_count > 0,
  ],
};

it('sessions are counted by each filter as one by one, from a time, to a time, between two and always', async () => {
  const own = await tenant({ timezone: 'America/New_York' });
  await own.record(
    ...Array.from({ length: 120 }, (_, at) => ({
      ts: NOW - at * 7 * HOUR,
      user_id: at % 2 ? 'ada' : 'bob',
      project_id: at % 3 ? 'web' : 'api',
      model: at % 5 ? 'gpt-5' : 'o3',
      adapter: at % 7 ? 'claude-code' : 'codex',
      cost_usd: at % 4,
      ...(at % 6 ? {} : { error: { code: 'overloaded' } }),
    })),
  );
  const { orgId: org_id } = own;
  const strange = { org_id, user_id: 'ada', project_id: 'api' };
  await sessionRows(ctx).updateMany(strange, { $set: { anomaly_types: ['cost_spike'] } });
  const sessions = await sessionRows(ctx).find({ org_id }).toArray();
  const organization = await readOrganization(ctx, org_id);
  // The bounds are the starts of sessions: the one that begins at `toMs` is not counted.
  const [early, late] = [NOW - 84 * 7 * HOUR, NOW - 14 * 7 * HOUR];
  for (const [fromMs, toMs] of [[], [early], [undefined, early], [undefined, late], [early, late], [late]])
    for (const [name, [filter, isTaken]] of Object.entries(FILTERS)) {
      const meant = sessions.filter((session) => {
        const at = session.started_at.getTime();
        return at >= (fromMs ?? 0) && at < (toMs ?? NOW + 1) && isTaken(session);
      });
      const found = await countSessions(ctx, organization, { ...filter, fromMs, toMs });
      expect(found, `${name}, ${fromMs} to ${toMs}`).toBe(meant.length);
    }
});
