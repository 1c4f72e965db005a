import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../packages/stack/files.ts';

const FILES = globSync('test/**/*.test.ts', { cwd: ROOT });
const PAGES = [...globSync('docs/**/*.md', { cwd: ROOT }), 'README.md', 'CONTRIBUTING.md'];

/** The columns of a table that name tests. */
const COLUMNS = new Set(['shown by', 'test', 'tests']);

/** The tests that a page cites: the code of such a column, and the words after `npx vitest run`. */
function citedBy(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const commands = [...text.matchAll(/npx vitest run ([^`\n]+)/g)];
  const words = commands.flatMap(([, named = '']) => named.trim().split(/\s+/));
  let column = -1;
  const cells = text.split('\n').flatMap((line) => {
    if (!line.startsWith('|')) column = -1;
    const row = line.split(' | ').map((cell) => cell.replaceAll('|', '').trim());
    const named = row.findIndex((cell) => COLUMNS.has(cell));
    if (named !== -1) column = named;
    return column === -1 ? [] : [...(row[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  });
  // `NAME` stands for any of them.
  return [...new Set([...words, ...cells])].filter((word) => word !== 'NAME');
}

const isFound = (word: string) => FILES.some((file) => file.includes(word));

test.each(PAGES.map((page) => [page, citedBy(page)] as const).filter(([, cited]) => cited.length > 0))(
  '%s names tests that exist',
  (_page, cited) => {
    expect(cited.filter((word) => !isFound(word))).toEqual([]);
  },
);

test('the pages that promise something name tests', () => {
  for (const page of ['docs/security.md', 'docs/reliability.md'])
    expect(citedBy(page).length, page).toBeGreaterThan(20);
});

test('every drill stands in docs/reliability.md', () => {
  const cited = citedBy('docs/reliability.md');
  const drills = FILES.filter((file) => file.startsWith('test/drills/'));
  const untold = drills.filter((file) => !cited.some((word) => file.includes(word)));
  expect(untold.map((file) => basename(file))).toEqual([]);
});
