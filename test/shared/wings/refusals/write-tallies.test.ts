import { expect, test } from 'vitest';
import type { Refusal } from '../../../../shared/core/limits/enforcement/check/refused.ts';
import type { Context } from '../../../../shared/platform/context/context.ts';
import { refusalRows } from '../../../../shared/wings/refusals/model.ts';
import {
  createTallies,
  type MinuteTally,
  type Tallies,
  type Tally,
} from '../../../../shared/wings/refusals/tally.ts';
import { writeTallies } from '../../../../shared/wings/refusals/write-tallies.ts';
import { storesFixture } from '../../../support/fixture.ts';

const { ctx, tenant } = await storesFixture();

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-24T10:00:30Z');

const refusalOf = (orgId: string, fields: Partial<Refusal> = {}): Refusal => ({
  orgId,
  userId: 'ada',
  budgetId: 'bud_1',
  way: 'check',
  cause: 'spent',
  adapter: null,
  estimateNusd: null,
  clientSession: null,
  ...fields,
});

/** The refused calls of an organization that MongoDB has, by user. */
async function countsOf(orgId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const row of await refusalRows(ctx).find({ org_id: orgId }).toArray()) {
    const sum = Object.values(row.counts).reduce((all, count) => all + count, 0);
    counts[String(row.user_id)] = (counts[String(row.user_id)] ?? 0) + sum;
  }
  return counts;
}

/** A context whose rows of refusals meet this fault in the first bulk write, before or after it is carried out. */
function faulty(when: 'before' | 'after'): Context {
  let isDone = false;
  const database = new Proxy(ctx.db.database, {
    get: (target, name) => {
      if (name !== 'collection') return Reflect.get(target, name);
      return (collectionName: string) => {
        const handle = target.collection(collectionName);
        const bulkWrite = handle.bulkWrite.bind(handle);
        handle.bulkWrite = async (...args) => {
          if (isDone) return bulkWrite(...args);
          isDone = true;
          if (when === 'after') await bulkWrite(...args);
          throw new Error('the connection is gone');
        };
        return handle;
      };
    },
  });
  return { ...ctx, db: { ...ctx.db, database } };
}

/** Tallies of one refused call of each of these people, and a write of what they have not written. */
function tallied(process: string, orgId: string, users: readonly string[], on: Context = ctx) {
  const tallies = createTallies(process);
  const add = (userId: string, atMs = NOW) => tallies.add(refusalOf(orgId, { userId }), atMs);
  for (const user of users) add(user);
  return { tallies, add, write: () => writeTallies(on, tallies, tallies.unwritten()) };
}
const people = (count: number, name = 'user') => Array.from({ length: count }, (_, at) => `${name}-${at}`);

test.each(['before', 'after'] as const)(
  'a write that fails %s it is carried out is repeated, and counts each call once',
  async (when) => {
    const { orgId } = await tenant();
    const { tallies, add, write } = tallied('one-', orgId, ['ada', 'ada', 'bob'], faulty(when));
    await expect(write()).rejects.toThrow('gone');
    add('ada', NOW + 1);
    await write();
    await write();
    expect(await countsOf(orgId)).toEqual({ ada: 3, bob: 1 });
    expect(tallies.unwritten()).toEqual([]);
  },
);

test('two writes of one process at the same time count each call once', async () => {
  const { orgId } = await tenant();
  await tallied('other-', orgId, people(100, 'more')).write();
  const { write } = tallied('twice-', orgId, [...people(990), ...people(110)]);
  await Promise.all([write(), write()]);
  const counts = await countsOf(orgId);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(1_200);
  expect(Object.keys(counts)).toHaveLength(1_001);
});

test('calls that come while others are written wait for the next write', async () => {
  const { orgId } = await tenant();
  await tallied('beside-', orgId, ['other']).write();
  const { add, write } = tallied('busy-', orgId, people(999));
  const writing = write();
  add('late');
  await writing;
  await write();
  const { null: leftOut, ...named } = await countsOf(orgId);
  expect([Object.keys(named).length, leftOut, named.late]).toEqual([1_000, 1, undefined]);
});

test('a minute that is over and written is forgotten, and a clock that goes back loses no call', async () => {
  const { orgId } = await tenant();
  const { tallies, add, write } = tallied('back-', orgId, ['ada']);
  tallies.forget(NOW + MINUTE);
  expect(tallies.unwritten()).toHaveLength(1);
  await write();
  tallies.forget(NOW + MINUTE);
  add('ada', NOW + 1);
  await write();
  expect(await countsOf(orgId)).toEqual({ ada: 2 });
});

/** The ends of rows of people that a process keeps. */
const ENDS: Record<string, (tallies: Tallies, minute: MinuteTally, tally: Tally) => void> = {
  'left out': (tallies, minute, tally) => tallies.leaveOut(minute, tally),
  'written and over': () => undefined,
};

test.each(Object.entries(ENDS))(
  'a process names 20,000 rows at once, and as many again once those are %s',
  (_, end) => {
    const tallies = createTallies('long-');
    const all = () => tallies.unwritten().flatMap((minute) => [...new Set(minute.tallies.values())]);
    /** Counts calls of 1,000 people in each of 21 minutes. Returns how many rows have a person. */
    const countNamed = (fromMs: number) => {
      for (let minute = 0; minute <= 20; minute += 1)
        for (let user = 0; user < 1_000; user += 1)
          tallies.add(refusalOf('org_1', { userId: `user-${user}` }), fromMs + minute * MINUTE);
      return all().filter(({ refusal }) => refusal.userId !== null).length;
    };
    for (const fromMs of [NOW, NOW + 60 * MINUTE, NOW + 120 * MINUTE]) {
      expect(countNamed(fromMs)).toBe(20_000);
      for (const minute of tallies.unwritten())
        for (const tally of new Set(minute.tallies.values()))
          if (tally.refusal.userId !== null) end(tallies, minute, tally);
      expect(all().reduce((sum, { count }) => sum + count, 0)).toBe(21_000);
      for (const tally of all()) tally.written = tally.count;
      tallies.forget(fromMs + 60 * MINUTE);
    }
  },
);
