import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { openApiDocument } from '../../api/docs/openapi.ts';
import { routes } from '../../api/routes/index.ts';
import { ROOT } from '../../packages/stack/files.ts';

/**
 * Writes the types of every request and answer, made of the table of routes: clients, the dashboard's too, are checked
 * against them.
 */
export async function writeTypes(): Promise<void> {
  const document = openApiDocument(
    routes({ stopping: false }),
    'https://usage-governor.test',
  ) as unknown as OpenAPI3;
  const types = astToString(await openapiTS(document));
  writeFileSync(join(ROOT, 'api/docs/client.d.ts'), types);
}
