import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NODE, ROOT } from '../../packages/stack/files.ts';
import { temporaryFolder } from '../support/temporary.ts';

const CONFIG = '.dependency-cruiser.cjs';

interface Rule extends Record<'from' | 'to', Partial<Record<'path' | 'pathNot', string | string[]>>> {
  name: string;
}

/** Checks a tree of these files by the project's import rules; returns what the check prints and its exit code. */
function checkImports(files: Record<string, string>): { output: string; status: number | null } {
  const folder = temporaryFolder();
  for (const name of [CONFIG, 'tsconfig.json', 'shared/tables/needs.json'])
    cpSync(join(ROOT, name), join(folder, name));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const script = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const { stdout, stderr, status } = spawnSync(NODE, [script, '--config', CONFIG, 'shared'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { output: stdout + stderr, status };
}

const USAGE = 'shared/core/calls/usage';
const WINDOWS = 'shared/core/limits/budgets/rules/windows.ts';
const ROLLUPS = { [`${USAGE}/rollups.ts`]: 'export const rollups = 1;\n' };
const ONE_WAY = {
  ...ROLLUPS,
  [WINDOWS]: "import { rollups } from '../../../calls/usage/rollups.ts';\nexport const windows = rollups;\n",
};

test('two folders that import one way pass', () => {
  const { output, status } = checkImports(ONE_WAY);
  expect([status, output]).toEqual([0, expect.stringContaining('no dependency violations')]);
});

/** A refusal, its rule, the beginning of the line that names it, and the files. */
const REFUSED: [what: string, rule: string, named: string, files: Record<string, string>][] = [
  [
    'two folders that import each other, though no file imports in a circle',
    'folders-import-one-way',
    USAGE,
    {
      ...ONE_WAY,
      [`${USAGE}/read.ts`]: `import { windows } from '../../limits/budgets/rules/windows.ts';\nexport const read = windows;\n`,
    },
  ],
  [
    'two files that import each other, though one takes only a type',
    'files-import-one-way',
    `${USAGE}/sums.ts`,
    {
      [`${USAGE}/table.ts`]: "import { idOf } from './sums.ts';\nexport type Table = typeof idOf;\n",
      [`${USAGE}/sums.ts`]:
        "import type { Table } from './table.ts';\nexport const idOf = (table: Table) => table;\n",
    },
  ],
  [
    'a type of a noun in the platform',
    'platform-knows-no-noun',
    'shared/platform/basics/ids.ts',
    {
      'shared/core/calls/signals/model.ts': 'export type Signal = string;\n',
      'shared/platform/basics/ids.ts':
        "import type { Signal } from '../../core/calls/signals/model.ts';\nexport type Id = Signal;\n",
    },
  ],
  [
    'a table of nouns in a noun of the core',
    'core-knows-no-wing',
    'shared/core/calls/sessions/end.ts',
    {
      'shared/tables/jobs.ts': 'export const JOBS = [];\n',
      'shared/core/calls/sessions/end.ts':
        "import { JOBS } from '../../../tables/jobs.ts';\nexport const end = JOBS;\n",
    },
  ],
];

test('refuses each of these in one tree, by its rule', () => {
  const { output, status } = checkImports(Object.assign({}, ...REFUSED.map(([, , , files]) => files)));
  for (const [what, rule, named] of REFUSED) expect(output, what).toContain(`${rule}: ${named}`);
  expect(status).not.toBe(0);
});

describe('each rule guards what is there', () => {
  const { forbidden } = createRequire(import.meta.url)(join(ROOT, CONFIG)) as { forbidden: Rule[] };
  const files = globSync('{api,workers,shared,scripts,packages,test,node_modules/*}/{,**/}*.{ts,tsx,js}', {
    cwd: ROOT,
    exclude: (name) => /(^|\/)node_modules\/.+\/.+\//.test(name),
  });
  const paths = forbidden.flatMap(({ name, from, to }) =>
    [from.path, from.pathNot, to.path, to.pathNot]
      .flat()
      .filter((path) => path !== undefined)
      .map((path) => ({ name, path })),
  );

  test.each(paths)('$name: $path', ({ path }) => {
    expect(files.some((file) => new RegExp(path).test(file))).toBe(true);
  });
});

test('each file that the formatter treats otherwise is there', () => {
  const { overrides } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')) as {
    overrides: { includes: string[] }[];
  };
  for (const name of overrides.flatMap(({ includes }) => includes))
    expect(globSync(name, { cwd: ROOT, exclude: ['node_modules'] }), name).toHaveLength(1);
});
