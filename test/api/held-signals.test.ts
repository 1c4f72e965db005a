import { beforeEach, describe, expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { heldRetention, heldRows } from '../../shared/wings/held/model.ts';
import { reportHeld } from '../../shared/wings/held/report-held.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { startApi } from '../support/harness.ts';
import { readEvents, subscribeToAll } from '../support/webhooks.ts';

const NOW = Date.parse('2026-11-18T10:20:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const f = await fixture({ clock: NOW, other: true, perTest: true });
const { api, clock, other } = f;

const iso = (ms: number) => new Date(ms).toISOString();
const TOKENS = { tokens_in: 900_000_000, tokens_out: 0 };
const huge = (id: string, of: Record<string, unknown> = {}) =>
  makeSignal({ id, ts: NOW - 1_000, ...TOKENS, ...of });

interface PostOptions {
  as?: string;
  at?: typeof api;
  historical?: true;
}
const post = async (signals: unknown[], { as = f.key, at = api, historical }: PostOptions = {}) =>
  (await f.ask('/api/v1/signals', { signals, historical }, { key: as, at })).results;
const list = (query = '', as = f.key) => f.ask(`/api/v1/held-signals${query}`, undefined, { key: as });
const decide = (verb: 'release' | 'discard', ids: unknown, as = f.key) =>
  f.send(`/api/v1/held-signals/${verb}`, { ids }, { key: as });
const statuses = (results: { status: string }[]) => results.map(({ status }) => status);
const usage = async () => (await f.ask('/api/v1/usage')).totals;

describe('a signal above a limit', () => {
  it('is held: counted nowhere, listed with its limits, and a repeat is the same held signal', async () => {
    const [held, taken] = await post([huge('a'), makeSignal({ id: 'b', ts: NOW })]);
    const detail = '900,000,000 tokens are more than 20,000,000; an admin decides';
    const held_id = expect.stringMatching(/^hld_/);
    expect(held).toEqual({ id: 'a', status: 'held', held_id, code: 'implausible', detail });
    expect(taken.status).toBe('accepted');
    expect(await usage()).toMatchObject({ signals: 1, tokens_in: 100 });
    expect(await post([huge('a')])).toEqual([held]);
    const signal = expect.objectContaining({ id: 'a', ...TOKENS, cost_source: 'computed', cost_usd: 135 });
    const limits = { above: ['tokens'], hold_above: { tokens: 20_000_000, cost_usd: 1_000 } };
    const times = { held_at: iso(NOW), expires_at: iso(NOW - 1_000 + 35 * DAY) };
    const state = { state: 'held', decided_at: null, decided_by: null };
    const shown = { id: held.held_id, signal, ...limits, ...times, ...state };
    expect((await list()).data).toEqual([shown]);
  });

  it('is held by its cost too, reported or computed, and exactly above the limit', async () => {
    const cost = { tokens_in: 1, tokens_out: 0 };
    const results = await post([
      makeSignal({ id: 'at', ts: NOW, ...cost, cost_usd: 1_000 }),
      makeSignal({ id: 'above', ts: NOW, ...cost, cost_usd: 1_000.000000001 }),
      makeSignal({ id: 'tokens at', ts: NOW, tokens_in: 19_999_999, tokens_out: 1 }),
      makeSignal({ id: 'tokens above', ts: NOW, tokens_in: 20_000_000, tokens_out: 1 }),
    ]);
    expect(statuses(results)).toEqual(['accepted', 'held', 'accepted', 'held']);
    const above = (await list()).data.flatMap((one: { above: string[] }) => one.above);
    expect(above.toSorted()).toEqual(['cost_usd', 'tokens']);
  });

  it('is not held when it is an intervention, or history of the past', async () => {
    const intervention = { kind: 'tool', verdict: 'warn', action: 'allow', source: 'x' };
    expect((await post([huge('gate', { type: 'intervention', intervention })]))[0].status).toBe('accepted');
    const past = [huge('old', { ts: NOW - 2 * HOUR }), huge('young', { ts: NOW - HOUR })];
    const results = await post(past, { historical: true });
    expect(statuses(results)).toEqual(['accepted', 'held']);
    expect((await post([huge('now old', { ts: NOW - 2 * HOUR })]))[0].status).toBe('held');
  });

  it('that was recorded before the limit was lowered stays a duplicate', async () => {
    const [first] = await post([makeSignal({ id: 'a', ts: NOW, tokens_in: 5_000 })]);
    await changeOrganization(api.ctx, f.orgId, { hold_above: { tokens: 1_000 } });
    const repeat = makeSignal({ id: 'a', ts: NOW, tokens_in: 5_000 });
    expect(await post([repeat])).toEqual([{ ...first, status: 'duplicate' }]);
    expect(await list()).toMatchObject({ total: 0 });
  });

  it('beside another one with its id is held where it comes first, and a duplicate where it comes second', async () => {
    const small = (id: string) => makeSignal({ id, ts: NOW });
    const results = await post([small('a'), huge('a'), huge('b'), small('b')]);
    expect(statuses(results)).toEqual(['accepted', 'duplicate', 'held', 'held']);
    expect(await usage()).toMatchObject({ signals: 1, tokens_in: 100 });
    expect((await list()).data).toMatchObject([{ signal: { id: 'b', ...TOKENS } }]);
  });

  it.each([
    ['tokens', TOKENS, { tokens: 1_000 }, { tokens_in: 1_001 }, { cost_usd: 1_001 }],
    ['cost_usd', { cost_usd: 1_001 }, { cost_usd: 10 }, { cost_usd: 10.01 }, TOKENS],
  ])(
    'stays held when the limit of %s is lifted, until somebody decides; other signals follow a change at once, in every process',
    async (limit, large, lowered, small, ofTheOther) => {
      const signal = (id: string, fields: object) => makeSignal({ id, ts: NOW - 1_000, ...fields });
      await post([signal('warm', {})], { at: other });
      const [held] = await post([signal('a', large)]);
      expect(held).toMatchObject({ status: 'held' });
      await changeOrganization(api.ctx, f.orgId, { hold_above: { [limit]: null } });
      const signals = [signal('a', large), signal('b', large), signal('d', ofTheOther)];
      const after = await post(signals, { at: other });
      expect(after).toMatchObject([held, { id: 'b', status: 'accepted' }, { id: 'd', status: 'held' }]);
      await changeOrganization(api.ctx, f.orgId, { hold_above: lowered });
      expect(await post([signal('c', small)], { at: other })).toMatchObject([{ status: 'held' }]);
    },
  );

  it('keeps a limit that a change does not name', async () => {
    for (const [change, limits] of [
      [{ tokens: 1_000 }, { tokens: 1_000, cost_usd: 1_000 }],
      [{ cost_usd: 5 }, { tokens: 1_000, cost_usd: 5 }],
      [{ tokens: null }, { tokens: null, cost_usd: 5 }],
    ])
      expect(await changeOrganization(api.ctx, f.orgId, { hold_above: change })).toMatchObject({
        hold_above: limits,
      });
  });

  it.each([[[['old', 'young']]], [[['young', 'old']]], [[['old'], ['young']]], [[['young'], ['old']]]])(
    'is known as long as it may be repeated, however old the others are: %j',
    async (batches) => {
      const ages: Record<string, number> = { old: 34 * DAY, young: 1_000 };
      const of = (id: string) => huge(id, { ts: NOW - (ages[id] ?? 0) });
      const ids = new Map<string, string>();
      for (const batch of batches)
        for (const { id, held_id } of await post(batch.map(of))) ids.set(id, held_id);
      await decide('discard', [ids.get('young')]);
      await changeOrganization(api.ctx, f.orgId, { hold_above: { tokens: null } });
      clock.set(NOW + DAY - 1);
      expect(await post([of('old')])).toMatchObject([{ status: 'held', held_id: ids.get('old') }]);
      clock.set(NOW + 35 * DAY - 1_001);
      expect(await post([of('young')])).toMatchObject([{ status: 'rejected', code: 'discarded' }]);
    },
  );

  it.each([
    { task: 'CART-1' },
    { repository: 'github.com/acme/shop', branch: 'CART-2' },
    { repository: 'github.com/acme/shop', task: 'CART-3' },
    { repository: 'github.com/acme/shop', branch: 'CART-4', task: 'CART-4' },
  ])('keeps the names of its work as hashes where the organization hides names: %j', async (names) => {
    for (const hash_names of [undefined, true]) {
      if (hash_names) await changeOrganization(api.ctx, f.orgId, { hash_names });
      const [{ held_id }] = await post([huge(`hidden ${hash_names}`, names)]);
      const row = await heldRows(api.ctx).findOne({ _id: held_id });
      expect(JSON.stringify(row).includes('CART')).toBe(hash_names === undefined);
    }
  });

  it('is at most one of 10,000 that wait; one more is rejected', async () => {
    await post([huge('a')]);
    const [row] = await heldRows(api.ctx).find({ org_id: f.orgId }).toArray();
    if (!row) throw new Error('Nothing was held');
    const many = Array.from({ length: 9_998 }, (_, at) => ({ ...row, _id: `${row._id}-${at}` }));
    await heldRows(api.ctx).insertMany(many);
    const both = await Promise.all([post([huge('b')]), post([huge('c')], { at: other })]);
    const codes = both.flat().map(({ code }: { code: string }) => code);
    expect(codes.toSorted()).toEqual(['implausible', 'too_many_held']);
  });

  it('is no value of the day', async () => {
    const limited = await startApi({ clock, env: { RATE_LIMITS: 'on', VALUES_PER_DAY: '2' } });
    const { key } = await makeTenant(limited.ctx);
    const send = async (signal: object) =>
      (await limited.call('/api/v1/signals', { key, body: signal })).body.results[0];
    for (const user_id of ['u1', 'u2']) expect((await send(huge(user_id, { user_id }))).status).toBe('held');
    const codes = [];
    for (const user_id of ['u3', 'u4', 'u5']) codes.push((await send(makeSignal({ ts: NOW, user_id }))).code);
    await limited.close();
    expect(codes).toEqual([undefined, undefined, 'too_many_values']);
  });
});

describe('a decision', () => {
  it('releases held signals into their sessions, each once, also when it is repeated', async () => {
    const [a, b] = await post([huge('a'), huge('b', { user_id: 'bob' })]);
    clock.advance(3 * DAY);
    const ids = [a.held_id, 'hld_nobody', b.held_id];
    const first = await decide('release', ids);
    const released = { status: 'released', session_id: expect.stringMatching(/^ses_/) };
    expect(first.body.results).toEqual([
      { id: a.held_id, ...released },
      { id: 'hld_nobody', status: 'not_found' },
      { id: b.held_id, ...released },
    ]);
    expect((await decide('release', ids)).body).toEqual(first.body);
    expect((await decide('discard', [a.held_id])).body.results).toEqual([first.body.results[0]]);
    const { session_id } = first.body.results[0];
    expect(await post([huge('a')])).toEqual([{ id: 'a', status: 'duplicate', session_id }]);
    const { totals } = await f.ask('/api/v1/usage?from=2026-11-17&to=2026-11-22');
    expect(totals).toMatchObject({ signals: 2, tokens_in: 1_800_000_000, sessions: 2 });
    expect(await list('?state=released')).toMatchObject({ total: 2 });
    const organization = await readOrganization(api.ctx, f.orgId);
    expect(await reconcileUsage(api.ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
    const details = { held_ids: [a.held_id, b.held_id], tokens: 1_800_000_000 };
    expect(await f.audited('signals.release')).toMatchObject([{ actor: f.keyId, details }]);
  });

  it('discards for good: a repeat is rejected, and nothing counts it', async () => {
    const [a] = await post([huge('a')]);
    const discarded = [{ id: a.held_id, status: 'discarded' }];
    for (const verb of ['discard', 'release'] as const)
      expect((await decide(verb, [a.held_id])).body.results).toEqual(discarded);
    for (const tokens of [1_000, null]) {
      await changeOrganization(api.ctx, f.orgId, { hold_above: { tokens } });
      expect(await post([huge('a')])).toMatchObject([{ status: 'rejected', code: 'discarded' }]);
    }
    expect(await usage()).toMatchObject({ signals: 0 });
    const decided = { state: 'discarded', decided_by: f.keyId, decided_at: iso(NOW) };
    expect((await list('?state=discarded')).data).toMatchObject([decided]);
    const details = (await f.audited('signals.discard')).map((entry) => entry.details);
    expect(details).toEqual([{ held_ids: [a.held_id] }]);
  });

  it('of two at the same time is one: who comes second gets what the first decided', async () => {
    const held = await post(Array.from({ length: 20 }, (_, at) => huge(`s${at}`)));
    const ids = held.map(({ held_id }: { held_id: string }) => held_id);
    const asked = ['release', 'discard', 'release', 'discard'].map((verb, turn) =>
      f.ask(`/api/v1/held-signals/${verb}`, { ids }, { at: turn < 2 ? api : other }),
    );
    const answers = (await Promise.all(asked)).map(({ results }) => results);
    for (const results of answers) expect(results).toEqual(answers[0]);
    const released = answers[0].filter(({ status }: { status: string }) => status === 'released');
    expect(await usage()).toMatchObject({ signals: released.length });
  });

  it('comes too late for a signal that is 35 days old, which is then deleted', async () => {
    const [a] = await post([huge('a')]);
    clock.set(NOW + 35 * DAY);
    const statusOf = async (verb: 'release' | 'discard') =>
      statuses((await decide(verb, [a.held_id])).body.results);
    for (const verb of ['release', 'discard'] as const) expect(await statusOf(verb)).toEqual(['expired']);
    await heldRetention.purge(api.ctx, clock.now());
    expect(await statusOf('release')).toEqual(['not_found']);
  });

  it('takes 1 to 100 ids, none of them twice', async () => {
    const many = Array.from({ length: 101 }, (_, at) => `hld_${at}`);
    for (const ids of [[], ['a', 'a'], many, 'a'])
      for (const verb of ['release', 'discard'] as const) expect((await decide(verb, ids)).status).toBe(400);
  });

  it('is for its organization alone; readers see the held signals of their own user', async () => {
    const [a] = await post([huge('a'), huge('b', { user_id: 'bob' })]);
    const foreign = await f.tenant();
    const { body } = await decide('discard', [a.held_id], foreign.key);
    expect(body.results).toEqual([{ id: a.held_id, status: 'not_found' }]);
    const bob = await f.keyOf('bob', ['usage:read', 'signals:write']);
    expect(await list('', bob)).toMatchObject({ total: 1, data: [{ signal: { id: 'b' } }] });
    expect(await list('?user_id=ada', bob)).toMatchObject({ total: 0 });
    const [taken] = await post([huge('a', { user_id: 'bob' })], { as: bob });
    expect(taken).toMatchObject({ status: 'rejected', code: 'id_taken' });
  });
});

describe('signals.held', () => {
  beforeEach(() => subscribeToAll(api.ctx, f.orgId));
  const events = async () =>
    (await readEvents(api.ctx, f.orgId)).filter(({ type }) => type === 'signals.held');
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape.
  const dataOf = ({ data }: { data: any }) => data;

  it('is raised at most once per hour, counts what waits since the one before, and nothing that was decided', async () => {
    await post([huge('a'), huge('b', { user_id: 'bob', adapter: 'codex' })]);
    await reportHeld(api.ctx, f.orgId);
    await reportHeld(api.ctx, f.orgId);
    const waiting = { held: 2, adapters: ['claude-code', 'codex'], users: ['ada', 'bob'] };
    expect((await events()).map(dataOf)).toEqual([{ ...waiting, first_at: iso(NOW) }]);
    clock.advance(20 * 60_000);
    const [c, d] = await post([huge('c'), huge('d')]);
    await decide('discard', [d.held_id]);
    expect(await reportHeld(api.ctx, f.orgId)).toEqual({ notBeforeMs: NOW + HOUR });
    expect(await events()).toHaveLength(1);
    clock.set(NOW + HOUR);
    await reportHeld(api.ctx, f.orgId);
    const second = (await events()).map(dataOf).find(({ held }) => held === 1);
    expect(second).toMatchObject({ first_at: iso(NOW + 20 * 60_000) });
    await decide('release', [c.held_id]);
    clock.advance(HOUR);
    await reportHeld(api.ctx, f.orgId);
    expect(await events()).toHaveLength(2);
    expect(await dueRows(api.ctx).countDocuments({ kind: 'report-held', org_id: f.orgId })).toBe(0);
  });

  it('counts all that was held while the clock ran on', async () => {
    const now = clock.now.bind(clock);
    clock.now = () => {
      clock.advance(1);
      return now();
    };
    await post([huge('a')]);
    await post([huge('b'), huge('c')]);
    clock.now = now;
    await reportHeld(api.ctx, f.orgId);
    const first = await heldRows(api.ctx).findOne({ org_id: f.orgId }, { sort: { held_at: 1 } });
    expect((await events()).map(dataOf)).toMatchObject([{ held: 3, first_at: first?.held_at.toISOString() }]);
  });
});

it('the metric counts held signals, not repeats', async () => {
  const read = () => f.metric('governor_signals_held_total');
  const before = await read();
  for (let turn = 0; turn < 2; turn += 1) await post([huge('a')]);
  expect((await read()) - before).toBe(1);
});

it('no session and no reservation ends by a held signal', async () => {
  await post([huge('a', { reservation_id: 'res_x' })]);
  expect(await sessionRows(api.ctx).countDocuments({ org_id: f.orgId })).toBe(0);
});
