import { beforeAll, describe, expect, test } from 'vitest';
import { listAudit } from '../../../../shared/core/accounts/audit/list-audit.ts';
import { auditRows } from '../../../../shared/core/accounts/audit/model.ts';
import { listSessions } from '../../../../shared/core/calls/sessions/list-sessions.ts';
import { collection } from '../../../../shared/platform/mongo/collection.ts';
import { inTransaction } from '../../../../shared/platform/mongo/transaction.ts';
import { applyWrites, updateRow } from '../../../../shared/platform/mongo/writes.ts';
import { storesFixture } from '../../../support/fixture.ts';
import type { TestContext } from '../../../support/harness.ts';

const DAY_MS = 86_400_000;
const SPARSE = 4;

/** The commands that this context sends, with their names, oldest first. */
const sent: { name: string; command: Record<string, unknown> }[] = [];
const { ctx } = await storesFixture();
ctx.db.connection.getClient().on('commandStarted', ({ commandName: name, command }) => {
  sent.push({ name, command: command as Record<string, unknown> });
});

/** Does work as with a store of this kind, and returns the commands that it sent. */
async function commandsOf(db: Partial<TestContext['db']>, work: () => Promise<unknown>) {
  const { isEmbedded, isOneSet } = ctx.db;
  Object.assign(ctx.db, db);
  sent.length = 0;
  await work().finally(() => Object.assign(ctx.db, { isEmbedded, isOneSet }));
  return sent.filter(({ name }) => !name.endsWith('Transaction'));
}

const PAGE = { order: 'desc', limit: 20, after: null, total: null } as const;

describe('a list of few entries over a year', () => {
  const orgId = 'org_sparse';
  beforeAll(async () => {
    const nowMs = ctx.clock.now();
    const row = { org_id: orgId, action: 'org.update', actor: 'operator', details: {} };
    const rows = Array.from({ length: SPARSE }, (_, at) => {
      return { ...row, _id: `aud_sparse_${at}`, at: new Date(nowMs - at * 90 * DAY_MS) };
    });
    await auditRows(ctx).insertMany(rows as never[]);
  });
  const list = async (limit: number) => {
    const { rows, total, hasMore } = await listAudit(ctx, orgId, {}, { ...PAGE, limit });
    return { ids: rows.map(({ _id }) => _id), total, hasMore };
  };

  test('is the same whether the store stops at a limit or not', async () => {
    for (const limit of [1, 2, SPARSE, 20]) {
      let found: unknown[] = [];
      for (const isEmbedded of [true, false])
        await commandsOf({ isEmbedded }, async () => {
          found = [...found, await list(limit)];
        });
      expect(found[0]).toEqual(found[1]);
    }
  });

  test('takes one question where it does, and another one that counts no further than is shown', async () => {
    const commands = await commandsOf({ isEmbedded: false }, () => list(2));
    expect(commands.map(({ name }) => name)).toEqual(['find', 'aggregate']);
    expect(commands[1]?.command.pipeline).toContainEqual({ $limit: 10_001 });
  });

  test('comes in ranges that widen where it does not', async () => {
    const commands = await commandsOf({ isEmbedded: true }, () => list(20));
    expect(commands.length).toBeGreaterThan(4);
  });
});

test('sessions are kept by what is looked up of them once they are in order, before the limit', async () => {
  const having = [{ $lookup: { from: 'notes', localField: '_id', foreignField: 'of', as: 'notes' } }];
  const of = { having: [...having, { $match: { notes: [] } }, { $unset: 'notes' }] };
  for (const sort of ['started_at', 'tokens'] as const) {
    const page = { ...PAGE, sort, total: 501 };
    const [first] = await commandsOf({ isEmbedded: false }, () => listSessions(ctx, 'org_none', of, page));
    const stages = ((first?.command.pipeline ?? []) as object[]).map((stage) => Object.keys(stage)[0]);
    expect(stages.slice(stages.indexOf('$sort'))).toEqual(['$sort', '$lookup', '$match', '$unset', '$limit']);
  }
});

test('one replica set gets rows by their id alone, and a router the shard key beside it', async () => {
  const things = collection<{ _id: string; org_id: string; n: number }>('things', {
    about: 'A thing.',
    fields: { _id: String, org_id: String, n: Number },
    shardKey: { org_id: 1, _id: 1 },
  });
  const write = (isOneSet: boolean) =>
    commandsOf({ isEmbedded: false, isOneSet }, () =>
      inTransaction(ctx.db, async (transaction) => {
        await things(ctx).findOne({ _id: 'none' }, { session: transaction });
        const row = { _id: `t ${isOneSet}`, org_id: 'org_a' };
        const update = updateRow(things, row, { $inc: { n: 1 } }, { upsert: true });
        await applyWrites(ctx, [update], transaction);
      }),
    );
  const filterOf = (commands: Awaited<ReturnType<typeof write>>) =>
    ((commands.at(-1)?.command.ops ?? []) as { filter: object }[]).map(({ filter }) => filter);
  expect(filterOf(await write(true))).toEqual([{ _id: 't true' }]);
  expect(filterOf(await write(false))).toEqual([{ _id: 't false', org_id: 'org_a' }]);
  expect(await things(ctx).find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: 't false', org_id: 'org_a', n: 1 },
    { _id: 't true', org_id: 'org_a', n: 1 },
  ]);
});
