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

const TRANSACTION = { autocommit: false, txnNumber: 1, lsid: { id: new mongo.BSON.UUID() } };
const inTransaction = (name: string, body: Fields = {}) =>
  command(name, 'things', { ...TRANSACTION, ...body });
const find = (body: Fields) => command('find', 'things', body);
const aggregate = (...pipeline: Fields[]) => command('aggregate', 'things', { pipeline });
const insert = (...documents: Fields[]) => command('insert', 'things', { documents });
const update = (q: Fields, u: Fields) => command('update', 'things', { updates: [{ q, u }] });
const deletes = (count: number) =>
  command('delete', 'things', { deletes: Array.from({ length: count }, () => ({ q: {}, limit: 1 })) });
const index = (more: Fields, key: Fields = { a: 1 }) =>
  command('createIndexes', 'things', { indexes: [{ key, name: 'a', ...more }] });
const partial = (partialFilterExpression: Fields) => index({ partialFilterExpression });
const manyIndexes = Array.from({ length: 64 }, (_, at) => ({ key: { [`f${at}`]: 1 }, name: `f${at}` }));
const createIndexes = (indexes: Fields[]) => command('createIndexes', 'things', { indexes });
const at = (mode: string) => ({ $readPreference: { mode } });

test.each<[string, Command, number]>([
  ['a count in a transaction', inTransaction('count'), 263],
  ['$out in a transaction', inTransaction('aggregate', { pipeline: [{ $out: 'x' }] }), 263],
  ['another collection in one', inTransaction('aggregate', { pipeline: [{ $unionWith: 'x' }] }), 263],
  ['killCursors as the first command of one', inTransaction('killCursors', { startTransaction: true }), 263],
  ['a negative limit', find({ limit: -1 }), 51024],
  ['a read concern in the middle of a transaction', inTransaction('find', { readConcern: {} }), 72],
  ['a write concern within one', inTransaction('insert', { writeConcern: { w: 1 } }), 72],
  ['a read at a secondary in one', inTransaction('find', at('secondaryPreferred')), 72],
  ['an unknown option of a command', find({ filters: {} }), 40415],
  ['an unknown option of an index', index({ expireAfter: 1 }), 197],
  ['$ne in a partial index', partial({ a: { $ne: 1 } }), 67],
  ['a missing field in a partial index', partial({ a: { $exists: false } }), 67],
  ['a TTL index of two fields', index({ expireAfterSeconds: 1 }, { a: 1, b: 1 }), 67],
  ['a 65th index', createIndexes(manyIndexes), 67],
  ['a batch of no writes', insert(), 16],
  ['a batch of 100,001 writes', deletes(100_001), 16],
  ['a row above 16 MiB', { ...insert({ text: 'a'.repeat(2 ** 24) }), bytes: 2 ** 24 + 100 }, 10334],
  ['a message above 48 MB', { ...insert({}), bytes: 48_000_001 }, 10334],
  ['two operators on one path', update({ _id: 1 }, { $set: { 'a.b': 1 }, $inc: { a: 1 } }), 40],
  ['a change of an _id', update({ _id: 1 }, { $set: { _id: 2 } }), 66],
  ['an empty $or', find({ filter: { $or: [] } }), 2],
  ['$in without a list', find({ filter: { a: { $in: 1 } } }), 2],
  ['a limit of 0 in a pipeline', aggregate({ $limit: 0 }), 2],
  ['a group without an _id', aggregate({ $group: { n: { $sum: 1 } } }), 2],
  ['a projection that includes and excludes', find({ projection: { a: 1, b: 0 } }), 2],
])('%s is refused', (_title, refused, code) => {
  expect(createRules().check(refused)?.code).toBe(code);
});

test.each<[string, Command]>([
  ['a batch of 100,000 writes', deletes(100_000)],
  ['63 indexes beside that of _id', createIndexes(manyIndexes.slice(1))],
  ['$gt in a partial index', partial({ a: { $gt: '' } })],
  ['a read at the primary in a transaction', inTransaction('find', at('primary'))],
  ['an aggregation in one', inTransaction('aggregate', { pipeline: [{ $match: {} }], cursor: {} })],
])('%s passes', (_title, allowed) => {
  expect(createRules().check(allowed)).toBeNull();
});

test('a row with two lists in one index is refused while the index exists', () => {
  const rules = createRules();
  const row = insert({ a: [1], b: [2] });
  expect(rules.check(row)).toBeNull();
  rules.learn(index({}, { a: 1, b: 1 }));
  expect(rules.check(row)?.code).toBe(171);
  rules.learn(command('dropDatabase', 1));
  expect(rules.check(row)).toBeNull();
});
