import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

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

/**
 * Starts the viewer, in the dark where the reader's system is. Its paths are no links inside buttons, all of it is in
 * landmarks and below headings, and its choice among one server is not shown.
 */
export const START = `const accessible = ({ React: { createElement } }) => {
  const inside = (...element) => (Part) => (props) => createElement(...element, createElement(Part, props));
  return {
    components: {
      DeepLink: ({ text }) => createElement('span', null, text),
      ServersContainer: () => null,
    },
    wrapComponents: {
      InfoContainer: inside('section', { 'aria-label': 'About this API' }),
      AuthorizeBtnContainer: inside('section', { 'aria-label': 'Credentials' }),
      FilterContainer: inside('search', null),
      operations: inside('div', null, createElement('h2', null, 'Operations')),
    },
  };
};
document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  plugins: [accessible],
  validatorUrl: null,
});
`;

// Swagger UI writes styles and small pictures into the page; scripts come from here only, and nothing is evaluated.
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const VIEWER_FILES = { 'viewer.js': 'swagger-ui-bundle.js', 'viewer.css': 'swagger-ui.css' } as const;

/** Colours that can be read on white, in place of the viewer's own: 4.5 to 1 at least. */
const CONTRAST = `
html:not(.dark-mode) .swagger-ui .info .title small { background: #4d6b03; }
html:not(.dark-mode) .swagger-ui :is(.url, .link, .renderedMarkdown a) { color: #0b5cad; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #1b6e44; border-color: #1b6e44; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #1b6e44; }
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #1b6e44; }
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #0b5cad; }
html:not(.dark-mode) .swagger-ui .opblock-patch .opblock-summary-method { background: #0f6b5c; }
html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method { background: #8a4b00; }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b3201f; }
.swagger-ui h2 { margin: 24px 0 0; font-family: sans-serif; font-size: 24px; }
.dark-mode .swagger-ui h2 { color: #e4e6e6; }
`;

/** The bytes of a file of the viewer. */
export async function readViewer(name: keyof typeof VIEWER_FILES): Promise<Buffer> {
  const bytes = await readFile(folder + VIEWER_FILES[name]);
  return name === 'viewer.css' ? Buffer.concat([bytes, Buffer.from(CONTRAST)]) : bytes;
}
