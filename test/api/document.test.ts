import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../api/docs/openapi.ts';
import { errorCodesOf } from '../../api/docs/operation.ts';
import { routes } from '../../api/routes/index.ts';
import { DOCUMENT_PATH, documentText, errorsTable } from '../../scripts/openapi.ts';
import { ERRORS } from '../../shared/platform/basics/errors.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into at every depth.
type Json = Record<string, any>;

const table = routes({ stopping: false });
const document: Json = openApiDocument(table, 'https://usage-governor.test');
const operations = Object.values<Json>(document.paths).flatMap((path) => Object.values<Json>(path));

describe('the OpenAPI document', () => {
  it('passes the recommended rules of a linter, with no exception', async () => {
    const source = JSON.stringify(document);
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('is the one in docs/openapi.json: else run npm run openapi', () => {
    expect(readFileSync(DOCUMENT_PATH, 'utf8') === documentText()).toBe(true);
  });

  it('describes every operation, every parameter and every field, with an example', () => {
    const lacking: string[] = [];
    for (const { operationId, summary, description, parameters } of operations) {
      if (!summary || !description) lacking.push(operationId);
      for (const { name, description: told, schema } of parameters)
        if (!told || !schema.examples) lacking.push(`${operationId} ${name}`);
    }
    eachField(document, (path, field) => {
      const isContainer = field.properties || field.anyOf || field.oneOf || field.type === 'array';
      const isMap = field.type === 'object';
      if (!field.description) lacking.push(`${path} has no description`);
      if (!field.examples && !isContainer && !isMap) lacking.push(`${path} has no example`);
    });
    expect(lacking).toEqual([]);
    expect(operations.length).toBeGreaterThan(30);
  });

  it.each<[string, (schema: Json, path: string) => boolean]>([
    [
      'an object of no fields beside others, of which a Java client does not compile',
      ({ anyOf }) => {
        const objects = Array.isArray(anyOf) ? anyOf.filter((part: Json) => part.type === 'object') : [];
        return objects.length > 1 && objects.some(({ properties = {} }) => !Object.keys(properties)[0]);
      },
    ],
    [
      'a constant integer as a decimal',
      ({ type, const: value }) => type === 'number' && Number.isInteger(value),
    ],
    ['null alone as a type', ({ type }, path) => type === 'null' && !/\/(anyOf|oneOf)\/\d+$/.test(path)],
    [
      'several types beside null, of which no Go or Java client is made',
      ({ type }) => Array.isArray(type) && type.filter((one) => one !== 'null').length > 1,
    ],
    [
      'a number of 32 bits, which loses digits',
      ({ type, format }) => [type].flat().includes('number') && format !== 'double',
    ],
    [
      'an integer of 32 bits that may be larger',
      ({ type, format, maximum = Number.POSITIVE_INFINITY, const: value }) =>
        [type].flat().includes('integer') && value === undefined && maximum >= 2 ** 31 && format !== 'int64',
    ],
  ])('has no schema with %s', (_, isFault) => {
    const faults: string[] = [];
    eachSchema(document, (path, schema) => isFault(schema, path) && faults.push(path));
    expect(faults).toEqual([]);
  });

  it('generates a client that has every operation once, with parameters of one type', () => {
    const tagsOf = (paths: Json) =>
      Object.values<Json>(paths).flatMap((path) =>
        Object.values<Json>(path).flatMap(({ tags }) => tags as string[]),
      );
    const ofPaths = tagsOf(document.paths);
    expect(tagsOf(document.webhooks).filter((tag) => ofPaths.includes(tag))).toEqual([]);
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const several = operations.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(
          ({ schema }: Json) => schema.anyOf || schema.oneOf || schema.allOf || Array.isArray(schema.type),
        )
        .map(({ name }: Json) => `${operationId} ${name}`),
    );
    expect(several).toEqual([]);
  });

  it('describes every code that a route may answer', () => {
    for (const route of table) {
      const { responses } = document.paths[route.path][route.method === 'any' ? 'get' : route.method];
      for (const code of errorCodesOf(route))
        expect(responses[String(ERRORS[code].status)].description).toContain(`\`${code}\``);
    }
  });

  it('has bodies that every client can send: several forms have a name, and a named one no default', () => {
    const faults: string[] = [];
    const named: string[] = [];
    for (const { operationId, requestBody } of operations) {
      for (const { schema } of Object.values<Json>(requestBody?.content ?? {})) {
        if (schema.anyOf || schema.oneOf || schema.allOf) faults.push(`${operationId}: forms without a name`);
        eachSchema(schema, (_, { $ref }) => named.push(...($ref ? [$ref] : [])));
      }
    }
    for (const name of named) {
      const component = document.components.schemas[name.replace('#/components/schemas/', '')];
      eachSchema(component, (path, { default: value, $ref }) => {
        if (value !== undefined) faults.push(`${name}${path}: a default, which makes the field required`);
        if ($ref && !named.includes($ref)) named.push($ref);
      });
    }
    expect(faults).toEqual([]);
    expect(named).toContain('#/components/schemas/SignalInput');
  });

  it('describes `allow` of a reservation as its decision, and shows examples that are accepted', () => {
    const [reserved] =
      document.paths['/api/v1/budgets/reserve'].post.responses['200'].content['application/json'].schema
        .anyOf;
    expect(reserved.properties.allow.description).toMatch(/hard budget/);
    const budget =
      document.paths['/api/v1/budgets'].post.requestBody.content['application/json'].schema.properties;
    expect([budget.scope.examples, budget.scope_id.examples]).toEqual([['project'], ['checkout']]);
    const analytics = document.paths['/api/v1/org/{orgId}/analytics'].get.parameters;
    for (const name of ['from', 'to']) {
      const { schema } = analytics.find((parameter: Json) => parameter.name === name);
      expect(new Date(schema.examples[0]).getUTCDay(), name).toBe(1);
    }
  });

  it('says what a client has to send and may get', () => {
    const parameterOf = ({ parameters }: Json, asked: string) =>
      parameters.find(({ name }: Json) => name === asked);
    const { post: consume } = document.paths['/v1/meter/consume'];
    expect(parameterOf(consume, 'Idempotency-Key')).toMatchObject({ in: 'header', required: true });
    const { get: sessions } = document.paths['/api/v1/sessions'];
    const page = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
    expect(parameterOf(sessions, 'limit').schema).toMatchObject(page);
    expect(parameterOf(sessions, 'user_id').schema).toMatchObject({ minLength: 1, maxLength: 256 });
    expect(Object.keys(document.paths['/api/v1/usage/export'].get.responses['200'].content)).toHaveLength(3);
    const { get: windows } = document.paths['/api/v1/budgets/{id}/windows'];
    const months = { ...page, maximum: 120, default: 12 };
    expect(parameterOf(windows, 'limit').schema).toMatchObject(months);
  });
});

it('the table of errors in docs/api.md is the table in the code: else run npm run openapi', () => {
  const told = readFileSync('docs/api.md', 'utf8')
    .replace(/ +\|/g, ' |')
    .replace(/\| +/g, '| ')
    .replace(/-{3,}/g, '---');
  expect(told).toContain(errorsTable());
});

/** Every object of the document that may be a schema. */
function eachSchema(part: unknown, visit: (path: string, schema: Json) => void, path = ''): void {
  if (typeof part !== 'object' || part === null) return;
  visit(path, part as Json);
  for (const [name, other] of Object.entries(part))
    if (name !== 'examples') eachSchema(other, visit, `${path}/${name}`);
}

function eachField(part: unknown, visit: (path: string, field: Json) => void, path = ''): void {
  if (typeof part !== 'object' || part === null) return;
  const { properties, examples: _, ...others } = part as Json;
  for (const [name, field] of Object.entries<Json>(properties ?? {})) {
    visit(`${path}/${name}`, field);
    eachField(field, visit, `${path}/${name}`);
  }
  for (const [name, other] of Object.entries(others)) eachField(other, visit, `${path}/${name}`);
}
