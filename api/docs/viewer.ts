import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Swagger UI's own files, served from here: the page loads nothing from other hosts. */
const folder = createRequire(import.meta.url)
  .resolve('swagger-ui-dist/package.json')
  .replace(/package\.json$/, '');

/** The page without a script or a style of its own, so that a strict policy holds. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>usage-governor API</title>
<link rel="stylesheet" href="/docs/viewer.css">
</head>
<body><div id="viewer"></div><script src="/docs/viewer.js"></script><script src="/docs/start.js"></script></body>
</html>`;

/** Starts the viewer, in the dark where the reader's system is. */
export const START = `document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

// Swagger UI writes styles and small pictures into the page; scripts come from here only, and nothing is evaluated.
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const VIEWER_FILES = { 'viewer.js': 'swagger-ui-bundle.js', 'viewer.css': 'swagger-ui.css' } as const;

/** The bytes of a file of the viewer. */
export function readViewer(name: keyof typeof VIEWER_FILES): Promise<Buffer> {
  return readFile(folder + VIEWER_FILES[name]);
}

interface Packed {
  bytes: Buffer;
  headers: Record<string, string>;
}

const COMPRESSORS: Record<'br' | 'gzip', (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/** Serves bytes that never change in the best encoding that a caller takes. Each encoding is made once. */
export function packed(read: () => Promise<Buffer>): (acceptEncoding: string) => Promise<Packed> {
  const made = new Map<string, Promise<Buffer>>();
  const once = (name: string, make: () => Promise<Buffer>) => {
    const known = made.get(name) ?? make();
    made.set(name, known);
    return known;
  };
  return async (acceptEncoding) => {
    const accepted = acceptEncoding.split(',').map((part) => part.split(';')[0]?.trim());
    const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name));
    const vary = { Vary: 'Accept-Encoding' };
    if (!encoding) return { bytes: await once('identity', read), headers: vary };
    const bytes = await once(encoding, async () => COMPRESSORS[encoding](await read()));
    return { bytes, headers: { ...vary, 'Content-Encoding': encoding } };
  };
}
