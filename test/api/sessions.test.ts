import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { anomalyRows } from '../../shared/wings/anomalies/model.ts';

import { BOUND_SCOPES, makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { sendRaw } from '../support/raw-http.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const HOUR = 3_600_000;
const { api, clock } = await fixture({ clock: Date.parse('2026-11-21T12:00:00Z') });
let key: string;

/** 60 sessions an hour apart of four users, two adapters and two models. */
beforeAll(async () => {
  ({ key } = await makeTenant(api.ctx));
  const signals = Array.from({ length: 60 }, (_, index) =>
    makeSignal({
      ts: clock.now() - index * HOUR,
      user_id: `u${index % 4}`,
      adapter: index % 2 ? 'codex' : 'claude-code',
      model: index % 3 ? 'gpt-5' : 'gpt-4o-mini',
      project_id: index % 5 ? 'web' : 'core',
    }),
  );
  const recorded = await api.call('/api/v1/signals', { key, body: { signals } });
  expect(recorded.status, recorded.text).toBe(200);
  // A process that loads its modules on a busy machine is late, and refuses reads (503) until it has caught up.
  const isThere = async () => (await api.call('/api/v1/sessions?limit=1', { key })).status === 200;
  await until(isThere, { what: 'a first read' });
});

interface Listed {
  id: string;
  user_id: string;
  started_at: string;
}

async function walk(
  query: string,
  before?: (page: number) => Promise<void>,
  reader: string = key,
): Promise<Listed[]> {
  const seen: Listed[] = [];
  let cursor = '';
  for (let page = 0; page < 100; page += 1) {
    await before?.(page);
    const next = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const { status, body } = await api.call(`/api/v1/sessions?${query}${next}`, { key: reader });
    expect(status).toBe(200);
    seen.push(...body.data);
    cursor = body.cursor;
    expect(typeof cursor).toBe('string');
    if (!body.has_more) return seen;
  }
  throw new Error('the walk does not end');
}

describe('GET /api/v1/sessions', () => {
  it('gives 20 of the newest first, with the number of all', async () => {
    const { status, text, body } = await api.call('/api/v1/sessions', { key });
    expect(status, text).toBe(200);
    expect(body.data).toHaveLength(20);
    expect(body).toMatchObject({ has_more: true, total: 60 });
    const starts = body.data.map((session: Listed) => session.started_at);
    expect(starts).toEqual(starts.toSorted().reverse());
    expect(body.data[0]).not.toHaveProperty('signals');
  });

  it.each([
    ['2026-11-21T10:00Z', 3],
    ['2026-11-21T10:00', 3],
    ['2026-11-21T12:00:00+0200', 3],
    ['2026-11-21T12:00+02:00', 3],
    ['2026-11-21T06:00:00.000-04', 3],
    ['2026-11-21T10:00:00.001Z', 2],
  ])('takes %s as from', async (from, total) => {
    const { body } = await api.call(`/api/v1/sessions?from=${encodeURIComponent(from)}`, { key });
    expect(body).toMatchObject({ total });
  });

  it.each(['/api/v1/sessions', '/api/v1/anomalies'])(
    "reads a date alone at %s as its midnight in the organization's timezone",
    async (path) => {
      // Twelve hours ahead of UTC and more: this day began at 11:00Z the day before.
      const tenant = await makeTenant(api.ctx, { timezone: 'Pacific/Auckland' });
      for (const ts of ['2026-11-20T10:59:59.999Z', '2026-11-20T11:00:00Z', '2026-11-21T10:59:59.999Z']) {
        const body = makeSignal({ ts, user_id: ts });
        const posted = await api.call('/api/v1/signals', { key: tenant.key, body });
        await anomalyRows(api.ctx).insertOne({
          _id: `ano_${tenant.orgId}_${ts}`,
          org_id: tenant.orgId,
          anomaly_type: 'token_spike',
          user_id: ts,
          baseline_avg: 1,
          observed: 2,
          deviation_pct: 100,
          session_id: posted.body.results[0].session_id,
          reports: 1,
          detected_at: new Date(ts),
          updated_at: new Date(ts),
        });
      }
      const { body } = await api.call(`${path}?from=2026-11-21&to=2026-11-22`, { key: tenant.key });
      const users = body.data.map((row: Listed) => row.user_id);
      expect(users).toEqual(['2026-11-21T10:59:59.999Z', '2026-11-20T11:00:00Z']);
      const before = await api.call(`${path}?to=2026-11-21`, { key: tenant.key });
      expect(before.body.total).toBe(1);
    },
  );

  it('shows all that `total` counts, also sessions that are older than their signals are kept', async () => {
    const nowMs = clock.now();
    const keptDays = api.ctx.config.signalRetentionDays;
    const agesDays = [10 * keptDays, keptDays + 71, keptDays + 1, keptDays - 1, 0];
    let tenant: Awaited<ReturnType<typeof makeTenant>> | undefined;
    for (const days of agesDays) {
      clock.set(nowMs - days * 24 * HOUR);
      tenant ??= await makeTenant(api.ctx);
      const body = makeSignal({ ts: clock.now() });
      await api.call('/api/v1/signals', { key: tenant.key, body });
    }
    const key = tenant?.key ?? '';
    for (const order of ['desc', 'asc']) {
      const seen = await walk(`order=${order}&limit=2`, undefined, key);
      const { body } = await api.call(`/api/v1/sessions?order=${order}`, { key });
      expect([seen.length, body.total, body.data.length]).toEqual([5, 5, 5]);
    }
  });

  it('begins a new walk with the cursor of a list that was empty, and counts anew', async () => {
    const tenant = await makeTenant(api.ctx);
    const empty = await api.call('/api/v1/sessions', { key: tenant.key });
    const path = `/api/v1/sessions?cursor=${empty.body.cursor}`;
    expect((await api.call(path, { key: tenant.key })).body).toMatchObject({ data: [], total: 0 });
    await api.call('/api/v1/signals', { key: tenant.key, body: makeSignal({ ts: clock.now() }) });
    const { body } = await api.call(path, { key: tenant.key });
    expect(body).toMatchObject({ has_more: false, total: 1 });
    expect(body.data).toHaveLength(1);
  });

  it('pages through many sessions that started in the same millisecond', async () => {
    const other = await makeTenant(api.ctx);
    const signals = Array.from({ length: 25 }, (_, index) =>
      makeSignal({ ts: clock.now() - HOUR, user_id: `t${index}` }),
    );
    await api.call('/api/v1/signals', { key: other.key, body: { signals } });
    const ids = new Set<string>();
    let cursor = '';
    for (let page = 0; page < 5; page += 1) {
      const { body } = await api.call(`/api/v1/sessions?limit=5${cursor && `&cursor=${cursor}`}`, {
        key: other.key,
      });
      for (const session of body.data) ids.add(session.id);
      cursor = body.cursor;
    }
    expect(ids.size).toBe(25);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=-1',
    'limit=1e3',
    'order=up',
    'from=yesterday',
    'from=2026-11-22&to=2026-11-21',
    'nope=1',
    'limit=1&limit=2',
    'user_id[$ne]=x',
  ])('refuses %s with 400 that names the parameter', async (query) => {
    const { status, body } = await api.call(`/api/v1/sessions?${query}`, { key });
    expect(status).toBe(400);
    expect(body.code).toBe('invalid_request');
    expect(query).toContain(body.errors[0].parameter);
  });
});

describe('GET /api/v1/sessions/{id}', () => {
  it('streams every signal in time order, also thousands', async () => {
    const tenant = await makeTenant(api.ctx);
    for (let batch = 0; batch < 3; batch += 1) {
      const signals = Array.from({ length: 900 }, (_, index) =>
        makeSignal({ ts: clock.now() - ((index * 7 + batch) % 900) * 1_000, cost_usd: 0.001 }),
      );
      await api.call('/api/v1/signals', { key: tenant.key, body: { signals } });
    }
    const list = await api.call('/api/v1/sessions', { key: tenant.key });
    const { body } = await api.call(`/api/v1/sessions/${list.body.data[0].id}`, { key: tenant.key });
    expect(body.signals).toHaveLength(2_700);
    expect(body).toMatchObject({ signal_count: 2_700, cost_usd: 2.7 });
    const times = body.signals.map((signal: { ts: string }) => signal.ts);
    expect(times).toEqual(times.toSorted());
    const { signals: _, attribution: __, contexts: ___, ...head } = body;
    expect(head).toEqual(list.body.data[0]);
  });

  it('goes out in pieces of 64 KiB and a signal at most, however much its signals hold', async () => {
    const tenant = await makeTenant(api.ctx);
    const pad = 'x'.repeat(256);
    const metadata = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`key${index}`, pad]));
    const signals = Array.from({ length: 60 }, () => makeSignal({ ts: clock.now(), metadata }));
    const posted = await api.call('/api/v1/signals', { key: tenant.key, body: { signals } });
    const path = `/api/v1/sessions/${posted.body.results[0].session_id}`;
    const pieces = await readPieces(`${api.url}${path}`, tenant.key);
    expect(JSON.parse(pieces.join('')).signals).toHaveLength(60);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(65_536 + 10_000);
  });

  it('is 503, not half an answer, when the store is away before there is a signal to send', async () => {
    const { body } = await api.call('/api/v1/sessions?limit=1', { key });
    vi.spyOn(signalRows(api.ctx), 'find').mockImplementation(() => {
      throw new Error('Connection is closed.');
    });
    const answer = await api.call(`/api/v1/sessions/${body.data[0].id}`, { key });
    vi.restoreAllMocks();
    expect([answer.status, answer.body.code]).toEqual([503, 'store_unavailable']);
  });

  it('says the same 404, byte for byte, for a foreign, an odd and a nonexistent id', async () => {
    const stranger = await makeTenant(api.ctx);
    const { body } = await api.call('/api/v1/sessions?limit=1', { key });
    const headers = { 'X-Request-Id': 'same-for-all' };
    const ids = [body.data[0].id, 'ses_0000000000000000000000', 'x', '$ne', 'a%2fb'];
    const answers = await Promise.all(
      ids.map((id) => api.call(`/api/v1/sessions/${id}`, { key: stranger.key, headers })),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.text).toBe(answers[0]?.text);
    }
  });
});

describe('POST /api/v1/sessions/{id}/close', () => {
  it('ends the session now, once, and what comes later begins another', async () => {
    const tenant = await makeTenant(api.ctx);
    await subscribeToAll(api.ctx, tenant.orgId);
    const posted = await api.call('/api/v1/signals', {
      key: tenant.key,
      body: makeSignal({ ts: clock.now() - 60_000 }),
    });
    const id = posted.body.results[0].session_id;
    const [first, second] = await Promise.all(
      [1, 2].map(() => api.call(`/api/v1/sessions/${id}/close`, { key: tenant.key, method: 'POST' })),
    );
    expect(first?.status).toBe(200);
    expect(first?.body).toMatchObject({
      state: 'ended',
      end_reason: 'closed',
      anomaly_types: [],
      ended_at: new Date(clock.now()).toISOString(),
    });
    expect(second?.body).toEqual(first?.body);
    const events = await readEvents(api.ctx, tenant.orgId);
    expect(events.map(({ type }) => type)).toEqual(['session.started', 'session.ended']);
    clock.advance(1_000);
    const later = await api.call('/api/v1/signals', {
      key: tenant.key,
      body: makeSignal({ ts: clock.now() }),
    });
    expect(later.body.results[0].session_id).not.toBe(id);
    const third = await api.call(`/api/v1/sessions/${id}/close`, { key: tenant.key, method: 'POST' });
    expect(third.body).toEqual(first?.body);
    const late = await api.call('/api/v1/signals', {
      key: tenant.key,
      body: makeSignal({ ts: clock.now() - 30_000 }),
    });
    expect(late.body.results[0].session_id).toBe(id);
  });
});

it('a session of another organization, or of another user than its key, looks like none and stays open', async () => {
  const { orgId, key } = await makeTenant(api.ctx);
  const posted = await api.call('/api/v1/signals', { key, body: makeSignal({ ts: clock.now() }) });
  const id = posted.body.results[0].session_id;
  const foreign = await makeTenant(api.ctx);
  const bound = await createApiKey(api.ctx, { org_id: orgId, scopes: [...BOUND_SCOPES], user_id: 'bob' });
  for (const stranger of [foreign.key, bound.key]) {
    const [theirs, none] = await Promise.all(
      [id, 'ses_none'].map((each) =>
        api.call(`/api/v1/sessions/${each}/close`, { key: stranger, method: 'POST' }),
      ),
    );
    expect(theirs?.status).toBe(404);
    expect({ ...theirs?.body, request_id: '' }).toEqual({ ...none?.body, request_id: '' });
  }
  expect((await api.call(`/api/v1/sessions/${id}`, { key })).body.state).toBe('open');
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
