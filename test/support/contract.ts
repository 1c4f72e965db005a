import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { AnyRoute } from '../../api/basics/route.ts';
import { openApiDocument } from '../../api/docs/openapi.ts';
import { problemSchemas } from '../../api/docs/problems.ts';
import { routes as table } from '../../api/routes/index.ts';

/** One answer of an api, as a test got it. */
export interface SeenAnswer {
  method: string;
  /** With its query. */
  path: string;
  status: number;
  headers: Headers;
  text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into at every depth.
type Json = Record<string, any>;

/** Paths that the document leaves out: pages for people, and the document itself. */
const UNDOCUMENTED = /^\/(openapi\.json|docs(\/|$)|admin\/queues(\/|$)|dashboard(\/|$)|activate$)/;
/** The answers of an existing route to another method, and of any other path. */
const BESIDE_THE_TABLE = problemSchemas(['method_not_allowed', 'not_found', 'invalid_request']);

// biome-ignore lint/suspicious/noExplicitAny: a CommonJS module whose types do not know that it is one.
const addFormats = ((addFormatsModule as any).default ?? addFormatsModule) as (ajv: Ajv2020) => void;

/**
 * Holds answers against the OpenAPI document of these routes. Throws for a status, a media type, a header or a body that
 * the document does not describe.
 */
export function createContract(routes: readonly AnyRoute[] = table({ stopping: false })) {
  const document: Json = openApiDocument(routes, 'https://usage-governor.test');
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  ajv.addSchema(document, 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  const paths = Object.keys(document.paths).map((path) => ({ path, pattern: patternOf(path) }));

  function validate(pointer: string, value: unknown, answer: SeenAnswer): void {
    const validator = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    compiled.set(pointer, validator);
    if (!validator(value)) fail(answer, `${pointer}: ${ajv.errorsText(validator.errors)}`);
  }

  return function check(answer: SeenAnswer): void {
    const [path = ''] = answer.path.split('?');
    if (UNDOCUMENTED.test(path)) return;
    const found =
      paths.find((known) => known.path === path) ?? paths.find(({ pattern }) => pattern.test(path));
    const method = answer.method.toLowerCase() === 'head' ? 'get' : answer.method.toLowerCase();
    const operation = found && document.paths[found.path][method];
    if (!operation) {
      checkBeside(answer);
      return;
    }
    const response = operation.responses[String(answer.status)];
    if (!response)
      fail(answer, `the status is not described, only ${Object.keys(operation.responses).join(', ')}`);
    checkHeaders(answer, response);
    if (answer.method === 'HEAD' || !response.content) {
      if (answer.text !== '') fail(answer, 'there is a body that is not described');
      return;
    }
    const type = mediaType(answer.headers.get('content-type'));
    const documented = Object.keys(response.content).find((name) => mediaType(name) === type);
    if (!documented) fail(answer, `the media type ${type} is not described`);
    if (!/[/+]json$/.test(type)) return;
    const at = ['paths', found.path, method, 'responses', answer.status, 'content', documented, 'schema'];
    validate(at.map((part) => `/${escaped(String(part))}`).join(''), JSON.parse(answer.text), answer);
  };

  function checkBeside(answer: SeenAnswer): void {
    if (answer.method === 'HEAD') return;
    const body = JSON.parse(answer.text);
    const schema = Object.values(BESIDE_THE_TABLE).find(
      (known: Json) => known.properties.code.const === body.code,
    );
    if (!schema) fail(answer, 'no operation has this path and method');
    if (!ajv.validate(schema, body)) fail(answer, ajv.errorsText());
  }
}

function checkHeaders(answer: SeenAnswer, response: Json): void {
  if (!answer.headers.get('x-request-id')) fail(answer, 'X-Request-Id is missing');
  for (const name of ['WWW-Authenticate', 'Retry-After', 'RateLimit', 'Idempotent-Replayed', 'Allow']) {
    if (answer.headers.has(name) && !response.headers?.[name])
      fail(answer, `the header ${name} is not described`);
  }
  for (const name of ['WWW-Authenticate', 'Retry-After']) {
    // A 403 asks for another credential only where a scope is missing.
    if (response.headers?.[name] && !answer.headers.has(name) && answer.status !== 403)
      fail(answer, `the header ${name} is missing`);
  }
}

function fail({ method, path, status, text }: SeenAnswer, what: string): never {
  throw new Error(
    `${method} ${path} answered ${status} against its document: ${what}\n${text.slice(0, 500)}`,
  );
}

function patternOf(path: string): RegExp {
  // As Express matches: in any case, with a slash at the end or without.
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i');
}

function mediaType(header: string | null): string {
  return (header ?? '').split(';')[0]?.trim() ?? '';
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
