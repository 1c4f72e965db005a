import { writeFileSync } from 'node:fs';
import { openApiDocument } from '../api/docs/openapi.ts';
import { routes } from '../api/routes/index.ts';
import { ERRORS } from '../shared/platform/basics/errors.ts';

/** Follows from the table of routes: `npm run openapi` writes it, a test compares it. */
export const DOCUMENT_PATH = 'docs/openapi.json';

/** The OpenAPI document as its file holds it. */
export function documentText(): string {
  const document = openApiDocument(routes({ stopping: false }), 'https://usage-governor.test');
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The table of errors in docs/api.md. */
export function errorsTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`,
  );
  return ['| code | status | title |', '| --- | --- | --- |', ...rows].join('\n');
}

if (import.meta.main) {
  writeFileSync(DOCUMENT_PATH, documentText());
  process.stdout.write(`${errorsTable()}\n`);
}
