import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { startApi } from '../support/harness.ts';

const MINUTE = 60_000;
const fx = await fixture({ clock: '2026-11-21T12:00:00Z', perTest: true, other: true });
const { api, ctx, clock, other } = fx;
const signalOf = (fields: object) => makeSignal({ ts: clock.now(), ...fields });
/** Posts signals. Returns their results. */
const post = async (signals: unknown[], key = fx.key) =>
  (await fx.ask('/api/v1/signals', { signals }, { key })).results;

describe('POST /api/v1/signals', () => {
  it('answers one result per signal, in order, and loses no good one for a bad one', async () => {
    const results = await post([
      signalOf({ id: 'a' }),
      signalOf({ id: 'bad', tokens_in: -1, promt: 'x' }),
      signalOf({ id: 'a' }),
      { id: 'worse' },
      5,
      signalOf({ id: 'b' }),
    ]);
    const [first] = results;
    expect(results).toMatchObject([
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
    expect(await signalRows(ctx).countDocuments({ org_id: fx.orgId })).toBe(2);
  });

  it('counts a call in the project that it names, and in that of its key only where it names none', async () => {
    const own = await fx.keyOf(null, ['signals:write'], { project_id: 'shop' });
    const call = (call: object) => signalOf({ tokens_in: 0, tokens_out: 0, ...call });
    const signals = [
      call({ id: 'named', project_id: 'web', cost_usd: 1 }),
      call({ id: 'unnamed', project_id: undefined, cost_usd: 2 }),
      call({ id: 'same', project_id: 'shop', cost_usd: 4 }),
    ];
    expect(await post(signals, own)).toMatchObject(signals.map(({ id }) => ({ id, status: 'accepted' })));
    const { groups } = await fx.ask('/api/v1/usage?from=2026-11-21&to=2026-11-22&group_by=project_id');
    expect(groups).toMatchObject([
      { key: { project_id: 'shop' }, signals: 2, cost_usd: 6 },
      { key: { project_id: 'web' }, signals: 1, cost_usd: 1 },
    ]);
  });

  it('takes a single signal and a gzipped batch alike', async () => {
    const single = await fx.ask('/api/v1/signals', signalOf({ id: 'one' }));
    expect(single.results).toMatchObject([{ id: 'one', status: 'accepted' }]);
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const zipped = await fetch(`${api.url}/api/v1/signals`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${fx.key}`, ...headers },
      body: gzipSync(JSON.stringify({ signals: [signalOf({ id: 'one' })] })),
    });
    expect(await zipped.json()).toMatchObject({ results: [{ id: 'one', status: 'duplicate' }] });
  });

  it.each([100, 300, 450, 600, 1_000])(
    'takes a batch of %d signals whole, in however many pieces it arrives',
    async (count) => {
      // A key that is new to the process is looked up in the store: the body is here before anybody reads it.
      const metadata = { note: 'x'.repeat(30) };
      const signals = Array.from({ length: count }, (_, at) =>
        makeSignal({ ts: clock.now() - at, id: `signal-${at}`, metadata }),
      );
      expect(await post(signals)).toHaveLength(count);
    },
  );

  it('counts nothing twice when one batch is sent by many at once', async () => {
    const signals = Array.from({ length: 40 }, (_, index) =>
      makeSignal({ ts: clock.now() - index * 10 * MINUTE, id: `p${index}`, user_id: `u${index % 4}` }),
    );
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 ? api : other).call('/api/v1/signals', { key: fx.key, body: { signals } }),
      ),
    );
    const results = answers.flatMap(({ body }) => body.results);
    expect(results.filter(({ status }) => status === 'accepted')).toHaveLength(40);
    const sessions = await sessionRows(ctx).find({ org_id: fx.orgId }).toArray();
    expect(sessions.reduce((sum, { signal_count }) => sum + signal_count, 0)).toBe(40);
    const organization = await readOrganization(ctx, fx.orgId);
    expect(await reconcileUsage(ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
  });

  it('binds a key to its user: no other is taken, and it needs to name none', async () => {
    const signals = [{ user_id: undefined }, { user_id: 'bob' }].map(signalOf);
    expect(await post(signals, await fx.keyOf('ada'))).toMatchObject([
      { status: 'accepted' },
      { status: 'rejected', code: 'foreign_user' },
    ]);
  });

  it("tells a bound key nothing of a signal that is another user's, and does not call its own a duplicate", async () => {
    const [ada, bob] = [await fx.keyOf('ada'), await fx.keyOf('bob')];
    const postShared = async (key: string, user_id: string) => {
      const { body, text } = await fx.send('/api/v1/signals', signalOf({ id: 'shared', user_id }), { key });
      return { result: body.results[0], text };
    };
    const first = await postShared(bob, 'bob');
    const foreign = await postShared(ada, 'ada');
    expect(foreign.result).toEqual({
      id: 'shared',
      status: 'rejected',
      code: 'id_taken',
      detail: expect.stringContaining('id: '),
    });
    expect(foreign.text).not.toMatch(/ses_|bob/);
    const repeat = { id: 'shared', status: 'duplicate', session_id: first.result.session_id };
    expect((await postShared(bob, 'bob')).result).toEqual(repeat);
    expect((await postShared(fx.key, 'ada')).result).toEqual(repeat);
    expect(await signalRows(ctx).countDocuments({ org_id: fx.orgId })).toBe(1);
  });

  it("tells a bound key nothing of another user's signal that one transaction records with its own", async () => {
    const record = (user_id: string) => {
      const sender = { orgId: fx.orgId, boundUserId: user_id, defaultProjectId: null };
      const ids = ['shared', `${user_id}'s`, `${user_id}'s`];
      return recordSignals(
        ctx,
        sender,
        ids.map((id) => signalOf({ id, user_id })),
      );
    };
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

  it('answers 503, not 500, while the store is away, so that the client tries again', async () => {
    const lone = await startApi({ sharing: ctx, clock });
    await lone.ctx.db.connection.close();
    const answer = await lone.call('/api/v1/signals', { key: fx.key, body: signalOf({}) });
    expect([answer.status, answer.body.code]).toEqual([503, 'store_unavailable']);
    expect(answer.headers.get('retry-after')).toBe('1');
    await lone.close();
  });
});
