import { describe, expect, it } from 'vitest';
import { memberRows } from '../../shared/core/accounts/organizations/model.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';

const DAY = 86_400_000;
const { api, key, orgId, clock } = await fixture({ clock: Date.parse('2026-11-21T12:00:00Z') });

async function outcome(
  signal: unknown,
): Promise<{ status: string; session_id?: string; code?: string; detail?: string }> {
  const { status, body } = await api.call('/api/v1/signals', { key, body: { signals: [signal] } });
  expect(status).toBe(200);
  return body.results[0];
}

describe('operators and tenants (87 to 91)', () => {
  it.each([{ $ne: null }, { $gt: '' }, { $where: '1' }, { $regex: '(a+)+$' }, ['ada'], 7, null])(
    '87 %j is no user, adapter, project or model',
    async (value) => {
      for (const field of ['user_id', 'adapter', 'project_id', 'model', 'id']) {
        expect(await outcome({ ...makeSignal({ ts: clock.now() }), [field]: value })).toMatchObject({
          status: 'rejected',
        });
      }
    },
  );

  it('88 a filter with an undefined tenant throws', async () => {
    const sessions = sessionRows(api.ctx);
    const members = memberRows(api.ctx);
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
    await outcome(makeSignal({ ts: clock.now() }));
    const misspelt = { orgid: orgId } as never;
    expect(await sessionRows(api.ctx).countDocuments()).toBeGreaterThan(0);
    expect(await sessionRows(api.ctx).countDocuments(misspelt)).toBe(0);
    expect(await sessionRows(api.ctx).deleteMany(misspelt)).toMatchObject({ deletedCount: 0 });
  });

  it('90, 91 filters are literal values, and no other parameter exists', async () => {
    await outcome(makeSignal({ ts: clock.now(), user_id: 'regex' }));
    for (const query of ['user_id=.*', 'user_id=reg', 'model=%5E']) {
      expect((await api.call(`/api/v1/sessions?${query}`, { key })).body.total).toBe(0);
    }
    for (const query of ['sort=-cost', 'select=org_id', 'populate=x', 'fields=key']) {
      expect((await api.call(`/api/v1/sessions?${query}`, { key })).status).toBe(400);
    }
  });
});

describe('keys that mean something to an engine or a store (10)', () => {
  it.each(['__proto__', '_bsontype'])('%s in metadata rejects that signal alone', async (name) => {
    const metadata = JSON.parse(`{"${name}":"ObjectId","kept":"yes"}`);
    const signals = [
      makeSignal({ ts: clock.now() }),
      makeSignal({ ts: clock.now(), metadata }),
      makeSignal({ ts: clock.now() }),
    ];
    const { status, body } = await api.call('/api/v1/signals', { key, body: { signals } });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { status: 'accepted' },
      { status: 'rejected', code: 'invalid_signal', detail: expect.stringContaining(`metadata.${name}`) },
      { status: 'accepted' },
    ]);
  });

  it.each(['constructor', 'prototype', 'toString', 'toJSON', '$set', 'a.b', 'length'])(
    '%s in metadata is a name like any other, and its value a text',
    async (name) => {
      const signal = makeSignal({ ts: clock.now(), metadata: { [name]: 'x' } });
      const { session_id } = await outcome(signal);
      const { body } = await api.call(`/api/v1/sessions/${session_id}`, { key });
      const recorded = body.signals.find(({ id }: { id: string }) => id === signal.id);
      expect(recorded.metadata).toEqual({ [name]: 'x' });
      expect(
        await outcome({ ...makeSignal({ ts: clock.now() }), metadata: { [name]: { admin: true } } }),
      ).toMatchObject({ status: 'rejected' });
    },
  );
});

describe('signals (92 to 95)', () => {
  it('92 takes 1,000 and refuses 1,001 with 413, keeping none', async () => {
    const tenant = await makeTenant(api.ctx);
    const signals = Array.from({ length: 1_001 }, (_, index) => makeSignal({ ts: clock.now() - index }));
    const tooMany = await api.call('/api/v1/signals', { key: tenant.key, body: { signals } });
    expect(tooMany.status).toBe(413);
    expect(tooMany.body.code).toBe('payload_too_large');
    expect(await signalRows(api.ctx).countDocuments({ org_id: tenant.orgId })).toBe(0);
    const { body } = await api.call('/api/v1/signals', {
      key: tenant.key,
      body: { signals: signals.slice(1) },
    });
    expect(body.results.every((result: { status: string }) => result.status === 'accepted')).toBe(true);
  });

  it('92 of 100 with one bad, 99 are kept', async () => {
    const signals = Array.from({ length: 100 }, (_, index) =>
      makeSignal({ ts: clock.now(), ...(index === 50 ? { ts: 'x' } : {}) }),
    );
    const { body } = await api.call('/api/v1/signals', { key, body: { signals } });
    const rejected = body.results.filter((result: { status: string }) => result.status === 'rejected');
    expect(rejected).toHaveLength(1);
    expect(body.results[50]).toMatchObject({ status: 'rejected', detail: expect.stringContaining('ts') });
  });

  it.each([
    ['1970', '1970-01-01T00:00:00Z', 'ts_behind'],
    ['ten years ahead', '2036-11-21T12:00:00Z', 'ts_ahead'],
    ['no day of the calendar', '2026-02-30T12:00:00Z', 'invalid_signal'],
    ['no offset', '2026-11-21T12:00:00', 'invalid_signal'],
    ['a number', 1_795_262_400, 'invalid_signal'],
    ['a day', '2026-11-21', 'invalid_signal'],
  ])('93 refuses ts %s', async (_name, ts, code) => {
    expect(await outcome({ ...makeSignal({ ts: clock.now() }), ts })).toMatchObject({
      status: 'rejected',
      code,
    });
  });

  it('93 takes ts from 35 days back to 5 minutes ahead, both inclusive', async () => {
    for (const ts of [clock.now() - 35 * DAY, clock.now() + 300_000]) {
      expect(await outcome(makeSignal({ ts, user_id: 'edges' }))).toMatchObject({ status: 'accepted' });
    }
    for (const ts of [clock.now() - 35 * DAY - 1, clock.now() + 300_001]) {
      expect(await outcome(makeSignal({ ts, user_id: 'edges' }))).toMatchObject({ status: 'rejected' });
    }
  });

  it('93 a repeated id has one effect, also when the repeat says something else', async () => {
    const first = await outcome(makeSignal({ ts: clock.now(), id: 'again', tokens_in: 1 }));
    const second = await outcome(makeSignal({ ts: clock.now(), id: 'again', tokens_in: 999 }));
    expect(first.status).toBe('accepted');
    expect(second).toEqual({ ...first, status: 'duplicate' });
    const other = await outcome(makeSignal({ ts: clock.now(), id: 'again', adapter: 'codex' }));
    expect(other.status).toBe('accepted');
  });

  it.each([-1, -0.000001, 1e308, 10_001, '1', null])('94 refuses a cost of %s', async (cost_usd) => {
    expect(await outcome(makeSignal({ ts: clock.now(), cost_usd }))).toMatchObject({ status: 'rejected' });
  });

  it('94 sums costs in integers: ten times 0.1 is 1', async () => {
    const signals = Array.from({ length: 10 }, () =>
      makeSignal({ ts: clock.now(), user_id: 'tenth', cost_usd: 0.1 }),
    );
    await api.call('/api/v1/signals', { key, body: { signals } });
    const [session] = await sessionRows(api.ctx).find({ org_id: orgId, user_id: 'tenth' }).toArray();
    expect(session?.cost_nusd).toBe(1_000_000_000);
  });

  it.each([
    ['an unknown field', { role: 'admin' }],
    ['_id', { _id: 'x' }],
    ['org_id', { org_id: 'org_other' }],
    ['session_id', { session_id: 'ses_x' }],
    ['tokens without a model', { model: undefined }],
    [
      'an intervention without its type',
      { intervention: { kind: 'k', verdict: 'allow', action: 'allow', source: 's' } },
    ],
    ['the type without an intervention', { type: 'intervention' }],
    [
      '33 pairs of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, 'v'])) },
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
    const result = await outcome({ ...makeSignal({ ts: clock.now() }), ...fields });
    expect(result.status).toBe('rejected');
    expect(result.detail).toBeTruthy();
  });

  it('takes texts that are only described by a maximum when they are empty, and shows them so', async () => {
    const given = {
      type: 'intervention',
      error: { code: 'e', message: '' },
      metadata: { branch: '' },
      intervention: { kind: 'k', verdict: 'allow', action: 'allow', source: 's', reason: '' },
    };
    const signal = makeSignal({ ts: clock.now(), user_id: 'terse', ...given });
    const result = await outcome(signal);
    expect(result).toMatchObject({ status: 'accepted' });
    const { body } = await api.call(`/api/v1/sessions/${result.session_id}`, { key });
    expect(body.signals).toMatchObject([given]);
    const interventions = await api.call(`/api/v1/sessions/${result.session_id}/interventions`, { key });
    expect(interventions.body.data).toMatchObject([{ reason: '' }]);
  });
});
