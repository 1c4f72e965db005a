import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Session, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { type AnomalyType, SIGNAL_AGE_MS } from '../../shared/platform/basics/contract.ts';
import { anomalyRows } from '../../shared/wings/anomalies/model.ts';
import { reportAnomalies } from '../../shared/wings/anomalies/report-anomalies.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { sendRaw } from '../support/raw-http.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const HOUR = 3_600_000;
const { api, ctx, clock, send, ask, spend, tenant } = await fixture({ clock: '2026-11-21T12:00:00Z' });
const PATH = '/api/v1/sessions';

/** 60 sessions an hour apart of four users. */
beforeAll(async () => {
  const at = (_: unknown, index: number) => ({ ts: clock.now() - index * HOUR, user_id: `u${index % 4}` });
  await spend(...Array.from({ length: 60 }, at));
  // A process that loads its modules on a busy machine is late, and refuses reads (503) until it has caught up.
  await until(async () => (await send(`${PATH}?limit=1`)).status === 200, { what: 'a first read' });
});

interface Listed {
  id: string;
  user_id: string;
  started_at: string;
}

/** All sessions of an organization, page by page. */
async function walk(query: string, by: { key: string }): Promise<Listed[]> {
  const seen: Listed[] = [];
  for (let cursor = ''; ; ) {
    const page = await ask(`${PATH}?${query}${cursor}`, undefined, by);
    seen.push(...page.data);
    if (!page.has_more) return seen;
    cursor = `&cursor=${encodeURIComponent(page.cursor)}`;
  }
}

/** Posts signals of an organization. Returns the session of the first. */
async function post(by: { key: string }, ...signals: Record<string, unknown>[]): Promise<string> {
  const made = signals.map((fields) => makeSignal({ ts: clock.now(), ...fields }));
  return (await ask('/api/v1/signals', { signals: made }, { key: by.key })).results[0].session_id;
}

describe('GET /api/v1/sessions', () => {
  it('gives 20 unless it is asked for more or fewer', async () => {
    expect(await ask(PATH)).toMatchObject({ data: { length: 20 }, has_more: true, total: 60 });
  });

  it.each([
    ['2026-11-21T10:00Z', 3],
    ['2026-11-21T10:00', 3],
    ['2026-11-21T12:00:00+0200', 3],
    ['2026-11-21T12:00+02:00', 3],
    ['2026-11-21T06:00:00.000-04', 3],
    ['2026-11-21T10:00:00.001Z', 2],
  ])('takes %s as from', async (from, total) => {
    expect(await ask(`${PATH}?from=${encodeURIComponent(from)}`)).toMatchObject({ total });
  });

  it.each(['/api/v1/sessions', '/api/v1/anomalies'])(
    "reads a date alone at %s as its midnight in the organization's timezone",
    async (path) => {
      // Twelve hours ahead of UTC and more: this day began at 11:00Z the day before.
      const own = await tenant({ timezone: 'Pacific/Auckland' });
      for (const ts of ['2026-11-20T10:59:59.999Z', '2026-11-20T11:00:00Z', '2026-11-21T10:59:59.999Z']) {
        const session_id = await post(own, { ts, user_id: ts });
        const of = { org_id: own.orgId, anomaly_type: 'token_spike', user_id: ts, session_id } as const;
        const figures = { baseline_avg: 1, observed: 2, deviation_pct: 100, reports: 1 };
        const times = { detected_at: new Date(ts), updated_at: new Date(ts) };
        await anomalyRows(ctx).insertOne({ _id: `ano_${own.orgId}_${ts}`, ...of, ...figures, ...times });
      }
      const { data } = await ask(`${path}?from=2026-11-21&to=2026-11-22`, undefined, own);
      const users = data.map((row: Listed) => row.user_id);
      expect(users).toEqual(['2026-11-21T10:59:59.999Z', '2026-11-20T11:00:00Z']);
      expect((await ask(`${path}?to=2026-11-21`, undefined, own)).total).toBe(1);
    },
  );

  it('shows all that `total` counts, also sessions that are older than their signals are kept', async () => {
    const nowMs = clock.now();
    const keptDays = ctx.config.signalRetentionDays;
    const agesDays = [10 * keptDays, keptDays + 71, keptDays + 1, keptDays - 1, 0];
    clock.set(nowMs - 10 * keptDays * 24 * HOUR);
    const own = await tenant();
    for (const days of agesDays) {
      clock.set(nowMs - days * 24 * HOUR);
      await post(own, {});
    }
    for (const order of ['desc', 'asc']) {
      const { total, data } = await ask(`${PATH}?order=${order}`, undefined, own);
      expect([(await walk(`order=${order}&limit=2`, own)).length, total, data.length]).toEqual([5, 5, 5]);
    }
  });

  it('begins a new walk with the cursor of a list that was empty, and counts anew', async () => {
    const own = await tenant();
    const path = `${PATH}?cursor=${(await ask(PATH, undefined, own)).cursor}`;
    expect(await ask(path, undefined, own)).toMatchObject({ data: [], total: 0 });
    await post(own, {});
    const body = await ask(path, undefined, own);
    expect(body).toMatchObject({ has_more: false, total: 1 });
    expect(body.data).toHaveLength(1);
  });

  it.each(['limit=1e3', 'limit=1&limit=2', 'from=2026-11-22&to=2026-11-21', 'user_id[$ne]=x'])(
    'refuses %s with 400 that names the parameter',
    async (query) => {
      const { status, body } = await send(`${PATH}?${query}`);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(query).toContain(body.errors[0].parameter);
    },
  );
});

describe('GET /api/v1/sessions/{id}', () => {
  it('streams every signal in time order, also thousands', async () => {
    const own = await tenant();
    for (let batch = 0; batch < 3; batch += 1) {
      const at = (_: unknown, index: number) => clock.now() - ((index * 7 + batch) % 900) * 1_000;
      await own.record(...Array.from({ length: 900 }, at).map((ts) => ({ ts, cost_usd: 0.001 })));
    }
    const [listed] = (await ask(PATH, undefined, own)).data;
    const body = await ask(`${PATH}/${listed.id}`, undefined, own);
    expect(body.signals).toHaveLength(2_700);
    expect(body).toMatchObject({ signal_count: 2_700, cost_usd: 2.7 });
    const times = body.signals.map((signal: { ts: string }) => signal.ts);
    expect(times).toEqual(times.toSorted());
    const { signals: _, attribution: __, contexts: ___, ...head } = body;
    expect(head).toEqual(listed);
  });

  it('goes out in pieces of 64 KiB and a signal at most, however much its signals hold', async () => {
    const own = await tenant();
    const pad = 'x'.repeat(256);
    const metadata = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`key${index}`, pad]));
    const id = await post(own, ...Array.from({ length: 60 }, () => ({ metadata })));
    const pieces = await readPieces(`${api.url}${PATH}/${id}`, own.key);
    expect(JSON.parse(pieces.join('')).signals).toHaveLength(60);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(65_536 + 10_000);
  });

  it('is 503, not half an answer, when the store is away before there is a signal to send', async () => {
    const [{ id }] = (await ask(`${PATH}?limit=1`)).data;
    vi.spyOn(signalRows(ctx), 'find').mockImplementation(() => {
      throw new Error('Connection is closed.');
    });
    const answer = await send(`${PATH}/${id}`);
    vi.restoreAllMocks();
    expect([answer.status, answer.body.code]).toEqual([503, 'store_unavailable']);
  });

  it('says the same 404, byte for byte, for a foreign, an odd and a nonexistent id', async () => {
    const stranger = await tenant();
    const [{ id }] = (await ask(`${PATH}?limit=1`)).data;
    const headers = { 'X-Request-Id': 'same-for-all' };
    const texts = new Set<string>();
    for (const each of [id, 'ses_0000000000000000000000', 'x', '$ne', 'a%2fb']) {
      const { status, text } = await send(`${PATH}/${each}`, undefined, { key: stranger.key, headers });
      texts.add(`${status} ${text}`);
    }
    expect([...texts]).toEqual([expect.stringMatching(/^404 /)]);
  });
});

describe('POST /api/v1/sessions/{id}/close', () => {
  it('ends the session now, once, and what comes later begins another', async () => {
    const own = await tenant();
    await subscribeToAll(ctx, own.orgId);
    const id = await post(own, { ts: clock.now() - 60_000 });
    const close = () => ask(`${PATH}/${id}/close`, undefined, { key: own.key, method: 'POST' });
    const [first, second] = await Promise.all([close(), close()]);
    expect(first).toMatchObject({
      state: 'ended',
      end_reason: 'closed',
      anomaly_types: [],
      ended_at: new Date(clock.now()).toISOString(),
    });
    expect(second).toEqual(first);
    const events = await readEvents(ctx, own.orgId);
    expect(events.map(({ type }) => type)).toEqual(['session.started', 'session.ended']);
    clock.advance(1_000);
    expect(await post(own, {})).not.toBe(id);
    expect(await close()).toEqual(first);
    expect(await post(own, { ts: clock.now() - 30_000 })).toBe(id);
  });
});

it('a session of another user than that of a key looks like none, and stays open', async () => {
  const own = await tenant();
  const id = await post(own, {});
  const by = { key: await own.keyOf('bob'), method: 'POST', headers: { 'X-Request-Id': 'same-for-both' } };
  const close = async (each: string) => (await send(`${PATH}/${each}/close`, undefined, by)).body;
  expect(await close(id)).toMatchObject({ status: 404 });
  expect(await close(id)).toEqual(await close('ses_none'));
  expect((await ask(`${PATH}/${id}`, undefined, own)).state).toBe('open');
});

describe('the order of sessions', () => {
  it('has a session that begins as far ahead of the clock as a signal may', async () => {
    const own = await tenant();
    await own.record({ ts: clock.now() + SIGNAL_AGE_MS.ahead });
    const { data, total } = await ask(PATH, undefined, own);
    expect([data.length, total]).toEqual([1, 1]);
  });

  it('of more than 50,000 sessions has only the columns with an index; the problem names the number', async () => {
    const own = await tenant();
    await own.record({ ts: clock.now() - HOUR });
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
    const ts = clock.now() - HOUR / 60;
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

  it.each(['', '1e3', '0.0000000001', '1000000.000000001'])('take no cost of %j', async (cost) => {
    const { status, body } = await send(`${PATH}?min_cost_usd=${cost}`);
    expect([status, body.errors[0].parameter]).toEqual([400, 'min_cost_usd']);
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

it('the cursor of the last page leads to an empty one with the same number', async () => {
  const first = await ask(`${PATH}?sort=tokens&limit=100`);
  expect(first.has_more).toBe(false);
  const next = `${PATH}?sort=tokens&limit=100&cursor=${encodeURIComponent(first.cursor)}`;
  expect(await ask(next)).toMatchObject({ data: [], has_more: false, total: 60 });
});

describe('`anomaly_types`', () => {
  const figures = { baseline_avg: 1, observed: 9, deviation_pct: 800 };
  /** An organization with two sessions, and the one of ada, in which anomalies of these kinds were reported. */
  async function anomalous(...kinds: AnomalyType[]) {
    const own = await tenant();
    await own.record({ ts: clock.now() }, { ts: clock.now(), user_id: 'bob' });
    const session = (await sessionRows(ctx).findOne({ org_id: own.orgId, user_id: 'ada' })) as Session;
    for (const anomaly_type of kinds) await reportAnomalies(ctx, session, [{ anomaly_type, ...figures }]);
    return { own, session };
  }

  it('names the kinds that were reported, each once, in the list and by id; none is an empty list', async () => {
    const { own, session } = await anomalous('cost_spike', 'token_spike', 'cost_spike');
    const anomaly_types = ['cost_spike', 'token_spike'];
    const { data } = await ask(PATH, undefined, own);
    const listed = data.map((row: Listed & { anomaly_types: string[] }) => [row.user_id, row.anomaly_types]);
    expect(Object.fromEntries(listed)).toEqual({ ada: anomaly_types, bob: [] });
    expect(await ask(`${PATH}/${session._id}`, undefined, own)).toMatchObject({ anomaly_types });
  });

  it('stay when the session goes on', async () => {
    const { own } = await anomalous('error_spike');
    await own.record({ ts: clock.now() + 1_000 });
    const { data } = await ask(`${PATH}?anomalous=true`, undefined, own);
    expect(data).toMatchObject([{ signal_count: 2, anomaly_types: ['error_spike'] }]);
  });
});

/** The chunks of an answer (RFC 9112 section 7.1), as they were written. ASCII only. */
async function readPieces(url: string, key: string): Promise<string[]> {
  const { pathname, host } = new URL(url);
  const answer = await sendRaw(
    url,
    `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
  );
  const pieces: string[] = [];
  for (let at = answer.indexOf('\r\n\r\n') + 4; ; ) {
    const end = answer.indexOf('\r\n', at);
    const length = Number.parseInt(answer.slice(at, end), 16);
    if (!length) return pieces;
    pieces.push(answer.slice(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
