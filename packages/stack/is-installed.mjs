// Runs on the Node of the system, so it is plain JavaScript. Exit code 0: node_modules is what package-lock.json says.
// npm writes its own lock file into node_modules when an installation is complete, and only then.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2] ?? '.';

try {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  const missing = Object.keys(wanted).filter(
    (path) => path !== '' && !wanted[path].optional && present[path]?.version !== wanted[path].version,
  );
  process.exitCode = missing.length === 0 ? 0 : 1;
} catch {
  process.exitCode = 1;
}

function readPackages(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
}
