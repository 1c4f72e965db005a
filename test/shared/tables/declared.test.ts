import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { AUDIT_ACTIONS } from '../../../shared/tables/audit-actions.ts';
import { COLLECTIONS } from '../../../shared/tables/collections.ts';
import { JOBS } from '../../../shared/tables/jobs.ts';
import { MIGRATIONS } from '../../../shared/tables/migrations.ts';
import { RETENTION } from '../../../shared/tables/retention.ts';
import { SEALED_ROWS } from '../../../shared/tables/secrets.ts';

/** Every value that a file of `shared` exports, where its source has this text. */
async function exportsOfFilesWith(text: RegExp): Promise<unknown[]> {
  const files = globSync('shared/**/*.ts').filter((file) => text.test(readFileSync(file, 'utf8')));
  const modules = await Promise.all(
    files.map(
      async (file) => (await import(/* @vite-ignore */ resolve(file))) as Readonly<Record<string, unknown>>,
    ),
  );
  return modules.flatMap((module) => Object.values(module));
}

/** True of an object or a declared handle that has all these properties. */
const has =
  (...names: readonly string[]) =>
  (value: unknown) =>
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    names.every((name) => Object.hasOwn(value, name));

test.each<[string, RegExp, (value: unknown) => boolean, readonly unknown[]]>([
  ['collection', /= collection[<(]/, has('collectionName', 'indexes', 'shardKey'), COLLECTIONS],
  ['job', /= (?:job|dueJob)\(/, has('kind', 'data'), JOBS],
  ['retention rule', /etention(?:Rule)?\b.*=/, has('kind', 'purge'), RETENTION],
  ['migration', /: Migration =/, has('version', 'what', 'run'), MIGRATIONS],
  ['sealed field', /= sealedRows\(/, has('collection', 'owners'), SEALED_ROWS],
])('every %s that a noun declares is in its table, once', async (_kind, text, isOne, table) => {
  // A collection of the core is in its table with the fields that wings add to it.
  const idOf = (one: unknown) =>
    has('collectionName')(one) ? (one as { collectionName: string }).collectionName : one;
  const declared = (await exportsOfFilesWith(text)).filter(isOne).map(idOf);
  expect(declared.length).toBeGreaterThan(1);
  const ids = table.map(idOf);
  const listed = new Set<unknown>(ids);
  expect(declared.filter((one) => !listed.has(one))).toEqual([]);
  expect(ids.filter((one) => !declared.includes(one))).toEqual([]);
  expect(listed.size).toBe(table.length);
});

test('every index has its fields in ascending order: a sort the other way reads it backwards', () => {
  const directions = COLLECTIONS.flatMap(({ collectionName, indexes }) =>
    indexes.flatMap(({ key }) => Object.entries(key).map((each) => [collectionName, ...each] as const)),
  );
  expect(directions.length).toBeGreaterThan(100);
  expect(directions.filter(([, , direction]) => direction !== 1)).toEqual([]);
});

test('no two features write the same action to the audit log', () => {
  expect(new Set(AUDIT_ACTIONS).size).toBe(AUDIT_ACTIONS.length);
});
