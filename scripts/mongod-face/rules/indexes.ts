import type { mongo } from 'mongoose';
import type { Failure } from '../failures.ts';
import { type Fields, namespaceOf, type Statement } from '../wire.ts';
import { isOperators, listOf, writesOf } from '../writes.ts';

/** The indexes of each namespace, by name. */
export type KnownIndexes = Map<string, Map<string, mongo.IndexDescription>>;

/** https://www.mongodb.com/docs/manual/reference/limits/#mongodb-limit-Number-of-Indexes-per-Collection; one is that of `_id`. */
const MOST_INDEXES = 63;
/** https://www.mongodb.com/docs/manual/reference/limits/#mongodb-limit-Number-of-Indexed-Fields-in-a-Compound-Index */
const MOST_FIELDS = 32;
/** https://www.mongodb.com/docs/manual/core/index-partial/#create-a-partial-index */
const IN_PARTIAL = '$eq $exists $gt $gte $lt $lte $type $and $or $in'.split(' ');
/** https://www.mongodb.com/docs/manual/reference/command/createIndexes/#command-fields */
const OPTIONS =
  'key name unique partialFilterExpression sparse expireAfterSeconds hidden storageEngine weights default_language language_override textIndexVersion 2dsphereIndexVersion bits min max collation wildcardProjection v background'.split(
    ' ',
  );

/** Refuses indexes that mongod does not make. */
export function checkIndexes({ name, body }: Statement, known: KnownIndexes): Failure | null {
  if (name !== 'createIndexes') return null;
  const failures = listOf(body.indexes).flatMap(problemsOf);
  const names = new Set([
    ...(known.get(namespaceOf({ name, body }))?.keys() ?? []),
    ...(body.indexes as mongo.IndexDescription[]).map(nameOf),
  ]);
  if (names.size > MOST_INDEXES) failures.push(cannot('add index fails, too many indexes'));
  return failures[0] ?? null;
}

function problemsOf(index: Fields): Failure[] {
  const odd = Object.keys(index).find((option) => !OPTIONS.includes(option));
  if (odd) return [{ code: 197, message: `The field '${odd}' is not valid for an index specification.` }];
  const fields = Object.keys(index.key as Fields).length;
  if (fields > MOST_FIELDS) return [cannot(`An index of ${fields} fields; ${MOST_FIELDS} are the most.`)];
  // https://www.mongodb.com/docs/manual/core/index-ttl/#restrictions
  if (index.expireAfterSeconds !== undefined && fields > 1)
    return [cannot('TTL indexes are single-field indexes, compound indexes do not support TTL')];
  return problemsOfPartial((index.partialFilterExpression ?? {}) as Fields);
}

function problemsOfPartial(filter: Fields): Failure[] {
  return Object.entries(filter).flatMap(([field, condition]) => {
    if (field.startsWith('$'))
      return IN_PARTIAL.includes(field) ? listOf(condition).flatMap(problemsOfPartial) : [unsupported(field)];
    if (!isOperators(condition)) return [];
    const odd = Object.entries(condition).find(
      ([operator, value]) => !IN_PARTIAL.includes(operator) || (operator === '$exists' && value !== true),
    );
    return odd ? [unsupported(odd[0])] : [];
  });
}

/** https://www.mongodb.com/docs/manual/core/indexes/index-types/index-multikey/#compound-multikey-indexes */
export function checkLists(command: Statement, known: KnownIndexes): Failure | null {
  for (const { namespace, row, operators } of writesOf(command)) {
    const fields = row ?? ((operators?.$set ?? {}) as Fields);
    for (const { key } of known.get(namespace)?.values() ?? []) {
      const lists = new Set(Object.keys(key).flatMap((path) => listAt(fields, path)));
      if (lists.size > 1)
        return { code: 171, message: `cannot index parallel arrays [${[...lists].join('] [')}]` };
    }
  }
  return null;
}

/** The first list on a path, by its own path. */
function listAt(row: Fields, path: string): string[] {
  if (Array.isArray(row[path])) return [path];
  let value: unknown = row;
  const parts = path.split('.');
  for (const [at, part] of parts.entries()) {
    if (typeof value !== 'object' || value === null) return [];
    value = (value as Fields)[part];
    if (Array.isArray(value)) return [parts.slice(0, at + 1).join('.')];
  }
  return [];
}

/** True of the commands that `learnIndexes` follows. */
export function changesIndexes({ name }: Statement): boolean {
  return ['createIndexes', 'dropIndexes', 'drop', 'dropDatabase'].includes(name);
}

/** Remembers what was made, and forgets what was dropped. */
export function learnIndexes({ name, body }: Statement, known: KnownIndexes): void {
  const namespace = namespaceOf({ name, body });
  if (name === 'dropDatabase') {
    for (const other of known.keys()) if (other.startsWith(`${String(body.$db)}.`)) known.delete(other);
  } else if (name === 'createIndexes') {
    const indexes = known.get(namespace) ?? new Map<string, mongo.IndexDescription>();
    for (const index of body.indexes as mongo.IndexDescription[]) indexes.set(nameOf(index), index);
    known.set(namespace, indexes);
  } else if (typeof body.index === 'string' && body.index !== '*') known.get(namespace)?.delete(body.index);
  else known.delete(namespace);
}

function nameOf({ name, key }: mongo.IndexDescription): string {
  return name ?? JSON.stringify(key);
}

function unsupported(operator: string): Failure {
  return cannot(`Expression not supported in partial index: ${operator}`);
}

function cannot(message: string): Failure {
  return { code: 67, message };
}
