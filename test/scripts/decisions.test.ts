import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../packages/stack/files.ts';

const FOLDER = join(ROOT, 'docs/adr');
const RECORDS = globSync('0*.md', { cwd: FOLDER }).toSorted();
const [inForce = '', superseded = ''] = readFileSync(join(FOLDER, 'README.md'), 'utf8').split(
  '## Superseded',
);

/** The records that begin a line of a list. */
function listedIn(part: string): string[] {
  return [...part.matchAll(/^- (\d{4}) \[.*?\]\((\1-[^)]+\.md)\)/gm)]
    .map(([, , file = '']) => file)
    .toSorted();
}

test('the index of decisions lists each record once, and what is superseded at its end', () => {
  const isSuperseded = (file: string) =>
    /^- Status: superseded by \[/m.test(readFileSync(join(FOLDER, file), 'utf8'));
  expect(listedIn(inForce)).toEqual(RECORDS.filter((file) => !isSuperseded(file)));
  expect(listedIn(superseded)).toEqual(RECORDS.filter(isSuperseded));
});

test.each(RECORDS)('%s has its number, title, date and status', (file) => {
  const number = basename(file).slice(0, 4);
  expect(readFileSync(join(FOLDER, file), 'utf8')).toMatch(
    new RegExp(
      `^# ${number}\\. .+\\n\\n- Date: \\d{4}-\\d{2}-\\d{2}\\n- Status: (accepted|superseded by \\[)`,
    ),
  );
});
