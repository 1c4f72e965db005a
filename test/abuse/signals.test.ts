import { describe, expect, it } from 'vitest';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const DAY = 86_400_000;
const INTERVENTION = { kind: 'k', verdict: 'allow', action: 'allow', source: 's' };
const { ctx, orgId, clock, ask, send, tenant } = await fixture({
  clock: '2026-11-21T12:00:00Z',
});

const signalOf = (fields: object = {}) => makeSignal({ ts: clock.now(), ...fields });
/** The results of signals. */
const record = async (...signals: unknown[]) => (await ask('/api/v1/signals', { signals })).results;
const outcome = async (fields: object = {}) => (await record({ ...signalOf(), ...fields }))[0];
const REJECTED = { status: 'rejected' };

describe('operators and tenants (87 to 91)', () => {
  it.each([{ $ne: null }, { $gt: '' }, { $where: '1' }, { $regex: '(a+)+$' }, ['ada'], 7, null])(
    '87 %j is no user, adapter, project or model',
    async (value) => {
      for (const field of ['user_id', 'adapter', 'project_id', 'model', 'id']) {
        expect(await outcome({ [field]: value })).toMatchObject(REJECTED);
      }
    },
  );

  it('88 a filter with an undefined tenant throws', async () => {
    const sessions = sessionRows(ctx);
    const members = memberRows(ctx);
    const noTenant = { org_id: undefined as never };
    expect(() => sessions.find(noTenant)).toThrow('undefined');
    expect(() => sessions.find({ org_id: { $in: [undefined as never] } })).toThrow('undefined');
    expect(() => sessions.countDocuments(noTenant)).toThrow('undefined');
    expect(() => sessions.aggregate([{ $match: noTenant }])).toThrow('undefined');
    expect(() => members.updateOne(noTenant, { $set: { name: 'x' } })).toThrow('undefined');
    expect(() => members.deleteMany(noTenant)).toThrow('undefined');
    expect(() => members.bulkWrite([{ deleteOne: { filter: noTenant } }])).toThrow('undefined');
  });

  it('89 a misspelt filter path matches no row, never every row', async () => {
    await outcome();
    const misspelt = { orgid: orgId } as never;
    expect(await sessionRows(ctx).countDocuments()).toBeGreaterThan(0);
    expect(await sessionRows(ctx).countDocuments(misspelt)).toBe(0);
    expect(await sessionRows(ctx).deleteMany(misspelt)).toMatchObject({ deletedCount: 0 });
  });

  it('90, 91 filters are literal values, and no other parameter exists', async () => {
    await outcome({ user_id: 'regex' });
    for (const query of ['user_id=.*', 'user_id=reg', 'model=%5E']) {
      expect((await ask(`/api/v1/sessions?${query}`)).total).toBe(0);
    }
    for (const query of ['sort=-cost', 'select=org_id', 'populate=x', 'fields=key']) {
      expect((await send(`/api/v1/sessions?${query}`)).status).toBe(400);
    }
  });
});

describe('keys that mean something to an engine or a store (10)', () => {
  it.each(['__proto__', '_bsontype'])('%s in metadata rejects that signal alone', async (name) => {
    const metadata = JSON.parse(`{"${name}":"ObjectId","kept":"yes"}`);
    expect(await record(signalOf(), signalOf({ metadata }), signalOf())).toMatchObject([
      { status: 'accepted' },
      { status: 'rejected', code: 'invalid_signal', detail: expect.stringContaining(`metadata.${name}`) },
      { status: 'accepted' },
    ]);
  });

  it.each(['constructor', 'prototype', 'toString', 'toJSON', '$set', 'a.b', 'length'])(
    '%s in metadata is a name like any other, and its value a text',
    async (name) => {
      const { id, session_id } = await outcome({ metadata: { [name]: 'x' } });
      const { signals } = await ask(`/api/v1/sessions/${session_id}`);
      const recorded = signals.find((signal: { id: string }) => signal.id === id);
      expect(recorded.metadata).toEqual({ [name]: 'x' });
      expect(await outcome({ metadata: { [name]: { admin: true } } })).toMatchObject(REJECTED);
    },
  );
});

describe('signals (92 to 95)', () => {
  it('92 takes 1,000 and refuses 1,001 with 413, keeping none', async () => {
    const own = await tenant();
    const signals = Array.from({ length: 1_001 }, (_, index) => makeSignal({ ts: clock.now() - index }));
    const { status, body } = await send('/api/v1/signals', { signals }, own);
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
    expect(await signalRows(ctx).countDocuments({ org_id: own.orgId })).toBe(0);
    const { results } = await ask('/api/v1/signals', { signals: signals.slice(1) }, own);
    expect(results.every((result: { status: string }) => result.status === 'accepted')).toBe(true);
  });

  it('92 of 100 with one bad, 99 are kept', async () => {
    const signals = Array.from({ length: 100 }, (_, index) => signalOf(index === 50 ? { ts: 'x' } : {}));
    const results = await record(...signals);
    expect(results.filter(({ status }: { status: string }) => status === 'rejected')).toHaveLength(1);
    expect(results[50]).toMatchObject({ ...REJECTED, detail: expect.stringContaining('ts') });
  });

  it.each([
    ['1970', '1970-01-01T00:00:00Z', 'ts_behind'],
    ['ten years ahead', '2036-11-21T12:00:00Z', 'ts_ahead'],
    ['no day of the calendar', '2026-02-30T12:00:00Z', 'invalid_signal'],
    ['no offset', '2026-11-21T12:00:00', 'invalid_signal'],
    ['a number', 1_795_262_400, 'invalid_signal'],
    ['a day', '2026-11-21', 'invalid_signal'],
  ])('93 refuses ts %s', async (_name, ts, code) => {
    expect(await outcome({ ts })).toMatchObject({ ...REJECTED, code });
  });

  it('93 takes ts from 35 days back to 5 minutes ahead, both inclusive', async () => {
    const [oldest, newest] = [clock.now() - 35 * DAY, clock.now() + 300_000];
    const edges = [oldest, newest, oldest - 1, newest + 1].map((ts) => makeSignal({ ts, user_id: 'edges' }));
    const statuses = (await record(...edges)).map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(['accepted', 'accepted', 'rejected', 'rejected']);
  });

  it('93 a repeated id has one effect, also when the repeat says something else', async () => {
    const first = await outcome({ id: 'again', tokens_in: 1 });
    expect(first.status).toBe('accepted');
    expect(await outcome({ id: 'again', tokens_in: 999 })).toEqual({ ...first, status: 'duplicate' });
    expect((await outcome({ id: 'again', adapter: 'codex' })).status).toBe('accepted');
  });

  it.each([-1, -0.000001, 1e308, 10_001, '1', null])('94 refuses a cost of %s', async (cost_usd) => {
    expect(await outcome({ cost_usd })).toMatchObject(REJECTED);
  });

  it.each([
    ['an unknown field', { role: 'admin' }],
    ['_id', { _id: 'x' }],
    ['org_id', { org_id: 'org_other' }],
    ['session_id', { session_id: 'ses_x' }],
    ['tokens without a model', { model: undefined }],
    ['an intervention without its type', { intervention: INTERVENTION }],
    ['the type without an intervention', { type: 'intervention' }],
    [
      '33 pairs of metadata',
      { metadata: Object.fromEntries([...Array(33).keys()].map((at) => [`k${at}`, 'v'])) },
    ],
    ['metadata that is no text', { metadata: { a: 1 } }],
    ['a long metadata value', { metadata: { a: 'x'.repeat(257) } }],
    ['an empty metadata key', { metadata: { '': 'x' } }],
    ['an error without its code', { error: { code: '', message: '' } }],
    ['an empty id', { id: '' }],
    ['an id of 129', { id: 'x'.repeat(129) }],
    ['no adapter', { adapter: undefined }],
    ['no user', { user_id: undefined }],
  ])('refuses %s, and names it', async (_name, fields) => {
    expect(await outcome(fields)).toMatchObject({ ...REJECTED, detail: expect.stringMatching(/./) });
  });

  it('takes texts that are only described by a maximum when they are empty, and shows them so', async () => {
    const given = {
      type: 'intervention',
      error: { code: 'e', message: '' },
      metadata: { branch: '' },
      intervention: { ...INTERVENTION, reason: '' },
    };
    const { status, session_id } = await outcome({ user_id: 'terse', ...given });
    expect(status).toBe('accepted');
    expect((await ask(`/api/v1/sessions/${session_id}`)).signals).toMatchObject([given]);
    const { data } = await ask(`/api/v1/sessions/${session_id}/interventions`);
    expect(data).toMatchObject([{ reason: '' }]);
  });
});
