import { beforeAll, describe, expect, it } from 'vitest';
import { type Session, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { SIGNAL_AGE_MS } from '../../shared/platform/basics/contract.ts';
import { reportAnomalies } from '../../shared/wings/anomalies/report-anomalies.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;
const { ctx, orgId, send, ask, record, tenant } = await fixture({ clock: NOW });
const FOUND = { baseline_avg: 1, observed: 9, deviation_pct: 800 };
let rows: Session[];

/** Twelve sessions, two of which are anomalous. */
beforeAll(async () => {
  await record(...Array.from({ length: 12 }, (_, at) => ({ ts: NOW - (at + 1) * HOUR, cost_usd: 1 })));
  const [first, second] = await sessionRows(ctx).find({ org_id: orgId }).toArray();
  for (const session of [first, second])
    for (const anomaly_type of ['cost_spike', 'token_spike'] as const)
      await reportAnomalies(ctx, session as Session, [{ anomaly_type, ...FOUND }]);
  rows = await sessionRows(ctx).find({ org_id: orgId }).toArray();
});

const PATH = '/api/v1/sessions';

describe('the order of sessions', () => {
  it('has a session that begins as far ahead of the clock as a signal may', async () => {
    const own = await tenant();
    await own.record({ ts: NOW + SIGNAL_AGE_MS.ahead });
    const { data, total } = await ask(PATH, undefined, own);
    expect([data.length, total]).toEqual([1, 1]);
  });

  it('of more than 50,000 sessions has only the columns with an index; the problem names the number', async () => {
    const own = await tenant();
    await own.record({ ts: NOW - HOUR });
    const asked = (sort: string) => send(`${PATH}?sort=${sort}`, undefined, own);
    const grow = (sessions: number) =>
      rollupRows(ctx).updateMany({ org_id: own.orgId }, { $inc: { sessions } });
    await grow(49_999);
    expect((await asked('tokens')).body).toMatchObject({ total: 50_000 });
    await grow(1);
    for (const sort of ['started_at', 'cost_usd']) {
      const { status, body } = await asked(sort);
      expect([status, body.total, body.data?.length]).toEqual([200, 50_001, 1]);
    }
    for (const sort of ['tokens', 'signal_count', 'error_count', 'intervention_count', 'duration_s']) {
      const { status, body } = await asked(sort);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.detail).toContain('50001');
      expect(body.errors).toEqual([{ parameter: 'sort', detail: expect.stringContaining('50000') }]);
    }
  });
});

describe('the filters of sessions', () => {
  it('count at one moment: neither more nor fewer sessions have ended than at any time of the question', async () => {
    const own = await tenant();
    const ts = NOW - HOUR / 60;
    await own.record(...Array.from({ length: 24 }, (_, at) => ({ ts, user_id: `user-${at}` })));
    const open = await sessionRows(ctx).find({ org_id: own.orgId }).toArray();
    let begun = 0;
    let closed = 0;
    const close = async (sessions: readonly Session[]) => {
      for (const { _id } of sessions) {
        begun += 1;
        await ask(`${PATH}/${_id}/close`, undefined, { key: own.key, method: 'POST' });
        closed += 1;
      }
    };
    const ended = async () => (await ask(`${PATH}?state=ended&limit=1`, undefined, own)).total;
    const count = async () => {
      while (closed < open.length) {
        const least = closed;
        const total = await ended();
        expect(total).toBeGreaterThanOrEqual(least);
        expect(total).toBeLessThanOrEqual(begun);
      }
    };
    await Promise.all([close(open.slice(0, 12)), close(open.slice(12)), count(), count()]);
    expect(await ended()).toBe(open.length);
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
    const { status, body } = await send(`${PATH}?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(query).toContain(body.errors[0].parameter);
  });

  it('belong to the level of sessions, where an export has them and no order', async () => {
    for (const query of ['errors=true', 'anomalous=false', 'state=open', 'min_cost_usd=1']) {
      const { status, body } = await send(`/api/v1/usage/export?level=daily&${query}`);
      expect([status, body.errors?.[0]?.parameter]).toEqual([400, query.split('=')[0]]);
      expect((await send(`/api/v1/usage?${query}`)).status).toBe(400);
    }
    const ordering = await send('/api/v1/usage/export?level=sessions&sort=cost_usd');
    expect([ordering.status, ordering.body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('a cursor of sessions', () => {
  it('belongs to its order and to every filter', async () => {
    const asked = `${PATH}?limit=2&sort=cost_usd&min_cost_usd=0.5`;
    const { cursor, has_more } = await ask(asked);
    expect(has_more).toBe(true);
    const next = `&cursor=${encodeURIComponent(cursor)}`;
    await ask(asked + next);
    for (const other of [
      asked.replace('cost_usd&', 'tokens&'),
      asked.replace('&sort=cost_usd', ''),
      asked.replace('&min_cost_usd=0.5', ''),
      asked.replace('0.5', '0.25'),
      `${asked}&order=asc`,
    ]) {
      const { status, body } = await send(other + next);
      expect([status, body.code], other).toEqual([400, 'invalid_cursor']);
    }
  });

  it('of the last page leads to an empty one with the same number', async () => {
    const first = await ask(`${PATH}?sort=tokens&limit=100`);
    expect(first.has_more).toBe(false);
    const next = `${PATH}?sort=tokens&limit=100&cursor=${encodeURIComponent(first.cursor)}`;
    expect(await ask(next)).toMatchObject({ data: [], has_more: false, total: rows.length });
  });
});

it('the filter `team` needs the plan Team or Enterprise', async () => {
  const free = await tenant({ plan: 'free' });
  for (const path of [PATH, '/api/v1/usage', '/api/v1/usage/export']) {
    const { status, body } = await send(`${path}?team=red`, undefined, free);
    expect([status, body.code, body.plan], path).toEqual([403, 'plan_required', 'free']);
  }
});

describe('`anomaly_types`', () => {
  it('names the kinds that were reported, each once, in the list and by id; none is an empty list', async () => {
    const [session] = rows.filter(({ anomaly_types }) => anomaly_types !== undefined);
    const again = { ...FOUND, anomaly_type: 'cost_spike', observed: 99, deviation_pct: 9_800 } as const;
    expect(await reportAnomalies(ctx, session as Session, [again])).toBe(1);
    for (const item of (await ask(`${PATH}?limit=100`)).data)
      expect(item.anomaly_types).toEqual(rows.find(({ _id }) => _id === item.id)?.anomaly_types ?? []);
    const one = await ask(`${PATH}/${session?._id}`);
    expect(one.anomaly_types).toEqual(['cost_spike', 'token_spike']);
  });

  it('stay when the session goes on', async () => {
    const own = await tenant();
    await own.record({ ts: NOW });
    const [session] = await sessionRows(ctx).find({ org_id: own.orgId }).toArray();
    await reportAnomalies(ctx, session as Session, [{ anomaly_type: 'error_spike', ...FOUND }]);
    await own.record({ ts: NOW + 1_000 });
    const { data } = await ask(`${PATH}?anomalous=true`, undefined, own);
    expect(data).toMatchObject([{ signal_count: 2, anomaly_types: ['error_spike'] }]);
  });
});
