import { mongo } from 'mongoose';
import { type Fields, namespaceOf, type Statement } from './wire.ts';

/** One insert, update or delete of a command, with the names that all commands share. */
export interface Write {
  namespace: string;
  /** Absent of an insert. */
  filter?: Fields;
  /** The row that is inserted, or that takes the place of another one. */
  row?: Fields;
  /** Operators such as `$set`. */
  operators?: Fields;
  isUpsert: boolean;
}

const WRITES = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];

export function isWrite({ name }: Pick<Statement, 'name'>): boolean {
  return WRITES.includes(name);
}

/** The writes of one command, in their order. */
export function writesOf({ name, body }: Statement): Write[] {
  const namespace = namespaceOf({ name, body });
  switch (name) {
    case 'insert':
      return listOf(body.documents).map((row) => ({ namespace, row, isUpsert: false }));
    case 'update':
      return listOf(body.updates).map((update) => changeOf(namespace, update.q, update.u, update.upsert));
    case 'delete':
      return listOf(body.deletes).map(({ q }) => changeOf(namespace, q));
    case 'findAndModify':
      return [changeOf(namespace, body.query, body.update, body.upsert)];
    case 'bulkWrite': {
      const namespaces = listOf(body.nsInfo).map(({ ns }) => String(ns));
      return listOf(body.ops).map((write) => bulkWriteOf(namespaces, write));
    }
    default:
      return [];
  }
}

function bulkWriteOf(namespaces: readonly string[], write: Fields): Write {
  const namespace = namespaces[Number(write.insert ?? write.update ?? write.delete)] ?? '';
  if ('insert' in write) return { namespace, row: write.document as Fields, isUpsert: false };
  return changeOf(namespace, write.filter, write.updateMods, write.upsert);
}

function changeOf(namespace: string, filter: unknown, update?: unknown, upsert?: unknown): Write {
  const isPipeline = Array.isArray(update) || typeof update !== 'object' || update === null;
  const hasOperators = !isPipeline && Object.keys(update).some((key) => key.startsWith('$'));
  return {
    namespace,
    filter: (filter ?? {}) as Fields,
    ...(isPipeline ? {} : hasOperators ? { operators: update as Fields } : { row: update as Fields }),
    isUpsert: upsert === true,
  };
}

/** The rows that a command writes, as far as it names them by `_id`. */
export function rowsOf(command: Statement): string[] {
  return writesOf(command).flatMap(({ namespace, filter, row }) =>
    idsOf((filter ?? row)?._id).map((id) => `${namespace} ${id}`),
  );
}

function idsOf(condition: unknown): string[] {
  if (condition === undefined) return [];
  if (!isOperators(condition)) return [keyOf(condition)];
  if (Array.isArray(condition.$in)) return condition.$in.map(keyOf);
  return '$eq' in condition ? [keyOf(condition.$eq)] : [];
}

function keyOf(id: unknown): string {
  return typeof id === 'string' ? id : mongo.BSON.EJSON.stringify(id);
}

/** True of a condition such as `{ $gt: 1 }`; false of a value to compare with. */
export function isOperators(condition: unknown): condition is Fields {
  return (
    typeof condition === 'object' &&
    condition !== null &&
    !('_bsontype' in condition) &&
    Object.keys(condition).some((key) => key.startsWith('$'))
  );
}

/** A list of documents; empty where a command has none. */
export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value : [];
}
