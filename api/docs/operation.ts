import type { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../shared/platform/basics/errors.ts';
import { type BodyType, MEDIA_TYPES } from '../basics/media-types.ts';
import type { AnyRoute, Auth } from '../basics/route.ts';
import { inputComponent, type Json, jsonSchema } from '../json-schema/schema.ts';
import { OTLP_TYPES } from '../otlp/body.ts';
import { headersOf } from './headers.ts';
import { problemOneOf } from './problems.ts';

export function operationOf(route: AnyRoute, method: string = route.method): Json {
  return {
    operationId: operationId(route, method),
    summary: route.summary,
    description: descriptionOf(route),
    tags: [route.tag],
    security: securityOf(route.auth),
    parameters: [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...idempotencyParameter(route),
      ...headerParameters(route),
    ],
    ...(route.body
      ? {
          requestBody: {
            required: !route.bodyIsOptional,
            content: requestContent(route, route.body),
          },
        }
      : {}),
    ...(route.takesBytes ? { requestBody: { content: bytesContent(route.takesBytes) } } : {}),
    responses: responsesOf(route),
  };
}

function descriptionOf({ description, auth, summary }: AnyRoute): string {
  const scope = auth.kind === 'api-key' && auth.scope ? ` Needs the scope \`${auth.scope}\`.` : '';
  return `${description ?? `${summary}.`}${scope}`;
}

/** The messages themselves are described by who sends them: opentelemetry-proto, Stripe. */
function bytesContent(bytes: NonNullable<AnyRoute['takesBytes']>): Json {
  const json = { [MEDIA_TYPES.json]: { schema: { type: 'object' } } };
  if (bytes === 'json') return json;
  return { [OTLP_TYPES.protobuf]: { schema: { type: 'string', format: 'binary' } }, ...json };
}

function headerParameters({ requestHeaders = {} }: AnyRoute): Json[] {
  return Object.entries(requestHeaders).map(([name, { description, example, isRequired = false }]) => ({
    name,
    in: 'header',
    required: isRequired,
    description,
    schema: { type: 'string', examples: [example] },
  }));
}

function requestContent(route: AnyRoute, body: z.ZodType): Json {
  const { bodyTypes = ['json'] } = route;
  const whole = jsonSchema(body, 'input');
  const schema = hasForms(whole) ? { $ref: `#/components/schemas/${bodyName(route)}` } : whole;
  return Object.fromEntries(bodyTypes.map((type: BodyType) => [MEDIA_TYPES[type], { schema }]));
}

/** Bodies with several forms, by name: inside its operation the generator for Go would make such a body a type that it sends empty. */
export function bodySchemas(routes: readonly AnyRoute[]): Record<string, Json> {
  const bodies = routes.flatMap((route) =>
    route.body ? [[bodyName(route), inputComponent(route.body)] as const] : [],
  );
  return Object.fromEntries(bodies.filter(([, schema]) => hasForms(schema)));
}

function hasForms(schema: Json): boolean {
  return schema.anyOf !== undefined || schema.oneOf !== undefined;
}

function bodyName(route: AnyRoute): string {
  const words = operationId(route, route.method).split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Body`;
}

function operationId(route: AnyRoute, method: string): string {
  const words = route.path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return [method, ...words].join('_');
}

function securityOf(auth: Auth): Json[] {
  if (auth.kind === 'api-key') return [{ apiKey: auth.scope ? [auth.scope] : [] }];
  if (auth.kind === 'device') return [{ deviceToken: [] }];
  if (auth.kind === 'idp') return [{ session: [] }];
  if (auth.kind === 'agent') return [{ apiKey: [] }, { agent: [] }];
  if (auth.kind === 'operator') return [{ operator: [] }];
  return [];
}

function parametersOf(schema: z.ZodType | undefined, where: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    description,
    schema: property,
  }));
}

function idempotencyParameter({ needsIdempotencyKey, takesIdempotencyKey, creates }: AnyRoute): Json[] {
  if (!needsIdempotencyKey && !takesIdempotencyKey && !creates) return [];
  const repeats = !creates
    ? 'Names this request: a repeat with it changes nothing and gets the same answer.'
    : 'Makes a repeat safe for 48 hours: it creates nothing and gets the same answer.';
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: needsIdempotencyKey === true,
      description: `${repeats} 1 to 128 printable ASCII characters without a comma; a UUID is advised.`,
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 128,
        pattern: '^[\\x20-\\x2b\\x2d-\\x7e]+$',
        examples: ['0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69'],
      },
    },
  ];
}

function responsesOf(route: AnyRoute): Json {
  const { status, description } = route.success;
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => ERRORS[code].status);
  const problems = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([problemStatus, codes]) => [
      String(problemStatus),
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('. '),
        headers: headersOf(route, problemStatus),
        content: errorContent(route.errorStyle, codes),
      },
    ]);
  const success = { description, headers: headersOf(route, status), ...successContent(route) };
  const empty = Object.entries(route.success.empty ?? {}).map(([other, words]) => [
    other,
    { description: words, headers: headersOf(route, Number(other)) },
  ]);
  return { [String(status)]: success, ...Object.fromEntries([...empty, ...problems]) };
}

function successContent({ success, takesBytes }: AnyRoute): Json {
  const { body, contentType = 'application/json', contentTypes } = success;
  const binary = { schema: { type: 'string', format: 'binary' } };
  const text = { schema: { type: 'string', examples: ['$87.50 of $500.00 left, 83 % used: Checkout team'] } };
  if (body && contentTypes) {
    const others = contentTypes.map((type) => [type, text]);
    return {
      content: { [contentType]: { schema: jsonSchema(body, 'output') }, ...Object.fromEntries(others) },
    };
  }
  if (contentTypes) return { content: Object.fromEntries(contentTypes.map((type) => [type, binary])) };
  if (!body) return {};
  const content = { [contentType]: { schema: jsonSchema(body, 'output') } };
  return { content: takesBytes === 'otlp' ? { ...content, [OTLP_TYPES.protobuf]: binary } : content };
}

function errorContent(style: AnyRoute['errorStyle'], codes: readonly ErrorCode[]): Json {
  const component = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });
  if (style === 'json-rpc') return { 'application/json': component('JsonRpcError') };
  if (style === 'oauth') return { 'application/json': component('OAuthError') };
  const binary = { schema: { type: 'string', format: 'binary' } };
  if (style === 'otlp') return { 'application/json': component('OtlpStatus'), [OTLP_TYPES.protobuf]: binary };
  return { 'application/problem+json': { schema: problemOneOf(codes) } };
}

/** Every code that a route may answer with: its own and those of its place in the table. */
export function errorCodesOf(route: AnyRoute): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    'invalid_request',
    'request_timeout',
    'headers_too_large',
    'internal',
    ...(route.errors ?? []),
  ]);
  if (!route.isProbe) codes.add('too_many_requests').add('overloaded').add('store_unavailable');
  if (route.auth.kind !== 'none') codes.add('unauthorized');
  if (route.auth.kind === 'api-key' || route.auth.kind === 'agent') codes.add('missing_scope');
  if (route.auth.kind === 'idp' || route.auth.kind === 'agent') codes.add('issuer_unavailable');
  if (route.method !== 'get') codes.add('outcome_unknown');
  if (route.needsIdempotencyKey || route.takesIdempotencyKey || route.creates)
    codes.add('idempotency_key_reused');
  if (route.creates) codes.add('conflict');
  if (route.body || route.takesBytes)
    codes.add('malformed_json').add('payload_too_large').add('unsupported_media_type');
  return [...codes];
}
