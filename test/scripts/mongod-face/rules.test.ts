import { mongo } from 'mongoose';
import { expect, test } from 'vitest';
import { createRules } from '../../../scripts/mongod-face/rules/index.ts';
import type { Command, Fields } from '../../../scripts/mongod-face/wire.ts';

function command(name: string, value: unknown, body: Fields = {}): Command {
  return {
    requestId: 1,
    name,
    body: { [name]: value, $db: 'shop', ...body },
    bytes: 1_000,
    largestDocument: 0,
    isAnswered: true,
    isQuery: false,
  };
}

const inTransaction = { autocommit: false, txnNumber: 1, lsid: { id: new mongo.BSON.UUID() } };
const index = (more: Fields, key: Fields = { a: 1 }) =>
  command('createIndexes', 'things', { indexes: [{ key, name: 'a', ...more }] });
const manyIndexes = Array.from({ length: 64 }, (_, at) => ({ key: { [`f${at}`]: 1 }, name: `f${at}` }));
const update = (q: Fields, u: Fields) => command('update', 'things', { updates: [{ q, u }] });

test.each<[string, Command, number]>([
  ['a count in a transaction', command('count', 'things', inTransaction), 263],
  [
    '$out in a transaction',
    command('aggregate', 'things', { ...inTransaction, pipeline: [{ $out: 'x' }] }),
    263,
  ],
  [
    'another collection in a transaction',
    command('aggregate', 'things', { ...inTransaction, pipeline: [{ $unionWith: 'x' }] }),
    263,
  ],
  [
    'killCursors as the first command of a transaction',
    command('killCursors', 'things', { ...inTransaction, startTransaction: true }),
    263,
  ],
  ['a negative limit', command('find', 'things', { limit: -1 }), 51024],
  [
    'a read concern in the middle of a transaction',
    command('find', 'things', { ...inTransaction, readConcern: {} }),
    72,
  ],
  [
    'a write concern within a transaction',
    command('insert', 'things', { ...inTransaction, writeConcern: { w: 1 } }),
    72,
  ],
  [
    'a read at a secondary in a transaction',
    command('find', 'things', { ...inTransaction, $readPreference: { mode: 'secondaryPreferred' } }),
    72,
  ],
  ['an unknown option of a command', command('find', 'things', { filters: {} }), 40415],
  ['an unknown option of an index', index({ expireAfter: 1 }), 197],
  ['$ne in a partial index', index({ partialFilterExpression: { a: { $ne: 1 } } }), 67],
  ['a missing field in a partial index', index({ partialFilterExpression: { a: { $exists: false } } }), 67],
  ['a TTL index of two fields', index({ expireAfterSeconds: 1 }, { a: 1, b: 1 }), 67],
  ['a 65th index', command('createIndexes', 'things', { indexes: manyIndexes }), 67],
  ['a batch of no writes', command('insert', 'things', { documents: [] }), 16],
  [
    'a batch of 100,001 writes',
    command('delete', 'things', { deletes: Array.from({ length: 100_001 }, () => ({ q: {}, limit: 1 })) }),
    16,
  ],
  [
    'a row above 16 MiB',
    { ...command('insert', 'things', { documents: [{ text: 'a'.repeat(2 ** 24) }] }), bytes: 2 ** 24 + 100 },
    10334,
  ],
  [
    'a message above 48 MB',
    { ...command('insert', 'things', { documents: [{}] }), bytes: 48_000_001 },
    10334,
  ],
  ['two operators on one path', update({ _id: 1 }, { $set: { 'a.b': 1 }, $inc: { a: 1 } }), 40],
  ['a change of an _id', update({ _id: 1 }, { $set: { _id: 2 } }), 66],
  ['an empty $or', command('find', 'things', { filter: { $or: [] } }), 2],
  ['$in without a list', command('find', 'things', { filter: { a: { $in: 1 } } }), 2],
  ['a limit of 0 in a pipeline', command('aggregate', 'things', { pipeline: [{ $limit: 0 }] }), 2],
  [
    'a group without an _id',
    command('aggregate', 'things', { pipeline: [{ $group: { n: { $sum: 1 } } }] }),
    2,
  ],
  ['a projection that includes and excludes', command('find', 'things', { projection: { a: 1, b: 0 } }), 2],
])('%s is refused', (_title, refused, code) => {
  expect(createRules().check(refused)?.code).toBe(code);
});

test.each<[string, Command]>([
  [
    'a batch of 100,000 writes',
    command('delete', 'things', { deletes: Array.from({ length: 100_000 }, () => ({ q: {}, limit: 1 })) }),
  ],
  ['63 indexes beside that of _id', command('createIndexes', 'things', { indexes: manyIndexes.slice(1) })],
  ['$gt in a partial index', index({ partialFilterExpression: { a: { $gt: '' } } })],
  [
    'a read at the primary in a transaction',
    command('find', 'things', { ...inTransaction, $readPreference: { mode: 'primary' } }),
  ],
  [
    'an aggregation in a transaction',
    command('aggregate', 'things', { ...inTransaction, pipeline: [{ $match: {} }], cursor: {} }),
  ],
])('%s passes', (_title, allowed) => {
  expect(createRules().check(allowed)).toBeNull();
});

test('a row with two lists in one index is refused while the index exists', () => {
  const rules = createRules();
  const row = command('insert', 'things', { documents: [{ a: [1], b: [2] }] });
  expect(rules.check(row)).toBeNull();
  rules.learn(index({}, { a: 1, b: 1 }));
  expect(rules.check(row)?.code).toBe(171);
  rules.learn(command('dropDatabase', 1));
  expect(rules.check(row)).toBeNull();
});
