import { createRequire } from 'node:module';
import type { Express } from 'express';

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

/** `/openapi.json` for machines, `/docs` for people. */
export function mountDocs(app: Express, document: Record<string, unknown>): void {
  const text = JSON.stringify(document);
  app.get('/openapi.json', (_req, res) => {
    res.type('json').send(text);
  });
  app.get('/docs', (_req, res) => {
    res.set('Content-Security-Policy', policy).type('html').send(page);
  });
  app.get('/docs/scalar.js', (_req, res) => {
    res.sendFile(bundle, { maxAge: '1h' });
  });
}
