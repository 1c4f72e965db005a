import { expect, test } from 'vitest';
import { importsOf, removeWings, TABLES } from '../../../scripts/wings/remove.ts';
import {
  CORE_TESTS,
  readTree,
  wingNames,
  wingsOfDay,
  withThoseThatNeedIt,
} from '../../../scripts/without-wing.ts';
import { WINGS } from '../../../shared/tables/wings.ts';

const tree = readTree();
const names = wingNames(tree.keys());

/** The imports of files of the repository that are not there. */
const missingOf = (of: typeof tree) =>
  [...of].flatMap(([path, text]) =>
    importsOf(path, text)
      .filter((named) => tree.has(named) && !of.has(named))
      .map((named) => `${path} imports ${named}`),
  );

test('every folder of wings has a row', () => {
  expect(names.toSorted()).toEqual(WINGS.map(({ name }) => name).toSorted());
});

test.each(names)('nothing imports %s once it is taken out with what needs it', (name) => {
  const removed = withThoseThatNeedIt(name);
  const left = removeWings(tree, removed);
  expect(left.size).toBeLessThan(tree.size);
  expect(missingOf(left)).toEqual([]);
  const others = names.filter((other) => !removed.includes(other));
  expect(wingNames(left.keys()).toSorted()).toEqual(others.toSorted());
  for (const path of CORE_TESTS)
    expect([...left.keys()].filter((file) => file.startsWith(path)).length).toBeGreaterThan(0);
});

test('each wing has its turn within the shortest month, two different ones per day', () => {
  const days = Array.from({ length: 28 }, (_, index) => wingsOfDay(names, index + 1));
  for (const pair of days) expect(new Set(pair).size).toBe(2);
  expect(new Set(days.flat())).toEqual(new Set(names));
});

test('a table keeps the rows of the others', () => {
  const [text = ''] = TABLES.slice(0, 1).map((path) => removeWings(tree, ['raises']).get(path));
  expect(text).not.toContain('raises');
  for (const { name } of WINGS) if (name !== 'raises') expect(text).toContain(`wings/${name}/wing.ts`);
});

test('tests that need the wing go with it, also by another file, and other files keep their text', () => {
  const small = new Map([
    ['shared/wings/one/model.ts', 'export const row = 1;\n'],
    ['shared/core/a.ts', 'export const a = 1;\n'],
    ['test/support/one.ts', "import { row } from '../../shared/wings/one/model.ts';\n"],
    ['test/api/one.test.ts', "import { made } from '../support/one.ts';\n"],
    ['test/api/a.test.ts', "import { a } from '../../shared/core/a.ts';\n"],
  ]);
  const left = removeWings(small, ['one']);
  const kept = [...left.keys()].filter((path) => !TABLES.includes(path));
  expect(kept).toEqual(['shared/core/a.ts', 'test/api/a.test.ts']);
  expect(left.get('test/api/a.test.ts')).toBe(small.get('test/api/a.test.ts'));
});
