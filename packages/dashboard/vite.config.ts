import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

const BASE = '/dashboard/';
const ASKING =
  /query-core|react-query\/build\/modern\/queryOptions|openapi-fetch|dashboard\/data\/(client|queries|query-client|range|usage-questions)\.ts/;

/** Code that Overview draws with, and some other pages too. Small files of their own would compress badly. */
const DRAWING =
  /dashboard\/parts\/(chart\/(bars|plot|pattern|scale|use-width)|budget\/words)|core\/esm\/(components\/(Pill|Popover)\/|.*\/(clamp|noop)\b)/;

/** The files that the api serves under `/dashboard`; it puts a nonce of its own in place of `__NONCE__` for each request. */
export default defineConfig({
  root: import.meta.dirname,
  base: BASE,
  plugins: [react(), preloadMain(), checkKit()],
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Files inlined as `data:` would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // For the coverage of pages (packages/mutation).
    sourcemap: process.env.TEST_COVERAGE ? 'hidden' : false,
    target: 'es2023',
    chunkSizeWarningLimit: 1_000,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The code that asks the first questions waits for no code that draws.
            { name: 'asking', test: ASKING, priority: 2 },
            // The code that most pages share is one file instead of twenty: each is a round trip before the first figure.
            { name: 'shared', minShareCount: 10, priority: 1 },
            { name: 'drawing', test: DRAWING },
          ],
        },
      },
    },
  },
});

/** Links what begin.ts imports later, so that it is fetched beside it. */
function preloadMain(): Plugin {
  return {
    name: 'preload-main',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const main = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/dashboard/main.tsx'));
        const unlinked = [...importsOf(main, chunks)].filter((file) => !html.includes(file));
        return unlinked.map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: BASE + file },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}

function importsOf(
  chunk: Rolldown.OutputChunk | undefined,
  chunks: readonly Rolldown.OutputChunk[],
  found = new Set<string>(),
): Set<string> {
  if (!chunk || found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const name of chunk.imports)
    importsOf(
      chunks.find(({ fileName }) => fileName === name),
      chunks,
      found,
    );
  return found;
}

/** Ends the build unless `kit.css` has the styles of exactly the components of the kit that are built. */
function checkKit(): Plugin {
  return {
    name: 'check-kit',
    generateBundle(_, bundle) {
      const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const built = namesIn(ids.join('\n'), /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/gm);
      const listed = namesIn(
        readFileSync(join(import.meta.dirname, 'kit.css'), 'utf8'),
        /styles\/([A-Z]\w*)\.css/g,
      );
      const wrong = [...built, ...listed].filter((name) => !(built.has(name) && listed.has(name)));
      if (wrong.length > 0) this.error(`kit.css lists other components than are built: ${wrong.join(', ')}`);
    },
  };
}

function namesIn(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, name = '']) => name));
}
