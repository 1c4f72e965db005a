import { writeFileSync } from 'node:fs';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { openApiDocument } from '../api/docs/openapi.ts';
import { routes } from '../api/routes/index.ts';
import { ERRORS } from '../shared/platform/basics/errors.ts';

/** The files that follow from the table of routes, by path: `npm run openapi` writes them, a test compares them. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const document = openApiDocument(routes({ stopping: false }), 'https://usage-governor.test');
  const types = astToString(await openapiTS(document as unknown as OpenAPI3));
  return {
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'test/support/client/schema.d.ts': types,
  };
}

/** The table of errors in docs/api.md. */
export function errorsTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`,
  );
  return ['| code | status | title |', '| --- | --- | --- |', ...rows].join('\n');
}

if (import.meta.main) {
  for (const [path, content] of Object.entries(await generatedFiles())) writeFileSync(path, content);
  process.stdout.write(`${errorsTable()}\n`);
}
