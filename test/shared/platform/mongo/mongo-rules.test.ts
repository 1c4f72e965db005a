import { describe, expect, test } from 'vitest';
import { violationsOf } from '../../../support/mongo-rules.ts';
import { planOf, type Read } from '../../../support/query-planner.ts';

const DECLARED = new Map([
  ['things', { indexes: [{ key: { tags: 1, marks: 1 } }], shardKey: { org_id: 1, _id: 1 } as const }],
]);
const inTransaction = { autocommit: false };

describe('a command that MongoDB would refuse', () => {
  test.each([
    ['a count in a transaction', 'count', { count: 'things', query: {}, ...inTransaction }],
    [
      'a read concern after the first command',
      'find',
      { find: 'things', filter: {}, readConcern: {}, ...inTransaction },
    ],
    [
      'a stage that reads other data',
      'aggregate',
      { aggregate: 'things', pipeline: [{ $unionWith: 'x' }], ...inTransaction },
    ],
    ['a limit of nothing', 'aggregate', { aggregate: 'things', pipeline: [{ $limit: 0 }] }],
    ['an empty $or', 'find', { find: 'things', filter: { $or: [] } }],
    ['two operators on one path', 'update', updateOf({ $set: { a: 1 }, $inc: { 'a.b': 1 } })],
    [
      'two lists in one index',
      'insert',
      { insert: 'things', documents: [{ _id: 'a', tags: [], marks: [] }] },
    ],
    [
      'a partial index by $exists: false',
      'createIndexes',
      indexOf({ partialFilterExpression: { a: { $exists: false } } }),
    ],
    ['a TTL index of two fields', 'createIndexes', indexOf({ key: { a: 1, b: 1 }, expireAfterSeconds: 1 })],
  ])('is noticed: %s', (_, name, command) => {
    expect(violationsOf(name, command, DECLARED)).not.toEqual([]);
  });

  test('is not seen in a usual one', () => {
    expect(violationsOf('update', updateOf({ $set: { a: 1 }, $inc: { b: 1 } }), DECLARED)).toEqual([]);
  });
});

function updateOf(update: object) {
  return { update: 'things', updates: [{ q: { _id: 'a', org_id: 'o' }, u: update }] };
}

function indexOf(index: object) {
  return { createIndexes: 'things', indexes: [{ key: { a: 1 }, ...index }] };
}

describe('the planner', () => {
  const read = (filter: Read['filter'], sort: Read['sort'] = {}): Read => ({
    collection: 'things',
    filter,
    sort,
    isLimited: true,
  });
  const indexes = [
    { key: { org_id: 1, at: 1, _id: 1 } },
    { key: { work: 1, at: 1 }, partialFilterExpression: { work: { $gt: '' } } },
  ] as const;

  test.each([
    [
      'serves equal fields, then a range',
      read({ org_id: 'o', at: { $gt: 1 } }),
      { bounded: 2, equal: 1, isSorted: true },
    ],
    ['serves an order either way', read({ org_id: 'o' }, { at: -1, _id: -1 }), { equal: 1, isSorted: true }],
    [
      'does not serve an order of which a field is missing',
      read({ work: 'w' }, { at: 1, _id: 1 }),
      { index: 'work,at', isSorted: false },
    ],
    [
      'does not serve an order that turns round',
      read({ org_id: 'o' }, { at: 1, _id: -1 }),
      { isSorted: false },
    ],
    ['goes by the primary key', read({ _id: { $in: ['a'] }, org_id: 'o' }), { index: '_id' }],
  ])('%s', (_, asked, plan) => {
    expect(planOf(asked, { indexes })).toMatchObject(plan);
  });

  test.each([
    ['a field that no index begins with', read({ at: 1 })],
    ['a partial index that lacks some of the rows', read({ work: { $gte: '' } })],
  ])('reads everything for %s', (_, asked) => {
    expect(planOf(asked, { indexes })).toBeNull();
  });
});
