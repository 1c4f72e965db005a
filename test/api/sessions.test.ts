import { beforeAll, describe, expect, it, vi } from 'vitest';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { anomalyRows } from '../../shared/wings/anomalies/model.ts';
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
  it('gives 20 of the newest first, with the number of all', async () => {
    const body = await ask(PATH);
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
    expect(await ask(`${PATH}?from=${encodeURIComponent(from)}`)).toMatchObject({ total });
  });

  it.each(['/api/v1/sessions', '/api/v1/anomalies'])(
    "reads a date alone at %s as its midnight in the organization's timezone",
    async (path) => {
      // Twelve hours ahead of UTC and more: this day began at 11:00Z the day before.
      const own = await tenant({ timezone: 'Pacific/Auckland' });
      for (const ts of ['2026-11-20T10:59:59.999Z', '2026-11-20T11:00:00Z', '2026-11-21T10:59:59.999Z']) {
        const session_id = await post(own, { ts, user_id: ts });
        await anomalyRows(ctx).insertOne({
          _id: `ano_${own.orgId}_${ts}`,
          org_id: own.orgId,
          anomaly_type: 'token_spike',
          user_id: ts,
          baseline_avg: 1,
          observed: 2,
          deviation_pct: 100,
          session_id,
          reports: 1,
          detected_at: new Date(ts),
          updated_at: new Date(ts),
        });
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

  it('pages through many sessions that started in the same millisecond', async () => {
    const own = await tenant();
    await post(own, ...Array.from({ length: 25 }, (_, index) => ({ user_id: `t${index}` })));
    const ids = (await walk('limit=5', own)).map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([25, 25]);
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
    const { status, body } = await send(`${PATH}?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(query).toContain(body.errors[0].parameter);
  });
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
    const ids = [id, 'ses_0000000000000000000000', 'x', '$ne', 'a%2fb'];
    const answers = await Promise.all(
      ids.map((each) => api.call(`${PATH}/${each}`, { key: stranger.key, headers })),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.text).toBe(answers[0]?.text);
    }
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

it('a session of another organization, or of another user than its key, looks like none and stays open', async () => {
  const own = await tenant();
  const id = await post(own, {});
  for (const stranger of [(await tenant()).key, await own.keyOf('bob')]) {
    const [theirs, none] = await Promise.all(
      [id, 'ses_none'].map((each) =>
        send(`${PATH}/${each}/close`, undefined, { key: stranger, method: 'POST' }),
      ),
    );
    expect(theirs?.status).toBe(404);
    expect({ ...theirs?.body, request_id: '' }).toEqual({ ...none?.body, request_id: '' });
  }
  expect((await ask(`${PATH}/${id}`, undefined, own)).state).toBe('open');
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
