import { describe, expect, test } from 'vitest';
import type { Read } from '../../../../scripts/mongod-face/planner.ts';
import { sessionRows } from '../../../../shared/core/calls/sessions/model.ts';
import { openTestContext, type TestContext } from '../../../support/harness.ts';
import { isInOrder, isOfOneTenant } from '../../../support/judge-commands.ts';
import { IN_MEMORY, OF_ALL_TENANTS } from '../../../support/judged-reads.ts';

/**
 * Has commands sent that no test marks, and returns what the context says when it is closed. Behind the face of a mongod the answer to a
 * command that breaks a rule says so at once.
 */
async function verdictOf(send: (ctx: TestContext) => Promise<unknown>): Promise<string> {
  const ctx = await openTestContext({ isJudged: true });
  const messageOf = (error: Error) => error.message;
  const answer = await send(ctx).then(() => '', messageOf);
  const verdict = await ctx.close().then(() => 'fine', messageOf);
  return ctx.db.isEmbedded ? verdict : [answer, verdict].filter((words) => words !== '').join(' ');
}

/** A command of which the store need not approve. */
const inTransaction = ({ db }: TestContext, command: object) =>
  db.connection
    .getClient()
    .withSession((session) =>
      session.withTransaction(() => db.database.command({ ...command }, { session })),
    );

const NOTES = { from: 'signals', localField: 'model', foreignField: 'model', as: 'x' };
const update = (q: object, u: object, more: object = {}, of = 'sessions') => ({
  update: of,
  updates: [{ q, u, ...more }],
});

describe('a test context fails when it is closed if the product', () => {
  test.each<[what: string, command: object, words: string]>([
    ['reads rows of all tenants', { find: 'sessions', filter: { user_id: 'ada' } }, 'sessions by user_id'],
    [
      'puts a list in order in memory',
      { find: 'sessions', filter: { org_id: 'o' }, sort: { ended_at: 1 } },
      'in memory',
    ],
    [
      'looks up rows of all tenants',
      { aggregate: 'sessions', pipeline: [{ $match: { _id: 's' } }, { $lookup: NOTES }], cursor: {} },
      'signals by model',
    ],
    [
      'changes rows of all tenants',
      update({ user_id: 'ada' }, { $set: { n: 1 } }, { multi: true }),
      'sessions by user_id',
    ],
    ['changes a shard key', update({ _id: 's' }, { $set: { org_id: 'o' } }), 'shard key'],
    [
      'inserts without an id of its own',
      update({ kind: 'k', org_id: 'o' }, { $set: { n: 1 } }, { upsert: true }, 'due'),
      'ObjectId',
    ],
    ['contradicts itself', update({ _id: 's' }, { $set: { 'a.b': 1 }, $unset: { a: 1 } }), 'conflict'],
  ])('%s', async (_, command, words) => {
    const verdict = await verdictOf(({ db }) => db.database.command(command));
    expect(verdict).toContain(words);
  });

  test('runs in a transaction what may not run there', async () => {
    const verdict = await verdictOf((ctx) => inTransaction(ctx, { count: 'sessions', query: { _id: 's' } }));
    expect(verdict).toContain("Cannot run 'count'");
  });
});

describe('a test context says nothing', () => {
  test('of a read by an index that begins with the tenant', async () => {
    const command = { find: 'sessions', filter: { org_id: 'o' }, sort: { started_at: 1, _id: 1 } };
    expect(await verdictOf(({ db }) => db.database.command(command))).toBe('fine');
  });

  test('of how a test reads and writes', async () => {
    const verdict = await verdictOf(async (ctx) => {
      await sessionRows(ctx).find({ user_id: 'ada' }).sort({ ended_at: 1 }).toArray();
      await sessionRows(ctx).findOne({ user_id: 'ada' });
      await sessionRows(ctx).countDocuments({ user_id: 'ada' });
      await sessionRows(ctx).updateMany({ user_id: 'ada' }, { $set: { model: 'm' } });
      await sessionRows(ctx).deleteMany({});
    });
    expect(verdict).toBe('fine');
  });
});

/** The read of a shape, with values that no row has. */
function readOf(shape: string): Read {
  const [, collection = '', fields = '', order = ''] =
    /^(\w+) by (\S+)(?: in order of (\S+))?$/.exec(shape) ?? [];
  const named = fields.split(',').filter((field) => field !== 'nothing');
  return {
    collection,
    filter: Object.fromEntries(
      named.map((field) => (field.startsWith('~') ? [field.slice(1), { $gt: '' }] : [field, 'x'])),
    ),
    // The digests want the most expensive first and then the lowest id, which no index has; else one way serves as well as the other.
    sort: Object.fromEntries(
      order
        .split(',')
        .flatMap((field, at) => (field ? [[field, order.startsWith('cost') && at === 0 ? -1 : 1]] : [])),
    ),
    isLimited: false,
  };
}

describe('an exception', () => {
  test.each(Object.entries(OF_ALL_TENANTS))('is none that an index serves: %s, %s', (shape) => {
    expect(isOfOneTenant(readOf(shape))).toBe(false);
  });

  test.each(Object.entries(IN_MEMORY))('is none that an index has in order: %s, %s', (shape) => {
    expect(isInOrder(readOf(shape))).toBe(false);
  });
});
