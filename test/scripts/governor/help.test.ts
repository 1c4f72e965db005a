import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { ROOT } from '../../../packages/stack/files.ts';
import { EXAMPLES } from '../../../scripts/governor/help.ts';
import { createProgram } from '../../../scripts/governor/program.ts';

const program = createProgram({});
const childOf = (command: Command, name: string) => command.commands.find((one) => one.name() === name);

test('names its version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(program.version()).toBe(version);
});

test.each(Object.entries(EXAMPLES).filter(([name]) => name !== ''))(
  'the examples of %s are commands and options that there are',
  (name, lines) => {
    for (const line of lines) {
      const [own, command = '', sub = '', ...rest] = line.split(' ').filter((word) => word !== '--json');
      expect([own, command]).toEqual(['governor', name]);
      const group = childOf(program, command);
      const leaf = group?.commands.length ? childOf(group, sub) : group;
      expect(leaf, line).toBeDefined();
      const known = leaf?.options.map(({ long }) => long);
      for (const word of [sub, ...rest].filter((one) => one.startsWith('--'))) expect(known).toContain(word);
    }
  },
);

/** The commands in the code of a page, as words. */
function commandsIn(page: string): string[][] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const code = [...text.matchAll(/^```.*\n([\s\S]*?)^```|`([^`\n]+)`/gm)].map(
    ([, block, own]) => block ?? own,
  );
  const named = code.join('\n').matchAll(/(?<![\w/-])governor (?:-- )?(?:--json )?([a-z][^|#"')&\n]*)/g);
  return [...named].map(([, words = '']) => words.trim().split(/\s+/));
}

test('the pages of docs name commands and options that there are', () => {
  const pages = [...globSync('{docs,docs/how-to,docs/inside,packages/*}/*.md', { cwd: ROOT }), 'README.md'];
  const unknown = pages.flatMap((page) =>
    commandsIn(page).filter(([command = '', sub = '', ...rest]) => {
      const group = childOf(program, command);
      const leaf = group?.commands.length && /^[a-z-]+$/.test(sub) ? childOf(group, sub) : group;
      const known = [...program.options, ...(leaf?.options ?? [])].map(({ long }) => long);
      const options = [sub, ...rest].flatMap((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1] ?? []);
      return !leaf || options.some((option) => option !== '--help' && !known.includes(option));
    }),
  );
  expect(unknown).toEqual([]);
});
