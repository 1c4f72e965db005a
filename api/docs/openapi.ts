import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../shared/platform/basics/errors.ts';
import { type BodyType, MEDIA_TYPES } from '../basics/media-types.ts';
import { oauthErrorDocument } from '../basics/oauth-error.ts';
import { problemDocument } from '../basics/problem.ts';
import type { AnyRoute, Auth } from '../basics/route.ts';
import { otlpStatus } from '../otlp/answer.ts';
import { OTLP_TYPES } from '../otlp/body.ts';

type Json = Record<string, unknown>;

/** OpenAPI 3.1 of the table: what is documented is what is parsed. */
export function openApiDocument(routes: readonly AnyRoute[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    paths[route.path] = path;
    path[route.method] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'usage-governor',
      version: '1',
      description: 'Sessions, budgets, anomalies and signed webhooks of AI usage; credits that add up.',
    },
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'API key `ugk_…`' },
        deviceToken: { type: 'http', scheme: 'bearer', description: 'Device token `ugd_…`' },
        session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Access token of the identity provider',
        },
        operator: { type: 'http', scheme: 'bearer', description: 'Operator token' },
      },
      schemas: {
        Problem: jsonSchema(problemDocument, 'output'),
        OAuthError: jsonSchema(oauthErrorDocument, 'output'),
        OtlpStatus: jsonSchema(otlpStatus, 'output'),
      },
    },
  };
}

function operationOf(route: AnyRoute): Json {
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: [route.tag],
    security: securityOf(route.auth),
    parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')],
    ...(route.body
      ? {
          requestBody: {
            required: true,
            content: requestContent(route.body, route.bodyTypes),
          },
        }
      : {}),
    ...(route.takesBytes ? { requestBody: { content: bytesContent() } } : {}),
    responses: responsesOf(route),
  };
}

/** The messages themselves are opentelemetry-proto's. */
function bytesContent(): Json {
  return { [OTLP_TYPES.protobuf]: {}, [OTLP_TYPES.json]: { schema: { type: 'object' } } };
}

function requestContent(body: z.ZodType, types: readonly BodyType[] = ['json']): Json {
  const schema = jsonSchema(body, 'input');
  return Object.fromEntries(types.map((type) => [MEDIA_TYPES[type], { schema }]));
}

function operationId(route: AnyRoute): string {
  const words = route.path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return [route.method, ...words].join('_');
}

function securityOf(auth: Auth): Json[] {
  if (auth.kind === 'api-key') return [{ apiKey: [auth.scope] }];
  if (auth.kind === 'device') return [{ deviceToken: [] }];
  if (auth.kind === 'idp') return [{ session: [] }];
  if (auth.kind === 'operator') return [{ operator: [] }];
  return [];
}

function parametersOf(schema: z.ZodType | undefined, where: 'path' | 'query'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(property.description ? { description: property.description } : {}),
    schema: property,
  }));
}

function responsesOf(route: AnyRoute): Json {
  const { status, description, body, contentType = 'application/json' } = route.success;
  const success = body ? { content: { [contentType]: { schema: jsonSchema(body, 'output') } } } : {};
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => ERRORS[code].status);
  const problems = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([problemStatus, codes]) => [
      String(problemStatus),
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('. '),
        content: errorContent(route.errorStyle),
      },
    ]);
  return { [String(status)]: { description, ...success }, ...Object.fromEntries(problems) };
}

function errorContent(style: AnyRoute['errorStyle']): Json {
  const schema = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });
  if (style === 'oauth') return { 'application/json': schema('OAuthError') };
  if (style === 'otlp') return { 'application/json': schema('OtlpStatus'), [OTLP_TYPES.protobuf]: {} };
  return { 'application/problem+json': schema('Problem') };
}

/** Every code that a route may answer with: its own and those of its place in the table. */
export function errorCodesOf(route: AnyRoute): ErrorCode[] {
  const codes = new Set<ErrorCode>(['invalid_request', 'internal', ...route.errors]);
  if (!route.isProbe) codes.add('too_many_requests').add('overloaded');
  if (route.auth.kind !== 'none') codes.add('unauthorized');
  if (route.auth.kind === 'api-key') codes.add('missing_scope').add('store_unavailable');
  if (route.auth.kind === 'idp') codes.add('store_unavailable').add('issuer_unavailable');
  if (route.body) codes.add('malformed_json').add('payload_too_large').add('unsupported_media_type');
  return [...codes];
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return rest;
}
