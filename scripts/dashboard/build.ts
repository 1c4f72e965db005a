import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../packages/stack/files.ts';
import { checkSize } from './check-size.ts';
import { writeGuide } from './guide/write-guide.ts';
import { writeTypes } from './write-types.ts';

/**
 * Makes what the dashboard needs: types of the API, then the files that the api serves, the guide among them. `--types` makes the types alone,
 * `--if-changed` nothing when the files are newer than everything that they are made of. Fails when they are too large.
 */
const { values } = parseArgs({
  options: { types: { type: 'boolean' }, 'if-changed': { type: 'boolean' } },
});
if (!(values['if-changed'] && isCurrent())) {
  await writeTypes();
  if (!values.types) await buildFiles();
}

async function buildFiles(): Promise<void> {
  // Whatever runs this: React takes its small, fast form by this variable.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({ configFile: join(ROOT, 'packages/dashboard/vite.config.ts'), logLevel: 'warn' });
  writeGuide();
  const tooLarge = checkSize();
  for (const line of tooLarge) console.error(line);
  if (tooLarge.length > 0) process.exitCode = 1;
}

function isCurrent(): boolean {
  const page = join(ROOT, 'packages/dashboard/dist/index.html');
  if (!existsSync(page)) return false;
  const builtMs = statSync(page).mtimeMs;
  const isOlder = (path: string) => statSync(path).mtimeMs < builtMs;
  const sources = ['packages/dashboard', 'api/routes', 'api/wings', 'scripts/dashboard', 'docs'].flatMap(
    filesOf,
  );
  return [join(ROOT, 'package-lock.json'), join(ROOT, 'README.md'), ...sources].every(isOlder);
}

/** Without what a build makes. */
function filesOf(folder: string): string[] {
  const found = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/packages/dashboard/dist/'));
}
