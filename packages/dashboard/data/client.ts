import createClient from 'openapi-fetch';
import type { paths } from '../../../api/docs/client.d.ts';
import type { Me, SignInProblem, Visitor } from '../../../shared/core/accounts/identity/me.ts';
import { broadcastSession } from './tabs.ts';

/** The header by which the api knows that a change is the dashboard's. */
const OURS = { 'X-Requested-With': 'dashboard' };

/** The API as the dashboard sees it: the same paths below `/dashboard`, with the cookie session. */
export const api = createClient<paths>({ baseUrl: '/dashboard', headers: OURS });

/** The answer of a GET. */
export type AnswerOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Answer } } } };
}
  ? Answer
  : never;

/** A problem document (RFC 9457), or what stands for one when there was no answer. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(status: number, document: Record<string, unknown>) {
    super(typeof document.detail === 'string' ? document.detail : 'The service cannot be reached.');
    this.name = 'Problem';
    this.status = status;
    this.code = typeof document.code === 'string' ? document.code : 'no_answer';
    this.requestId = typeof document.request_id === 'string' ? document.request_id : '';
    this.extra = document;
  }
}

/** The body of an answer. Throws `Problem` for every other outcome. */
export async function take<Body>(
  call: Promise<{ data?: Body; error?: unknown; response: Response }>,
): Promise<Body> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    throw new Problem(0, {});
  });
  if (response.ok) return data as Body;
  throw problemOf(response, error);
}

/** The rows of all pages of a list. */
export async function takeAll<Row>(
  read: (query: {
    limit: number;
    cursor?: string;
  }) => Promise<{ data: Row[]; cursor: string; has_more: boolean }>,
): Promise<Row[]> {
  let page = await read({ limit: 100 });
  const rows = [...page.data];
  while (page.has_more) {
    page = await read({ limit: 100, cursor: page.cursor });
    rows.push(...page.data);
  }
  return rows;
}

export function problemOf(response: Response, body: unknown): Problem {
  const isDocument = typeof body === 'object' && body !== null;
  const document = isDocument ? (body as Record<string, unknown>) : { detail: response.statusText };
  const requestId = response.headers.get('x-request-id') ?? '';
  return new Problem(response.status, { request_id: requestId, ...document });
}

/** Returns the person who is signed in. Throws `Problem`: `unauthorized` for nobody, `not_a_member` for a visitor. */
export async function readMe(): Promise<Me> {
  return own<Me>('session');
}

/** Answers one invitation. */
export async function answerInvitation(answer: { invitation: string; accept: boolean }): Promise<void> {
  await own('join', answer);
}

/** Ends the session; where to go from here. */
export async function signOut(): Promise<string> {
  const { location } = await own<{ location: string }>('logout', {});
  broadcastSession(null);
  return location;
}

/** The dashboard's own few endpoints, which are in no OpenAPI document. */
async function own<Body>(path: string, body?: unknown): Promise<Body> {
  // A reading one has no header of its own, so that the page's preload of `session` serves.
  const sent =
    body === undefined
      ? {}
      : {
          method: 'POST',
          headers: { ...OURS, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        };
  const response = await fetch(`/dashboard/${path}`, sent).catch(() => {
    throw new Problem(0, {});
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const parsed: unknown = isJson ? JSON.parse(text) : undefined;
  if (!response.ok) throw problemOf(response, parsed);
  return parsed as Body;
}

/** The visitor that `not_a_member` describes. */
export function visitorOf(problem: Problem): Visitor | null {
  return problem.code === 'not_a_member' ? (problem.extra as unknown as Visitor) : null;
}

/** Why signing in would fail too, as `unauthorized` describes it. */
export function signInProblemOf(problem: Problem): SignInProblem | null {
  return (problem.extra.sign_in_problem as SignInProblem | undefined) ?? null;
}
