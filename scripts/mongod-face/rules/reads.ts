import type { Code, Failure } from '../failures.ts';
import type { Fields, Statement } from '../wire.ts';
import { isOperators, listOf, writesOf } from '../writes.ts';

/** Refuses filters and stages that mongod cannot read. */
export function checkReads(command: Statement): Failure | null {
  const { body } = command;
  const filters = [body.filter, body.query, ...writesOf(command).map(({ filter }) => filter)];
  const problem =
    problemsOfLimit(command)[0] ??
    filters.flatMap((filter) => (isObject(filter) ? problemsOfFilter(filter) : []))[0] ??
    listOf(body.pipeline).flatMap(problemsOfStage)[0] ??
    (isObject(body.projection) ? problemsOfProjection(body.projection)[0] : undefined);
  return problem ?? null;
}

/** https://www.mongodb.com/docs/manual/reference/command/find/#command-fields */
function problemsOfLimit({ name, body }: Statement): Failure[] {
  return name === 'find' && Number(body.limit ?? 0) < 0 ? [bad("'limit' value must be >= 0", 51024)] : [];
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** https://www.mongodb.com/docs/manual/reference/operator/query/ */
function problemsOfFilter(filter: Fields): Failure[] {
  return Object.entries(filter).flatMap(([field, condition]) => {
    if (['$or', '$and', '$nor'].includes(field))
      return listOf(condition).length === 0
        ? [bad(`${field} must be a nonempty array`)]
        : listOf(condition).flatMap(problemsOfFilter);
    if (!isOperators(condition)) return [];
    return Object.entries(condition).flatMap(([operator, value]) =>
      ['$in', '$nin'].includes(operator) && !Array.isArray(value) ? [bad(`${operator} needs an array`)] : [],
    );
  });
}

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation-pipeline/ */
function problemsOfStage(stage: Fields): Failure[] {
  const [name = '', ...more] = Object.keys(stage);
  const value = stage[name];
  if (more.length > 0) return [bad('A pipeline stage specification object must contain exactly one field.')];
  if (name === '$limit') return Number(value) > 0 ? [] : [bad('the limit must be positive')];
  if (!isObject(value)) return [];
  if (name === '$match') return problemsOfFilter(value);
  if (name === '$project' && Object.keys(value).length === 0)
    return [bad('projection specification must have at least one field')];
  if (name !== '$group') return [];
  const isDotted = Object.keys(value).some((field) => field.includes('.'));
  if (isDotted) return [bad("The field name of a $group cannot contain '.'")];
  return '_id' in value ? [] : [bad('a group specification must include an _id')];
}

/** https://www.mongodb.com/docs/manual/reference/method/db.collection.find/#projection */
function problemsOfProjection(projection: Fields): Failure[] {
  const { _id, ...others } = projection;
  const kinds = new Set(
    Object.values(others)
      .filter((value) => [0, 1, true, false].includes(value as number))
      .map(Boolean),
  );
  if (kinds.size > 1) return [bad('Cannot do exclusion and inclusion in one projection')];
  return collisionIn(Object.keys(others)) ? [bad('Path collision in the projection')] : [];
}

/** True when one path lies within another one. */
export function collisionIn(paths: readonly string[]): boolean {
  const all = new Set(paths);
  return (
    all.size < paths.length ||
    paths.some((path) => [...path.matchAll(/\./g)].some(({ index }) => all.has(path.slice(0, index))))
  );
}

function bad(message: string, code: Code = 2): Failure {
  return { code, message };
}
