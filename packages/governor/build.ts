import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** One file for Node 22.15 and later that needs nothing beside it. */
const outfile = fileURLToPath(new URL('dist/governor.js', import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL('src/main.ts', import.meta.url))],
  outfile,
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.15',
  // CommonJS dependencies ask for Node's own modules by `require`.
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  logLevel: 'warning',
});
chmodSync(outfile, 0o755);
