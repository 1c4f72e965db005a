import type { AnyRoute } from '../basics/route.ts';
import type { Json } from '../json-schema/schema.ts';

/** Headers that several answers have, as components. */
export const HEADERS: Readonly<Record<string, Json>> = {
  'X-Request-Id': text('The id of the request in our log: your own `X-Request-Id`, or a new one', 'req-4f1c'),
  'WWW-Authenticate': text('The scheme of the credential that is missing, and where it comes from', 'Bearer'),
  'Retry-After': whole('Seconds after which it is worth trying again', 1),
  'X-Governor-Refused-By': text('The budget that refuses', 'bud_265VlOTVsHHAS6VgmGZoFZ'),
  'RateLimit-Policy': text('The limit: requests (`q`) per window of seconds (`w`)', '"default";q=600;w=1'),
  RateLimit: text('Requests that are left (`r`) for so many seconds (`t`)', '"default";r=599;t=1'),
  'Idempotent-Replayed': text('`true` when this answer was made for an earlier request', 'true'),
  'Idempotency-Expires': whole('Until when a repeat gets this answer (Unix seconds)', 1_767_225_600),
};

function text(description: string, example: string): Json {
  return { description, schema: { type: 'string', examples: [example] } };
}

function whole(description: string, example: number): Json {
  return { description, schema: { type: 'integer', format: 'int64', examples: [example] } };
}

/** The headers of the answers of a route by status: references to the components, and those of the route itself. */
export function headersOf(route: AnyRoute, status: number): Json {
  const isSuccess = status === route.success.status;
  const isCounted = !route.isProbe && route.auth.kind !== 'operator' && status !== 401;
  const isRefusal = status === 403 && route.errors?.includes('budget_refused') === true;
  const names = [
    'X-Request-Id',
    ...(status === 401 || (status === 403 && route.auth.kind === 'agent') ? ['WWW-Authenticate'] : []),
    ...(status === 429 || status === 503 || isRefusal ? ['Retry-After'] : []),
    ...(isRefusal ? ['X-Governor-Refused-By'] : []),
    ...(isCounted ? ['RateLimit-Policy', 'RateLimit'] : []),
    ...(isSuccess && (route.creates || route.takesIdempotencyKey || route.auth.kind === 'device')
      ? ['Idempotent-Replayed', 'Idempotency-Expires']
      : []),
  ];
  const shared = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  const own = Object.entries(isSuccess ? (route.success.headers ?? {}) : {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return Object.fromEntries([...shared, ...own]);
}
