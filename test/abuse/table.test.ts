import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Case {
  number: number;
  /** Files with the title that the table quotes; without one, a title of the file has the number. */
  tests: { file: string; title: string | null }[];
}

const ROW = /^\|\s*(?<number>\d+) \|[^|]*\|[^|]*\|(?<tests>[^|]*)\|$/gm;
const LINK = /\[[^\]]+\]\((?<file>[^)]+)\)(?:: (?<title>.+))?$/;

function readTable(): Case[] {
  const table = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  return [...table.matchAll(ROW)].map(({ groups = {} }) => ({
    number: Number(groups.number),
    tests: (groups.tests ?? '')
      .trim()
      .split(/; (?=\[)/)
      .map((cell) => {
        const { file = '', title = null } = LINK.exec(cell)?.groups ?? {};
        return { file, title };
      }),
  }));
}

/** True when a string begins with a text, as a title does; numbers in a row, or in brackets at the end. */
function hasTitle(file: string, number: number, title: string | null): boolean {
  const source = readFileSync(join(import.meta.dirname, file), 'utf8');
  if (title !== null) return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}`));
  const numbered = new RegExp(
    `['"\`](?:\\d+, )*${number}(?:, \\d+)* |\\((?:\\d+, )*${number}(?:, \\d+)*\\)['"\`]`,
  );
  return numbered.test(source);
}

describe('the table of abuse cases', () => {
  const cases = readTable();

  it('has every case from 1 to 113, once', () => {
    expect(cases.map(({ number }) => number)).toEqual(Array.from({ length: 113 }, (_, index) => index + 1));
  });

  it.each(cases)('case $number names tests that exist', ({ number, tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter(({ file, title }) => !hasTitle(file, number, title))).toEqual([]);
  });
});
