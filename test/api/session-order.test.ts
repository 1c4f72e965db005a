import { beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { type Session, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { addMember } from '../../shared/people/members.ts';
import { SIGNAL_AGE_MS } from '../../shared/platform/basics/contract.ts';
import { reportAnomalies } from '../../shared/wings/anomalies/report-anomalies.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { pick, seeded } from '../support/random.ts';
import { recordAll } from '../support/usage.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;
const SEED = 3_018;
const { api, orgId, key } = await fixture({ clock: NOW });
let rows: Session[];

/** 90 sessions of six people, many of which share a value of each column. */
beforeAll(async () => {
  for (const [user_id, teams] of Object.entries({ ada: ['red'], bob: ['red', 'blue'], cyd: ['blue'] }))
    await addMember(api.ctx, { org_id: orgId, email: `${user_id}@x.test`, role: 'member', user_id, teams });
  const random = seeded(SEED);
  const signals = Array.from({ length: 90 }, (_, index) => {
    const ts = NOW - 10 * 60_000 - index * HOUR;
    const of = { user_id: pick(random, ['ada', 'bob', 'cyd', 'dan', 'eve']), adapter: 'codex' };
    const project_id = pick(random, ['web', 'core']);
    return Array.from({ length: pick(random, [1, 2, 3]) }, (_unused, at) => ({
      ...of,
      project_id,
      ts: ts + at * pick(random, [0, 60_000]),
      cost_usd: pick(random, [0, 0, 0.5, 1, 1.000000001, 30]),
      tokens_in: pick(random, [0, 10, 500]),
      ...(random() < 0.2 ? { error: { code: 'overloaded' } } : {}),
    }));
  });
  await recordAll(api.ctx, orgId, signals.flat());
  const gate = { kind: 'tool_permission', verdict: 'deny', action: 'block', source: 'hook' };
  const intervention = { type: 'intervention', user_id: 'ada', project_id: 'gates', adapter: 'codex' };
  await recordAll(api.ctx, orgId, [
    { ...intervention, ts: NOW - 60_000, model: undefined, intervention: gate } as never,
  ]);
  // In the order of their times: that of their ids differs from run to run.
  rows = await sessionRows(api.ctx).find({ org_id: orgId }).sort({ started_at: 1 }).toArray();
  const found = { baseline_avg: 1, observed: 9, deviation_pct: 800 };
  for (const [index, session] of rows.entries())
    if (index % 7 === 0)
      await reportAnomalies(api.ctx, session, [
        { anomaly_type: 'cost_spike', ...found },
        { anomaly_type: 'token_spike', ...found },
      ]);
  rows = await sessionRows(api.ctx).find({ org_id: orgId }).toArray();
});

const VALUES: Record<string, (session: Session) => number> = {
  started_at: ({ started_at }) => started_at.getTime(),
  cost_usd: ({ cost_nusd }) => cost_nusd,
  tokens: ({ tokens_in, tokens_out }) => tokens_in + tokens_out,
  signal_count: ({ signal_count }) => signal_count,
  error_count: ({ error_count }) => error_count,
  intervention_count: ({ intervention_count }) => intervention_count,
  duration_s: ({ started_at, ended_at }) => Math.floor((ended_at.getTime() - started_at.getTime()) / 1_000),
};

interface Walk {
  ids: string[];
  totals: number[];
}

/** The rows of an export as NDJSON. */
async function download(query: string): Promise<{ id: string; signals: number }[]> {
  const url = `${api.url}/api/v1/usage/export?format=ndjson&${query}`;
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

async function walk(query: string, reader = key): Promise<Walk> {
  const seen: Walk = { ids: [], totals: [] };
  let cursor = '';
  for (let page = 0; page < 100; page += 1) {
    const { status, text, body } = await api.call(`/api/v1/sessions?${query}${cursor}`, { key: reader });
    expect(status, text).toBe(200);
    seen.ids.push(...body.data.map(({ id }: { id: string }) => id));
    seen.totals.push(body.total);
    if (!body.has_more) return seen;
    cursor = `&cursor=${encodeURIComponent(body.cursor)}`;
  }
  throw new Error('the walk does not end');
}

describe('the order of sessions', () => {
  it('has a session that begins as far ahead of the clock as a signal may', async () => {
    const tenant = await makeTenant(api.ctx);
    await recordAll(api.ctx, tenant.orgId, [{ ts: NOW + SIGNAL_AGE_MS.ahead }]);
    const { ids, totals } = await walk('', tenant.key);
    expect([ids.length, totals]).toEqual([1, [1]]);
  });

  it('of more than 50,000 sessions has only the columns with an index; the problem names the number', async () => {
    const tenant = await makeTenant(api.ctx);
    await recordAll(api.ctx, tenant.orgId, [{ ts: NOW - HOUR }]);
    const ask = (sort: string) => api.call(`/api/v1/sessions?sort=${sort}`, { key: tenant.key });
    const grow = (sessions: number) =>
      rollupRows(api.ctx).updateMany({ org_id: tenant.orgId }, { $inc: { sessions } });
    await grow(49_999);
    expect((await ask('tokens')).body).toMatchObject({ total: 50_000 });
    await grow(1);
    for (const sort of Object.keys(VALUES)) {
      const { status, body } = await ask(sort);
      if (['started_at', 'cost_usd'].includes(sort)) {
        expect([status, body.total, body.data?.length]).toEqual([200, 50_001, 1]);
        continue;
      }
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.detail).toContain('50001');
      expect(body.errors).toEqual([{ parameter: 'sort', detail: expect.stringContaining('50000') }]);
    }
  });
});

type Matches = (session: Session) => boolean;
const inRed: Matches = ({ user_id }) => ['ada', 'bob'].includes(user_id);

describe('the filters of sessions', () => {
  it('count at one moment: neither more nor fewer sessions have ended than at any time of the question', async () => {
    const tenant = await makeTenant(api.ctx);
    const people = Array.from({ length: 24 }, (_, index) => ({
      ts: NOW - HOUR / 60,
      user_id: `user-${index}`,
    }));
    await recordAll(api.ctx, tenant.orgId, people);
    const open = await sessionRows(api.ctx).find({ org_id: tenant.orgId }).toArray();
    let begun = 0;
    let closed = 0;
    const close = async (sessions: readonly Session[]) => {
      for (const { _id } of sessions) {
        begun += 1;
        await api.call(`/api/v1/sessions/${_id}/close`, { key: tenant.key, method: 'POST' });
        closed += 1;
      }
    };
    const count = async () => {
      while (closed < open.length) {
        const least = closed;
        const { body } = await api.call('/api/v1/sessions?state=ended&limit=1', { key: tenant.key });
        expect(body.total).toBeGreaterThanOrEqual(least);
        expect(body.total).toBeLessThanOrEqual(begun);
      }
    };
    await Promise.all([close(open.slice(0, 12)), close(open.slice(12)), count(), count()]);
    expect((await walk('state=ended', tenant.key)).totals[0]).toBe(open.length);
  });

  it.each([
    'errors=yes',
    'anomalous=1',
    'state=closed',
    'min_cost_usd=-1',
    'min_cost_usd=1e3',
    'min_cost_usd=1000000.000000001',
    'min_cost_usd=0.0000000001',
    'min_cost_usd=',
    'sort=user_id',
    'team=',
  ])('refuse %s with 400 that names the parameter', async (query) => {
    const { status, body } = await api.call(`/api/v1/sessions?${query}`, { key });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(query).toContain(body.errors[0].parameter);
  });

  it('belong to the level of sessions, where an export has them and no order', async () => {
    for (const query of ['errors=true', 'anomalous=false', 'state=open', 'min_cost_usd=1']) {
      const { status, body } = await api.call(`/api/v1/usage/export?level=daily&${query}`, { key });
      expect([status, body.errors?.[0]?.parameter]).toEqual([400, query.split('=')[0]]);
      expect((await api.call(`/api/v1/usage?${query}`, { key })).status).toBe(400);
    }
    const ordering = await api.call('/api/v1/usage/export?level=sessions&sort=cost_usd', { key });
    expect([ordering.status, ordering.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('a cursor of sessions', () => {
  it('belongs to its order and to every filter', async () => {
    const asked = 'limit=2&sort=cost_usd&errors=false&anomalous=false&state=ended&min_cost_usd=0.5&team=red';
    const { body } = await api.call(`/api/v1/sessions?${asked}`, { key });
    expect(body.has_more).toBe(true);
    const next = `&cursor=${encodeURIComponent(body.cursor)}`;
    expect((await api.call(`/api/v1/sessions?${asked}${next}`, { key })).status).toBe(200);
    const others = asked
      .split('&')
      .slice(1)
      .flatMap((part) => [asked.replace(`&${part}`, ''), asked.replace('cost_usd&', 'tokens&')]);
    for (const query of [...others, `${asked}&order=asc`, `${asked}&user_id=ada`]) {
      const { status, body } = await api.call(`/api/v1/sessions?${query}${next}`, { key });
      expect([status, body.code], query).toEqual([400, 'invalid_cursor']);
    }
  });

  it('of the last page leads to an empty one with the same number', async () => {
    const first = await api.call('/api/v1/sessions?sort=tokens&limit=100', { key });
    expect(first.body.has_more).toBe(false);
    const { body } = await api.call(
      `/api/v1/sessions?sort=tokens&limit=100&cursor=${encodeURIComponent(first.body.cursor)}`,
      { key },
    );
    expect(body).toMatchObject({ data: [], has_more: false, total: rows.length });
  });
});

describe('the filter `team`', () => {
  const PATHS = ['/api/v1/sessions', '/api/v1/usage', '/api/v1/usage/export'];

  it('is refused to keys that are bound to one user', async () => {
    const bound = await createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'], user_id: 'ada' });
    for (const path of PATHS) {
      const { status, body } = await api.call(`${path}?team=red`, { key: bound.key });
      expect([status, body.code], path).toEqual([403, 'missing_scope']);
    }
  });

  it('needs the plan Team or Enterprise', async () => {
    const free = await makeTenant(api.ctx, { plan: 'free' });
    for (const path of PATHS) {
      const { status, body } = await api.call(`${path}?team=red`, { key: free.key });
      expect([status, body.code, body.plan], path).toEqual([403, 'plan_required', 'free']);
    }
  });

  it('is its members now, in sums and in the daily export', async () => {
    const meant = rows.filter(inRed);
    const signals = meant.reduce((sum, { signal_count }) => sum + signal_count, 0);
    const { body } = await api.call('/api/v1/usage?team=red&group_by=user_id', { key });
    expect(body.totals).toMatchObject({ sessions: meant.length, signals });
    expect(body.groups.map((group: { key: { user_id: string } }) => group.key.user_id)).toEqual([
      'ada',
      'bob',
    ]);
    const days = await download('level=daily&team=red');
    expect(days.reduce((sum, day) => sum + day.signals, 0)).toBe(signals);
    const series = await api.call('/api/v1/usage?team=red&group_by=model&series=groups&interval=day', {
      key,
    });
    expect(series.body.totals).toMatchObject({ signals, active_users: 2 });
  });
});

describe('`anomaly_types`', () => {
  it('names the kinds that were reported, each once, in the list and by id; none is an empty list', async () => {
    const [session] = rows.filter(({ anomaly_types }) => anomaly_types !== undefined);
    const again = {
      anomaly_type: 'cost_spike',
      baseline_avg: 1,
      observed: 99,
      deviation_pct: 9_800,
    } as const;
    expect(await reportAnomalies(api.ctx, session as Session, [again])).toBe(1);
    const { body } = await api.call('/api/v1/sessions?limit=100', { key });
    for (const item of body.data) {
      const types = rows.find(({ _id }) => _id === item.id)?.anomaly_types ?? [];
      expect(item.anomaly_types).toEqual(types);
    }
    const one = await api.call(`/api/v1/sessions/${session?._id}`, { key });
    expect(one.body.anomaly_types).toEqual(['cost_spike', 'token_spike']);
  });

  it('stay when the session goes on', async () => {
    const tenant = await makeTenant(api.ctx);
    await recordAll(api.ctx, tenant.orgId, [{ ts: NOW }]);
    const [session] = await sessionRows(api.ctx).find({ org_id: tenant.orgId }).toArray();
    const found = { anomaly_type: 'error_spike', baseline_avg: 1, observed: 9, deviation_pct: 800 } as const;
    await reportAnomalies(api.ctx, session as Session, [found]);
    await recordAll(api.ctx, tenant.orgId, [{ ts: NOW + 1_000 }]);
    const { body } = await api.call('/api/v1/sessions?anomalous=true', { key: tenant.key });
    expect(body.data).toMatchObject([{ signal_count: 2, anomaly_types: ['error_spike'] }]);
  });
});
