import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { type AnyRoute, reply, route } from '../basics/route.ts';

/** Scalar's own bundle, served from here: the page loads nothing from elsewhere. */
const bundle = createRequire(import.meta.url).resolve('@scalar/api-reference/browser/standalone.js');

// Nothing that would need Scalar's own servers.
const configuration = JSON.stringify({
  showDeveloperTools: 'never',
  agent: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
});

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>usage-governor API</title></head>
<body><script id="api-reference" data-url="/openapi.json" data-configuration='${configuration}'></script><script src="/docs/scalar.js"></script></body>
</html>`;

// Scalar writes its styles into the page; scripts come from here only.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src blob:; base-uri 'none'; frame-ancestors 'none'";

const open = {
  method: 'get',
  tag: 'Documentation',
  auth: { kind: 'none' },
  priority: 'read',
  errors: [],
} as const;

/** `/openapi.json` for machines, `/docs` for people. They are beside the table, which they describe. */
export function docsRoutes(document: Record<string, unknown>): AnyRoute[] {
  const text = JSON.stringify(document);
  return [
    route({
      ...open,
      path: '/openapi.json',
      summary: 'The OpenAPI document',
      success: { status: 200, description: 'OpenAPI 3.1' },
      handle: async () => reply(text),
    }),
    route({
      ...open,
      path: '/docs',
      summary: 'The API, for people',
      success: { status: 200, description: 'A page', contentType: 'text/html' },
      handle: async () => reply(page, { 'Content-Security-Policy': policy }),
    }),
    route({
      ...open,
      path: '/docs/scalar.js',
      summary: 'The script of the page',
      success: { status: 200, description: 'JavaScript', contentType: 'text/javascript' },
      handle: async () => reply(readBundle(), { 'Cache-Control': 'public, max-age=3600' }),
    }),
  ];
}

/** Opens the file when it is read, which a HEAD never does. */
async function* readBundle(): AsyncGenerator<Uint8Array> {
  yield* createReadStream(bundle);
}
