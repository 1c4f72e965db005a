import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE, ROOT } from '../../packages/stack/files.ts';

const CONFIG = '.dependency-cruiser.cjs';
const folders: string[] = [];

interface Rule {
  name: string;
  from: Guarded;
  to: Guarded;
}

interface Guarded {
  path?: string | string[];
  pathNot?: string | string[];
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Checks a tree of these files by the project's import rules; returns what the check prints and its exit code. */
function checkImports(files: Record<string, string>): { output: string; status: number | null } {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-imports-'));
  folders.push(folder);
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

test('two folders that import one way pass', () => {
  const { output, status } = checkImports({
    'shared/core/calls/usage/rollups.ts': 'export const rollups = 1;\n',
    'shared/core/limits/budgets/rules/windows.ts':
      "import { rollups } from '../../../calls/usage/rollups.ts';\nexport const windows = rollups;\n",
  });
  expect([status, output]).toEqual([0, expect.stringContaining('no dependency violations')]);
});

test('two folders that import each other are refused, though no file imports in a circle', () => {
  const { output, status } = checkImports({
    'shared/core/calls/usage/rollups.ts': 'export const rollups = 1;\n',
    'shared/core/calls/usage/read.ts':
      "import { windows } from '../../limits/budgets/rules/windows.ts';\nexport const read = windows;\n",
    'shared/core/limits/budgets/rules/windows.ts':
      "import { rollups } from '../../../calls/usage/rollups.ts';\nexport const windows = rollups;\n",
  });
  expect(output).toContain('folders-import-one-way');
  expect(status).not.toBe(0);
});

test('two files that import each other are refused, though one takes only a type', () => {
  const { output, status } = checkImports({
    'shared/core/calls/usage/table.ts':
      "import { idOf } from './sums.ts';\nexport interface Table {\n  id: typeof idOf;\n}\n",
    'shared/core/calls/usage/sums.ts':
      "import type { Table } from './table.ts';\nexport const idOf = (table: Table) => table;\n",
  });
  expect(output).toContain('files-import-one-way');
  expect(status).not.toBe(0);
});

test('a type counts as an import, and the platform knows no noun', () => {
  const { output, status } = checkImports({
    'shared/core/calls/signals/model.ts': 'export interface Signal {\n  _id: string;\n}\n',
    'shared/platform/basics/ids.ts':
      "import type { Signal } from '../../core/calls/signals/model.ts';\nexport type Id = Signal['_id'];\n",
  });
  expect(output).toContain('platform-knows-no-noun');
  expect(status).not.toBe(0);
});

test('no noun of the core imports a table of nouns', () => {
  const { output, status } = checkImports({
    'shared/tables/jobs.ts': 'export const JOBS = [];\n',
    'shared/core/calls/sessions/end.ts':
      "import { JOBS } from '../../../tables/jobs.ts';\nexport const end = JOBS;\n",
  });
  expect(output).toContain('core-knows-no-wing');
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
    expect([name, globSync(name, { cwd: ROOT, exclude: ['node_modules'] })]).toEqual([
      name,
      [expect.any(String)],
    ]);
});
