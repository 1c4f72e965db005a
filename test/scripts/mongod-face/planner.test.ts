import { describe, expect, test } from 'vitest';
import { planOf, type Read, readsOf } from '../../../scripts/mongod-face/planner.ts';

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
      'equal fields, then a range',
      read({ org_id: 'o', at: { $gt: 1 } }),
      { bounded: 2, equal: 1, isSorted: true },
    ],
    ['an order either way', read({ org_id: 'o' }, { at: -1, _id: -1 }), { equal: 1, isSorted: true }],
    [
      'no order with a missing field',
      read({ work: 'w' }, { at: 1, _id: 1 }),
      { index: 'work,at', isSorted: false },
    ],
    ['no order that turns round', read({ org_id: 'o' }, { at: 1, _id: -1 }), { isSorted: false }],
    ['a primary key', read({ _id: { $in: ['a'] }, org_id: 'o' }), { index: '_id' }],
  ])('serves %s', (_, asked, plan) => {
    expect(planOf(asked, { indexes })).toMatchObject(plan);
  });

  test.each([
    ['a field that no index begins with', read({ at: 1 })],
    ['a partial index that lacks some of the rows', read({ work: { $gte: '' } })],
  ])('reads everything for %s', (_, asked) => {
    expect(planOf(asked, { indexes })).toBeNull();
  });
});

describe('the reads of a command', () => {
  const none = { sort: {}, isLimited: false };

  test('are its filter and its order, of leading filters together', () => {
    const pipeline = [{ $match: { org_id: 'o' } }, { $match: { n: 1 } }, { $sort: { at: 1 } }, { $limit: 2 }];
    expect(readsOf({ name: 'aggregate', body: { aggregate: 'things', pipeline } })).toEqual([
      { collection: 'things', filter: { org_id: 'o', n: 1 }, sort: { at: 1 }, isLimited: true },
    ]);
  });

  test('are also those of a look-up in another collection', () => {
    const $lookup = { from: 'others', foreignField: 'key', pipeline: [{ $match: { org_id: 'o' } }], as: 'x' };
    const body = { aggregate: 'things', pipeline: [{ $match: { a: 1 } }, { $lookup }] };
    expect(readsOf({ name: 'aggregate', body })).toEqual([
      { collection: 'things', filter: { a: 1 }, ...none },
      { collection: 'others', filter: { key: null, org_id: 'o' }, ...none },
    ]);
  });

  test('are the rows that writes look for, and none of an insert', () => {
    const ops = [
      { insert: 0, document: { _id: 'a' } },
      { update: 1, filter: { state: 'due' }, updateMods: { $set: { n: 1 } } },
    ];
    const body = { bulkWrite: 1, ops, nsInfo: [{ ns: 'shop.things' }, { ns: 'shop.others' }] };
    expect(readsOf({ name: 'bulkWrite', body })).toEqual([
      { collection: 'others', filter: { state: 'due' }, ...none },
    ]);
  });
});
