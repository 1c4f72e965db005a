import { signalInput } from '../../shared/core/calls/signals/input.ts';
import type { ErrorCode } from '../../shared/platform/basics/errors.ts';
import { jsonRpcResponse } from '../basics/json-rpc.ts';
import { oauthErrorDocument } from '../basics/oauth-error.ts';
import type { AnyRoute } from '../basics/route.ts';
import { inputComponent, type Json, jsonSchema } from '../json-schema/schema.ts';
import { otlpStatus } from '../otlp/answer.ts';
import { HEADERS } from './headers.ts';
import { bodySchemas, errorCodesOf, operationOf } from './operation.ts';
import { problemSchemas } from './problems.ts';
import { EVENTS_TAG, webhookOperations } from './webhook-events.ts';

/** The OpenAPI 3.1 document of the table: what is documented is what is parsed and sent. */
export function openApiDocument(routes: readonly AnyRoute[], serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    paths[route.path] = path;
    for (const method of route.method === 'any' ? (['get', 'post'] as const) : [route.method])
      path[method] = operationOf(route, method);
  }
  const used = [...new Set([...routes.map((route) => route.tag), EVENTS_TAG])];
  return {
    openapi: '3.1.0',
    info: {
      title: 'usage-governor',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl, description: 'This deployment' }],
    tags: used.map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    webhooks: webhookOperations(),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      schemas: {
        ...problemSchemas(codesOf(routes)),
        ...bodySchemas(routes),
        SignalInput: inputComponent(signalInput),
        OAuthError: jsonSchema(oauthErrorDocument, 'output'),
        JsonRpcError: jsonSchema(jsonRpcResponse, 'output'),
        OtlpStatus: jsonSchema(otlpStatus, 'output'),
      },
    },
  };
}

/** The codes that some route answers with as a problem document, and those of any other path and method. */
function codesOf(routes: readonly AnyRoute[]): Set<ErrorCode> {
  const own = routes.filter((route) => (route.errorStyle ?? 'problem') === 'problem').flatMap(errorCodesOf);
  return new Set(own);
}

const DESCRIPTION = `Sessions, budgets, anomalies and signed webhooks of AI usage; credits that add up.

Paths under \`/api/v1\`, \`/otlp\` and \`/hooks\` take an API key (\`ugk_…\`), those under \`/v1\` a person's session,
\`/v1/meter\` a device token (\`ugd_…\`), \`/metrics\` and \`/admin\` the operator's (\`ugo_…\`). All are sent as
\`Authorization: Bearer …\`, and none replaces another.

Errors are problem documents (RFC 9457) with a stable \`code\`. A path without the method answers 405
\`method_not_allowed\` with \`Allow\`, an unknown path 404 \`not_found\`; headers over 16 KiB are 431
\`headers_too_large\`. Times under \`/api/v1\` are ISO 8601 in UTC, under \`/v1\` Unix seconds.`;

const SECURITY_SCHEMES: Readonly<Record<string, Json>> = {
  apiKey: bearer('An API key `ugk_…`. It holds scopes; each operation names the one that it needs.'),
  deviceToken: bearer('The token `ugd_…` of a linked device.'),
  session: { ...bearer("A person's access token of the identity provider."), bearerFormat: 'JWT' },
  agent: {
    ...bearer(
      "A person's access token of the identity provider for `MCP_AUDIENCE`, with the scopes that its tools need.",
    ),
    bearerFormat: 'JWT',
  },
  operator: bearer('The operator token of this deployment.'),
};

function bearer(description: string): Json {
  return { type: 'http', scheme: 'bearer', description };
}

/** The description of each group of operations. */
const TAGS: Readonly<Record<string, string>> = {
  Signals: 'Raw events of AI tools, one per call: what everything else is computed from.',
  Sessions: 'Periods of activity of one user, project and adapter, with the signals in them.',
  Budgets: 'Thresholds on usage, which raise events at 80 % and at 100 %.',
  Raises: 'Requests of people for more of a budget, which admins answer.',
  Anomalies: 'Sessions that are unlike what is usual for their user.',
  Usage: 'Sums of usage and cost, as an answer, a file, or analytics that single out no member.',
  Exports: 'Buckets and folders that get the files of each finished day.',
  'Pull requests': 'Pull requests of code hosts, as webhooks and CI jobs report them.',
  Webhooks: 'Endpoints that receive signed events, and the log of what was sent to them.',
  Events: 'The requests that the endpoint of a webhook receives.',
  Organization: 'Settings and limits, and the log of who changed what.',
  Credits: 'Credits that are spent for signed outputs, and the ledger of all changes.',
  Devices: 'Machines that spend the credits of an account.',
  Members: 'The people of an organization.',
  Keys: 'API keys of an organization.',
  OpenTelemetry: 'OTLP/HTTP: usage as coding agents and SDKs report it.',
  MCP: 'The Model Context Protocol: the same figures and budgets as tools of an agent.',
  Operations: 'Probes, metrics and corrections for those who run the service.',
};
