import { describe, expect, test } from 'vitest';
import { closeSession } from '../../../../../shared/core/calls/ingest/end-session.ts';
import { sessionHeadRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { rollupRows } from '../../../../../shared/core/calls/usage/model.ts';
import { makeSignal } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';

/** Commands that the driver and the process send by themselves. */
const UNCOUNTED = new Set(['hello', 'ping', 'endSessions']);
/** Noon of today, UTC: a signal beside the end of a day also marks that day's snapshot. */
const NOON = new Date().setUTCHours(12, 0, 0, 0);
const own = await fixture({ clock: NOON, env: { RATE_LIMITS: 'on' }, perTest: true });
const { ctx } = own;
let commands: string[] = [];
ctx.db.connection.getClient().on('commandStarted', ({ commandName, command }) => {
  if (!UNCOUNTED.has(commandName)) commands.push(nameOf(commandName, command));
});
const COUNTED = { metric: 'signals', threshold: 5 } as const;
const call = (fields: object = {}) => makeSignal({ ts: NOON, ...fields });

function nameOf(commandName: string, command: Record<string, unknown>): string {
  const target = command[commandName];
  // The embedded store carries out some finds as aggregations: either is one read.
  const name = commandName === 'aggregate' ? 'find' : commandName;
  return typeof target === 'string' ? `${name} ${target}` : name;
}

/** The commands of one POST, of which every signal must be answered with `status`. */
async function commandsOf(
  signals: unknown[],
  { status = 'accepted', historical = false } = {},
): Promise<string[]> {
  commands = [];
  const { body } = await own.send('/api/v1/signals', { signals, historical });
  expect(new Set(body.results.map((result: { status: string }) => result.status))).toEqual(new Set([status]));
  return commands;
}

const KNOWN_SESSION = ['find api_keys', 'find session_heads', 'bulkWrite', 'commitTransaction'];

/** Posts one signal, and closes its session. */
async function openAndClose(): Promise<void> {
  const { results } = await own.ask('/api/v1/signals', { signals: [call()] });
  commands = [];
  await closeSession(ctx, { orgId: own.orgId, userId: null }, results[0].session_id);
}

describe('POST /api/v1/signals asks MongoDB', () => {
  test('four times for a signal of a known session, and for one that opens a session', async () => {
    for (let before = 0; before < 2; before += 1) await commandsOf([call()]);
    expect(await commandsOf([call()])).toEqual(KNOWN_SESSION);
    expect(await commandsOf([call({ user_id: 'new' })])).toEqual(KNOWN_SESSION);
  });

  test('once per collection and fifty rows to write many signals, and before that whether history is new', async () => {
    await commandsOf([call()]);
    const many = () => Array.from({ length: 51 }, () => call());
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
    const writes = [...(ctx.db.isEmbedded ? each : ['bulkWrite']), 'commitTransaction'];
    expect(await commandsOf(many())).toEqual([keys, heads, ...writes]);
    expect(await commandsOf(many(), { historical: true })).toEqual([keys, ...looks, heads, ...writes]);
  });

  test('whether a signal was recorded before only when its key is taken', async () => {
    const signal = call();
    await commandsOf([signal]);
    expect(await commandsOf([signal], { status: 'duplicate' })).toEqual([
      ...KNOWN_SESSION.slice(0, -1),
      'abortTransaction',
      'find organization_versions',
      'find signals',
      'commitTransaction',
    ]);
  });

  test('again when a key without a session is in rollups, and adds to these', async () => {
    await openAndClose();
    await sessionHeadRows(ctx).deleteMany({});
    expect(await commandsOf([call()])).toContain('abortTransaction');
    const rollups = await rollupRows(ctx).find({ org_id: own.orgId }).toArray();
    expect(rollups.map(({ signals }) => signals)).toEqual([2, 2]);
  });

  test('as often for five signals of five users, with budgets that count them', async () => {
    await own.budget(COUNTED);
    await commandsOf([call()]);
    const users = ['a', 'b', 'c', 'd', 'e'];
    expect(await commandsOf(users.map((user_id) => call({ user_id })))).toEqual(KNOWN_SESSION);
  });

  test('once more for late signals of a user who had a session in the day before, else twice', async () => {
    await commandsOf([call()]);
    const [keys, heads, ...rest] = KNOWN_SESSION;
    const late = (hours: number) => commandsOf([call({ ts: NOON - hours * 3_600_000 })]);
    expect(await late(240)).toEqual([keys, heads, 'find sessions', 'find sessions', ...rest]);
    expect(await late(237)).toEqual([keys, heads, 'find sessions', ...rest]);
  });

  test('for the rules by which signals count only after they have changed', async () => {
    await commandsOf([call()]);
    await own.budget(COUNTED);
    expect(await commandsOf([call()])).toEqual([
      ...KNOWN_SESSION.slice(0, -1),
      'abortTransaction',
      'find organization_versions',
      'find organizations',
      'find budgets',
      'find webhooks',
      'find signals',
      ...KNOWN_SESSION.slice(1),
    ]);
    expect(await commandsOf([call()])).toEqual(KNOWN_SESSION);
  });
});

test('closing a session is one transaction of four commands', async () => {
  await openAndClose();
  expect(commands).toEqual(['find organization_versions', 'find sessions', 'bulkWrite', 'commitTransaction']);
});
