import { beforeAll, describe, expect, test } from 'vitest';
import { closeSession } from '../../../../../shared/core/calls/ingest/end-session.ts';
import { sessionHeadRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { rollupRows } from '../../../../../shared/core/calls/usage/model.ts';
import { createBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { makeSignal, makeTenant } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';

/** Commands that the driver and the process send by themselves. */
const UNCOUNTED = new Set(['hello', 'ping', 'endSessions']);
/** Noon of today, UTC: a signal beside the end of a day also marks that day's snapshot. */
const NOON = new Date().setUTCHours(12, 0, 0, 0);
const { api } = await fixture({ clock: NOON, env: { RATE_LIMITS: 'on' } });
let commands: string[] = [];
beforeAll(async () => {
  api.ctx.db.connection.getClient().on('commandStarted', ({ commandName, command }) => {
    if (!UNCOUNTED.has(commandName)) commands.push(nameOf(commandName, command));
  });
});

function nameOf(commandName: string, command: Record<string, unknown>): string {
  const target = command[commandName];
  // The embedded store carries out some finds as aggregations: either is one read.
  const name = commandName === 'aggregate' ? 'find' : commandName;
  return typeof target === 'string' ? `${name} ${target}` : name;
}

/** The commands of one POST, of which every signal must be answered with `status`. */
async function commandsOf(
  key: string,
  signals: unknown[],
  { status = 'accepted', historical = false } = {},
): Promise<string[]> {
  commands = [];
  const { body } = await api.call('/api/v1/signals', { key, body: { signals, historical } });
  expect(new Set(body.results.map((result: { status: string }) => result.status))).toEqual(new Set([status]));
  return commands;
}

const KNOWN_SESSION = ['find api_keys', 'find session_heads', 'bulkWrite', 'commitTransaction'];

describe('POST /api/v1/signals asks MongoDB', () => {
  test('four times for a signal of a known session, and for one that opens a session', async () => {
    const { key } = await makeTenant(api.ctx);
    const now = api.ctx.clock.now();
    await commandsOf(key, [makeSignal({ ts: now })]);
    await commandsOf(key, [makeSignal({ ts: now })]);
    expect(await commandsOf(key, [makeSignal({ ts: now })])).toEqual(KNOWN_SESSION);
    expect(await commandsOf(key, [makeSignal({ ts: now, user_id: 'new' })])).toEqual(KNOWN_SESSION);
  });

  test('once per collection and fifty rows to write many signals, and before that whether history is new', async () => {
    const { key } = await makeTenant(api.ctx);
    const ts = api.ctx.clock.now();
    await commandsOf(key, [makeSignal({ ts })]);
    const many = () => Array.from({ length: 51 }, () => makeSignal({ ts }));
    const [keys, heads] = KNOWN_SESSION;
    const looks = ['find organization_versions', 'find signals'];
    const each = [
      'update organization_versions',
      'insert signals',
      'insert signals',
      'update rollups',
      'update sessions',
    ];
    // A mongod takes all of a plan at once.
    const writes = [...(api.ctx.db.isEmbedded ? each : ['bulkWrite']), 'commitTransaction'];
    expect(await commandsOf(key, many())).toEqual([keys, heads, ...writes]);
    expect(await commandsOf(key, many(), { historical: true })).toEqual([keys, ...looks, heads, ...writes]);
  });

  test('whether a signal was recorded before only when its key is taken', async () => {
    const { key } = await makeTenant(api.ctx);
    const signal = makeSignal({ ts: api.ctx.clock.now() });
    await commandsOf(key, [signal]);
    expect(await commandsOf(key, [signal], { status: 'duplicate' })).toEqual([
      ...KNOWN_SESSION.slice(0, -1),
      'abortTransaction',
      'find organization_versions',
      'find signals',
      'commitTransaction',
    ]);
  });

  test('again when a key without a session is in rollups, and adds to these', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const signal = () => makeSignal({ ts: api.ctx.clock.now() });
    const { body } = await api.call('/api/v1/signals', { key, body: { signals: [signal()] } });
    await closeSession(api.ctx, { orgId, userId: null }, body.results[0].session_id);
    await sessionHeadRows(api.ctx).deleteMany({});
    expect(await commandsOf(key, [signal()])).toContain('abortTransaction');
    const rollups = await rollupRows(api.ctx).find({ org_id: orgId }).toArray();
    expect(rollups.map(({ signals }) => signals)).toEqual([2, 2]);
  });

  test('as often for five signals of five users, with budgets that count them', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const ts = api.ctx.clock.now();
    const fields = { name: 'B', scope: 'org', metric: 'signals', window: 'daily', threshold: 5 } as const;
    await createBudget(api.ctx, orgId, fields);
    await commandsOf(key, [makeSignal({ ts })]);
    const signals = Array.from({ length: 5 }, (_, index) => makeSignal({ ts, user_id: `user-${index}` }));
    expect(await commandsOf(key, signals)).toEqual(KNOWN_SESSION);
  });

  test('once more for late signals of a user who had a session in the day before, else twice', async () => {
    const { key } = await makeTenant(api.ctx);
    const now = api.ctx.clock.now();
    await commandsOf(key, [makeSignal({ ts: now })]);
    const [keys, heads, ...rest] = KNOWN_SESSION;
    const late = (hours: number) => commandsOf(key, [makeSignal({ ts: now - hours * 3_600_000 })]);
    expect(await late(240)).toEqual([keys, heads, 'find sessions', 'find sessions', ...rest]);
    expect(await late(237)).toEqual([keys, heads, 'find sessions', ...rest]);
  });

  test('for the rules by which signals count only after they have changed', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const ts = api.ctx.clock.now();
    await commandsOf(key, [makeSignal({ ts })]);
    await createBudget(api.ctx, orgId, {
      name: 'B',
      scope: 'org',
      metric: 'signals',
      window: 'daily',
      threshold: 5,
    });
    expect(await commandsOf(key, [makeSignal({ ts })])).toEqual([
      ...KNOWN_SESSION.slice(0, -1),
      'abortTransaction',
      'find organization_versions',
      'find organizations',
      'find budgets',
      'find webhooks',
      'find signals',
      ...KNOWN_SESSION.slice(1),
    ]);
    expect(await commandsOf(key, [makeSignal({ ts })])).toEqual(KNOWN_SESSION);
  });
});

test('closing a session is one transaction of four commands', async () => {
  const { orgId, key } = await makeTenant(api.ctx);
  const { body } = await api.call('/api/v1/signals', {
    key,
    body: { signals: [makeSignal({ ts: api.ctx.clock.now() })] },
  });
  commands = [];
  await closeSession(api.ctx, { orgId, userId: null }, body.results[0].session_id);
  expect(commands).toEqual(['find organization_versions', 'find sessions', 'bulkWrite', 'commitTransaction']);
});
