import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { startApi } from '../support/harness.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const MINUTE = 60_000;
const { api, clock } = await fixture({ clock: Date.parse('2026-11-21T12:00:00Z') });

describe('POST /api/v1/signals', () => {
  it('answers one result per signal, in order, and loses no good one for a bad one', async () => {
    const { key, orgId } = await makeTenant(api.ctx);
    const now = clock.now();
    const signals = [
      makeSignal({ ts: now, id: 'a' }),
      makeSignal({ ts: now, id: 'bad', tokens_in: -1, promt: 'x' }),
      makeSignal({ ts: now, id: 'a' }),
      { id: 'worse' },
      5,
      makeSignal({ ts: now, id: 'b' }),
    ];
    const { status, body } = await api.call('/api/v1/signals', { key, body: { signals } });
    expect(status).toBe(200);
    const [first] = body.results;
    expect(body.results).toMatchObject([
      { id: 'a', status: 'accepted' },
      {
        id: 'bad',
        status: 'rejected',
        code: 'invalid_signal',
        detail: 'tokens_in: must be at least 0; promt: is not known here',
      },
      { id: 'a', status: 'duplicate', session_id: first.session_id },
      { id: 'worse', status: 'rejected', detail: 'ts: is missing; adapter: is missing' },
      { id: null, status: 'rejected', detail: 'the signal: must be an object' },
      { id: 'b', status: 'accepted', session_id: first.session_id },
    ]);
    expect(await signalRows(api.ctx).countDocuments({ org_id: orgId })).toBe(2);
  });

  it('counts a call in the project that it names, and in that of its key only where it names none', async () => {
    const { key, orgId } = await makeTenant(api.ctx);
    const { key: own } = await createApiKey(api.ctx, {
      org_id: orgId,
      scopes: ['signals:write'],
      project_id: 'shop',
    });
    const call = (call: object) => makeSignal({ ts: clock.now(), tokens_in: 0, tokens_out: 0, ...call });
    const signals = [
      call({ id: 'named', project_id: 'web', cost_usd: 1 }),
      call({ id: 'unnamed', project_id: undefined, cost_usd: 2 }),
      call({ id: 'same', project_id: 'shop', cost_usd: 4 }),
    ];
    const sent = await api.call('/api/v1/signals', { key: own, body: { signals } });
    expect(sent.body.results).toMatchObject(signals.map(({ id }) => ({ id, status: 'accepted' })));
    const usage = await api.call('/api/v1/usage?from=2026-11-21&to=2026-11-22&group_by=project_id', { key });
    expect(usage.body.groups).toMatchObject([
      { key: { project_id: 'shop' }, signals: 2, cost_usd: 6 },
      { key: { project_id: 'web' }, signals: 1, cost_usd: 1 },
    ]);
  });

  it('takes a single signal and a gzipped batch alike', async () => {
    const { key } = await makeTenant(api.ctx);
    const single = await api.call('/api/v1/signals', {
      key,
      body: makeSignal({ ts: clock.now(), id: 'one' }),
    });
    expect(single.body.results).toMatchObject([{ id: 'one', status: 'accepted' }]);
    const zipped = await fetch(`${api.url}/api/v1/signals`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Content-Encoding': 'gzip',
      },
      body: gzipSync(JSON.stringify({ signals: [makeSignal({ ts: clock.now(), id: 'one' })] })),
    });
    expect(await zipped.json()).toMatchObject({ results: [{ id: 'one', status: 'duplicate' }] });
  });

  it.each([100, 300, 450, 600, 1_000])(
    'takes a batch of %d signals whole, in however many pieces it arrives',
    async (count) => {
      // A key that is new to the process is looked up in the store: the body is here before anybody reads it.
      const { key } = await makeTenant(api.ctx);
      const signals = Array.from({ length: count }, (_, index) =>
        makeSignal({ ts: clock.now() - index, id: `signal-${index}`, metadata: { note: 'x'.repeat(30) } }),
      );
      const { status, body } = await api.call('/api/v1/signals', { key, body: { signals } });
      expect(status, JSON.stringify(body).slice(0, 200)).toBe(200);
      expect(body.results).toHaveLength(count);
    },
  );

  it('counts nothing twice when one batch is sent by many at once', async () => {
    const { key, orgId } = await makeTenant(api.ctx);
    const other = await startApi({ sharing: api.ctx, clock });
    const signals = Array.from({ length: 40 }, (_, index) =>
      makeSignal({ ts: clock.now() - index * 10 * MINUTE, id: `p${index}`, user_id: `u${index % 4}` }),
    );
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 ? api : other).call('/api/v1/signals', { key, body: { signals } }),
      ),
    );
    await other.close();
    const accepted = answers
      .flatMap(({ body }) => body.results)
      .filter((result) => result.status === 'accepted');
    expect(accepted).toHaveLength(40);
    await expectSumsAgree(orgId);
  });

  it('binds a key to its user: no other is taken, and it needs to name none', async () => {
    const { key } = await makeTenant(api.ctx, { user_id: 'ada' });
    const signals = [
      makeSignal({ ts: clock.now(), id: 'x', user_id: undefined }),
      makeSignal({ ts: clock.now(), id: 'y', user_id: 'bob' }),
    ];
    const { body } = await api.call('/api/v1/signals', { key, body: { signals } });
    expect(body.results).toMatchObject([
      { status: 'accepted' },
      { status: 'rejected', code: 'foreign_user' },
    ]);
  });

  it("tells a bound key nothing of a signal that is another user's, and does not call its own a duplicate", async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const boundTo = (user_id: string) =>
      createApiKey(api.ctx, { org_id: orgId, scopes: ['signals:write'], user_id });
    const [ada, bob] = await Promise.all([boundTo('ada'), boundTo('bob')]);
    const post = async (as: string, user_id: string) => {
      const signal = makeSignal({ ts: clock.now(), id: 'shared', user_id });
      const { body, text } = await api.call('/api/v1/signals', { key: as, body: signal });
      return { result: body.results[0], text };
    };
    const first = await post(bob.key, 'bob');
    const foreign = await post(ada.key, 'ada');
    expect(foreign.result).toEqual({
      id: 'shared',
      status: 'rejected',
      code: 'id_taken',
      detail: expect.stringContaining('id: '),
    });
    expect(foreign.text).not.toMatch(/ses_|bob/);
    const repeat = { id: 'shared', status: 'duplicate', session_id: first.result.session_id };
    expect((await post(bob.key, 'bob')).result).toEqual(repeat);
    expect((await post(key, 'ada')).result).toEqual(repeat);
    expect(await signalRows(api.ctx).countDocuments({ org_id: orgId })).toBe(1);
  });

  it("tells a bound key nothing of another user's signal that one transaction records with its own", async () => {
    const { orgId } = await makeTenant(api.ctx);
    const record = (user_id: string) =>
      recordSignals(api.ctx, { orgId, boundUserId: user_id, defaultProjectId: null }, [
        makeSignal({ ts: clock.now(), id: 'shared', user_id }),
        makeSignal({ ts: clock.now(), id: `${user_id}'s`, user_id }),
        makeSignal({ ts: clock.now(), id: `${user_id}'s`, user_id }),
      ]);
    // In one turn of the event loop, so in one transaction.
    const [bobs, adas] = await Promise.all([record('bob'), record('ada')]);
    expect(bobs.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'duplicate']);
    expect(adas).toMatchObject([
      { status: 'rejected', code: 'id_taken' },
      { status: 'accepted' },
      { status: 'duplicate' },
    ]);
    const sessionsOf = (results: readonly object[]) =>
      new Set(results.flatMap((result) => ('session_id' in result ? [result.session_id] : [])));
    expect(sessionsOf(bobs).isDisjointFrom(sessionsOf(adas))).toBe(true);
    const [rejected] = await record('ada');
    expect(rejected).toEqual(adas[0]);
  });

  it('counts an unknown price apart and never as zero', async () => {
    const { key } = await makeTenant(api.ctx);
    const signals = [
      makeSignal({ ts: clock.now(), id: 'p', model: 'no-such-model-9', provider: undefined }),
      makeSignal({ ts: clock.now(), id: 'q', cost_usd: 0.25 }),
    ];
    const { body } = await api.call('/api/v1/signals', { key, body: { signals } });
    const session = await api.call(`/api/v1/sessions/${body.results[0].session_id}`, { key });
    expect(session.body).toMatchObject({ unpriced_signals: 1, cost_usd: 0.25 });
    const [unknown, reported] = session.body.signals.toSorted((a: { id: string }, b: { id: string }) =>
      a.id < b.id ? -1 : 1,
    );
    expect(unknown).toMatchObject({ id: 'p', cost_usd: null, cost_source: 'unknown' });
    expect(reported).toMatchObject({ id: 'q', cost_usd: 0.25, cost_source: 'reported' });
  });

  it('answers 503, not 500, while the store is away, so that the client tries again', async () => {
    const { key } = await makeTenant(api.ctx);
    const lone = await startApi({ sharing: api.ctx, clock });
    await lone.ctx.db.connection.close();
    const answer = await lone.call('/api/v1/signals', { key, body: makeSignal({ ts: clock.now() }) });
    expect(answer.status).toBe(503);
    expect(answer.body.code).toBe('store_unavailable');
    expect(answer.headers.get('retry-after')).toBe('1');
    await lone.close();
  });
});

async function expectSumsAgree(orgId: string): Promise<void> {
  const [signals, sessions, rollups] = await Promise.all([
    signalRows(api.ctx).find({ org_id: orgId }).toArray(),
    sessionRows(api.ctx).find({ org_id: orgId }).toArray(),
    rollupRows(api.ctx).find({ org_id: orgId }).toArray(),
  ]);
  const sum = (rows: readonly object[], field: string) =>
    rows.reduce((total, row) => total + Number((row as Record<string, unknown>)[field] ?? 0), 0);
  const expected = {
    count: signals.length,
    tokens: sum(signals, 'tokens_in'),
    cost: sum(signals, 'cost_nusd'),
  };
  const ofSessions = {
    count: sum(sessions, 'signal_count'),
    tokens: sum(sessions, 'tokens_in'),
    cost: sum(sessions, 'cost_nusd'),
  };
  expect(ofSessions).toEqual(expected);
  for (const period of ['quarter_hour', 'day']) {
    const rows = rollups.filter((row) => row.period === period);
    expect({
      count: sum(rows, 'signals'),
      tokens: sum(rows, 'tokens_in'),
      cost: sum(rows, 'cost_nusd'),
    }).toEqual(expected);
    expect(sum(rows, 'sessions')).toBe(sessions.length);
  }
  const organization = await readOrganization(api.ctx, orgId);
  expect(await reconcileUsage(api.ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
}
