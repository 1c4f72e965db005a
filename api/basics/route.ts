import type { z } from 'zod';
import type { OtlpEncoding } from '../../shared/core/calls/adapters/otlp/read-records.ts';
import type { Role, Scope } from '../../shared/platform/basics/contract.ts';
import type { ErrorCode } from '../../shared/platform/basics/errors.ts';
import type { IdPrefix } from '../../shared/platform/basics/ids.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import type { BodyType } from './media-types.ts';

export interface ApiState {
  /** Set on SIGTERM: readiness turns off before the port does. */
  stopping: boolean;
}

/** The credential that a route asks for. No kind of credential stands in for another. */
export type Auth =
  | { kind: 'none' }
  /**
   * Without a scope: any key. `fromMemory`: also while MongoDB does not answer, and revoked within a
   * second. `isConfirmedLater`: the handler waits for `principal.confirmed` before anything is committed. `keyHeader`: a header
   * for the key that goes before `Authorization`.
   */
  | { kind: 'api-key'; scope?: Scope; fromMemory?: true; isConfirmedLater?: true; keyHeader?: string }
  | { kind: 'device' }
  /** `role`: admins only. */
  | { kind: 'idp'; role?: 'admin' }
  /** A key, or a person's access token for the MCP endpoint. The handler checks the scope, which the tool decides. */
  | { kind: 'agent' }
  | { kind: 'operator' };

/** The caller, by kind of credential. */
export type PrincipalOf<A extends Auth> = A extends { kind: 'api-key' | 'agent' }
  ? ApiKeyPrincipal
  : A extends { kind: 'device' }
    ? DevicePrincipal
    : A extends { kind: 'idp' }
      ? IdentityPrincipal
      : A extends { kind: 'operator' }
        ? { kind: 'operator' }
        : { kind: 'none' };

export interface ApiKeyPrincipal {
  kind: 'api-key';
  keyId: string;
  orgId: string;
  scopes: readonly Scope[];
  /** Set: the key sees and reports only this user. */
  userId: string | null;
  projectId: string | null;
  /** A person in the place of a key: `keyId` is the account. */
  isPerson?: true;
  /** The look-up of a key that this process has seen before. Rejects with `unauthorized` for one that has ended. */
  confirmed?: Promise<unknown>;
}

/** The claims of a device token. The spend's script proves that it is genuine. */
export interface DevicePrincipal {
  kind: 'device';
  accountId: string;
  tokenId: string;
  /** Keyed hash of the whole token. */
  tokenHmac: string;
}

/** A person with a session of the identity provider. The account is the member, with credits and devices. */
export interface IdentityPrincipal {
  kind: 'idp';
  accountId: string;
  orgId: string;
  userId: string;
  role: Role;
}

/** The order in which load is shed: exports first, spends last. */
export type Priority = 'consume' | 'ingest' | 'read' | 'export';

type Shape = z.ZodType;
type OutputOf<S extends Shape | undefined> = S extends Shape ? z.output<S> : undefined;

export interface Input<
  A extends Auth,
  P extends Shape | undefined,
  Q extends Shape | undefined,
  B extends Shape | undefined,
> {
  principal: PrincipalOf<A>;
  params: OutputOf<P>;
  query: OutputOf<Q>;
  body: OutputOf<B>;
  request: {
    id: string;
    address: string;
    header(name: string): string | undefined;
    aborted: AbortSignal;
    /** The body of a route that takes bytes; null for any other. */
    bytes: { body: Uint8Array; encoding: OtlpEncoding } | null;
  };
}

/**
 * One endpoint: schema, handler and documentation in one object. `api/serve/` runs it: authenticate, parse,
 * handle, check the answer, send. `api/docs/openapi.ts` describes it.
 */
export interface Route<
  A extends Auth = Auth,
  P extends Shape | undefined = Shape | undefined,
  Q extends Shape | undefined = Shape | undefined,
  B extends Shape | undefined = Shape | undefined,
  S extends Shape | undefined = Shape | undefined,
> {
  /** `any`: whatever a proxy sends; the document shows GET and POST. */
  method: 'get' | 'post' | 'patch' | 'put' | 'delete' | 'any';
  /** With `{name}` for parameters, as OpenAPI writes it. */
  path: string;
  /** The route takes every path below its own too, and reads neither path nor query. */
  isPrefix?: true;
  /** A POST that only reads, as its question is too large for a query. */
  changesNothing?: true;
  summary: string;
  description?: string;
  tag: string;
  auth: A;
  /** Default: `read`. */
  priority?: Priority;
  /** A probe is neither counted nor shed: a busy process that looked dead would be restarted when it is needed most. */
  isProbe?: true;
  params?: P;
  query?: Q;
  body?: B;
  /** A request without a body counts as one with `{}`. */
  bodyIsOptional?: true;
  /** The types that a body may have. Default: JSON. */
  bodyTypes?: readonly BodyType[];
  /** The largest body after inflating. Default: 1 MiB. */
  bodyBytes?: number;
  /**
   * For large bodies of which little is read: the members that are parsed; others are skipped as bytes. Such a body takes
   * no Content-Encoding.
   */
  readsOnly?: readonly string[];
  /** Throws for a request that its headers rule out, before its body is read. */
  refuseByHeaders?(header: (name: string) => string | undefined, ctx: Context): void;
  /** How often one address may call, where that is rarer than anything else it may do. */
  perAddress?: { most: number; perS: number };
  /** A route that does nothing without an `Idempotency-Key`. */
  needsIdempotencyKey?: true;
  /** A route that keeps answers by `Idempotency-Key` itself, where a caller sends one. */
  takesIdempotencyKey?: true;
  /** For a route that creates something: it takes an `Idempotency-Key`. */
  creates?: Creates<A>;
  /**
   * Instead of `body`: its handler reads the bytes by `request.bytes`. They are OTLP (protobuf or JSON), or JSON that the
   * handler parses itself, without Content-Encoding.
   */
  takesBytes?: 'otlp' | 'json';
  /** Headers that the handler reads, by name, each with what it says and an example. */
  requestHeaders?: Readonly<Record<string, { description: string; example: string; isRequired?: true }>>;
  /** How errors are written: as problem+json (the default), as in RFC 6749 section 5.2, as OTLP/HTTP does, or as JSON-RPC 2.0. */
  errorStyle?: 'problem' | 'oauth' | 'otlp' | 'json-rpc';
  /** The shape of the answer is checked before it is sent, so that nothing leaks. */
  success: {
    status: 200 | 201 | 202 | 204;
    description: string;
    body?: S;
    /** The last member of the body, where it is a list that may be long: then it is written in pieces. */
    list?: string;
    /** Default: JSON. */
    contentType?: string;
    /** Where a parameter chooses: of several files, or, beside `body`, of texts. */
    contentTypes?: readonly string[];
    /** Other answers without a failure, by status: they have no body. */
    empty?: Readonly<Partial<Record<202 | 204, string>>>;
    /** Headers that only this answer has, by name, each with what it says. */
    headers?: Readonly<Record<string, string>>;
  };
  /** The codes beside those that every route may answer with. */
  errors?: readonly ErrorCode[];
  handle(input: Input<A, P, Q, B>, ctx: Context): Promise<Answer<S>>;
}

/** The object that a route creates, and how a repeat finds it. */
export interface Creates<A extends Auth = Auth> {
  /** The prefix of the id that `newId` gives the new object. */
  prefix: IdPrefix;
  /** The id of the created object, if it is not the one that the prefix makes. */
  idOf?(created: string): string;
  /** The answer again, read from the store. Throws `not_found`. */
  get(principal: PrincipalOf<A>, id: string, ctx: Context): Promise<unknown>;
  /** The answer holds a secret, so it is not kept: a repeat is a `conflict` that names the `id`. */
  holdsSecret?: true;
}

export type Answer<S extends Shape | undefined> = (S extends Shape ? z.input<S> : undefined) | Reply;

/** An answer that is more than a body to check. */
export interface Reply {
  reply: true;
  /** Instead of the route's own status. */
  status?: number;
  headers?: Record<string, string>;
  /**
   * Bytes as they are, or chunks that are written with back-pressure. The handler answers for their shape. When the
   * first chunk waits for the first read, a failure of that read still has a status of its own.
   */
  content: Buffer | string | AsyncIterable<string | Uint8Array>;
}

export function reply(
  content: Reply['content'],
  headers: Record<string, string> = {},
  status?: number,
): Reply {
  return { reply: true, content, headers, ...(status === undefined ? {} : { status }) };
}

export function isReply(answer: unknown): answer is Reply {
  return typeof answer === 'object' && answer !== null && 'reply' in answer && answer.reply === true;
}

/** Keeps the types of one route together; the table holds them as `AnyRoute`. */
export function route<
  const A extends Auth,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
  S extends Shape | undefined = undefined,
>(definition: Route<A, P, Q, B, S>): AnyRoute {
  return definition as unknown as AnyRoute;
}

export type AnyRoute = Omit<Route, 'handle'> & {
  handle(
    input: Input<Auth, Shape | undefined, Shape | undefined, Shape | undefined>,
    ctx: Context,
  ): Promise<unknown>;
};
