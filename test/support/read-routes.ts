import type { AnyRoute } from '../../api/basics/route.ts';
import { openApiDocument } from '../../api/docs/openapi.ts';
import { routes as table } from '../../api/routes/index.ts';
import type { As, WholeTenant } from './whole-tenant.ts';
import type { Schema } from './wrong-values.ts';

/** Every route of the table, those that read, and those of them that show a page. */
export const routes = table({ stopping: false });
export const reads = routes.filter(({ method, isProbe }) => method === 'get' && !isProbe);
export const nameOf = ({ method, path }: AnyRoute): string => `${method} ${path}`;

export type Row = Record<string, unknown> & { id?: string; user_id?: string };

/** The object that a parameter names, by the part of the path before it. */
const OBJECTS: Readonly<Record<string, (of: WholeTenant) => string | undefined>> = {
  'sessions/{id}': ({ gated }) => gated,
  'pull-requests/{id}': ({ pullRequest }) => pullRequest,
  'budgets/{id}': ({ budgets }) => budgets[0],
  'v1/raises/{id}': ({ ownRaises }) => ownRaises[0],
  'api/v1/raises/{id}': ({ raises }) => raises[0],
  'destinations/{id}': ({ destination }) => destination,
  'price-rules/{id}': ({ priceRules }) => priceRules[0] ?? '',
  'repricings/{id}': ({ repricings }) => repricings[0] ?? '',
  'runs/{run_id}': ({ run }) => run,
  'webhooks/{id}': ({ webhook }) => webhook,
  'deliveries/{delivery_id}': ({ deliveries }) => deliveries[0],
  'org/{orgId}': ({ orgId }) => orgId,
};
/** Paths with a parameter that names no object of an organization. */
export const NO_OBJECT = new Set(['/v1/credits/checkout/{id}', '/v1/unsubscribe/{token}']);

/** The path of a route with the ids of an organization. */
export function pathOf(path: string, of: WholeTenant): string {
  if (path.endsWith('/people')) return path.replace('{id}', of.template);
  if (path.endsWith('/deliveries')) return path.replace('{id}', of.digested);
  return path.replaceAll(/(\/?(?:api\/)?[^/]+\/)?[^/]+\/\{\w+\}/g, (part) => {
    const known = Object.keys(OBJECTS)
      .toSorted((a, b) => b.length - a.length)
      .find((end) => part.endsWith(end));
    return part.replace(/\{\w+\}/, OBJECTS[known ?? '']?.(of) ?? '');
  });
}

const HOLDERS: Record<AnyRoute['auth']['kind'], As> = {
  none: 'nobody',
  'api-key': 'key',
  agent: 'key',
  idp: 'admin',
  device: 'device',
  operator: 'operator',
};
/** Reads that only their own person may do. */
export const holderOf = ({ path, auth }: AnyRoute): As =>
  path.startsWith('/v1/raises') || path === '/v1/ledger' ? 'ada' : HOLDERS[auth.kind];

/** Another reader of the same organization, with less to see. */
export const SEES_LESS: Partial<Record<As, As>> = { key: 'bound', admin: 'ada' };

interface Parameter {
  name: string;
  in: string;
  description?: string;
  schema: Omit<Schema, 'enum'> & { enum?: string[]; default?: unknown };
}
interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses?: Record<string, { description: string }>;
}

const document = openApiDocument(routes, 'https://usage-governor.test') as unknown as {
  paths: Record<string, Record<string, Operation>>;
};
const operationOf = ({ path, method }: AnyRoute) => document.paths[path]?.[method === 'any' ? 'get' : method];
/** The codes of the errors that a route documents. */
export function codesOf(route: AnyRoute): Set<string> {
  const { responses = {} } = operationOf(route) ?? {};
  const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return new Set(
    failures.flatMap(([, { description }]) =>
      [...description.matchAll(/`(\w+)`: /g)].map(([, code]) => code ?? ''),
    ),
  );
}
/** The parameters of a route's query. */
export const queryOf = (route: AnyRoute) =>
  (operationOf(route)?.parameters ?? []).filter((parameter) => parameter.in === 'query');
/** The fields of a route's body of JSON. */
export const fieldsOf = (route: AnyRoute): Schema =>
  operationOf(route)?.requestBody?.content['application/json']?.schema ?? {};
export const lists = reads.filter((route) => queryOf(route).some(({ name }) => name === 'cursor'));

/** Parameters that filter nothing, or by more than a value. */
export const NO_FILTER = new Set([
  'limit',
  'cursor',
  'order',
  'include',
  'sort',
  'from',
  'to',
  'min_cost_usd',
]);

/** The first values of a field in rows. */
export function valuesOf(rows: readonly Row[], name: string): string[] {
  const values = rows.map((row) => row[name]).filter((value) => ['string', 'number'].includes(typeof value));
  return [...new Set(values.map(String))].slice(0, 2);
}
