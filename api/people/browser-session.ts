import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import type { VisitorReason } from '../../shared/core/accounts/identity/me.ts';
import type { Identity } from '../../shared/core/accounts/identity/verify-access-token.ts';
import type { Member } from '../../shared/core/accounts/organizations/model.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { createSessionStore } from './session-store.ts';
import { cookieSettings } from './settings.ts';

declare module 'express-session' {
  interface SessionData {
    accountId?: string;
    /** The identity that has signed in: the account may be given to another identity. */
    identity?: Identity;
    /** Epoch ms. */
    loggedInAt?: number;
    /** For the issuer's end-session endpoint; no other token is kept. */
    idToken?: string;
    /** A person who has signed in and is no member. `candidate`: the invitations that wait for a yes. */
    visitor?: { email: string | null; reason: VisitorReason; untilMs: number; candidate?: Candidate };
  }
}

/** The invited members, without an identity so far, whose e-mail the identity provider has verified. */
export interface Candidate {
  accountIds: string[];
  email: string;
  identity: Identity;
}

const IDLE_S = 8 * 3_600;
const LONGEST_MS = 24 * 3_600_000;
const VISIT_MS = 10 * 60_000;

/**
 * The cookie session of the dashboard: 8 hours after the last request it is gone. Only a sign-in sends the cookie: an answer
 * that comes late, of the session before, must not bring the old one back.
 */
export function browserSession(ctx: Context): RequestHandler {
  const { name, options } = cookieSettings(ctx.config);
  return session({
    name,
    secret: ctx.config.sessionSecret,
    store: createSessionStore(ctx, IDLE_S),
    // Behind a proxy it is X-Forwarded-Proto that says https.
    proxy: true,
    resave: false,
    saveUninitialized: false,
    cookie: { ...options, maxAge: LONGEST_MS },
  });
}

/** The account that is signed in, and by which identity, or null. Any session ends 24 hours after its sign-in. */
export function signedIn(ctx: Context, req: Request): { accountId: string; identity: Identity } | null {
  const { accountId, identity, loggedInAt } = req.session;
  if (accountId === undefined || identity === undefined || loggedInAt === undefined) return null;
  return ctx.clock.now() - loggedInAt < LONGEST_MS ? { accountId, identity } : null;
}

/** Begins the session of a member under a new id: one that a stranger may know is worth nothing. */
export async function beginSession(
  ctx: Context,
  req: Request,
  { _id, idp }: Member,
  idToken: string | undefined,
) {
  await regenerate(req);
  req.session.accountId = _id;
  if (idp !== undefined) req.session.identity = idp;
  req.session.loggedInAt = ctx.clock.now();
  if (idToken !== undefined) req.session.idToken = idToken;
  await save(req);
}

/** Begins the session of a visitor, which lasts ten minutes. */
export async function beginVisit(
  ctx: Context,
  req: Request,
  visitor: { email: string | null; reason: VisitorReason; candidate?: Candidate },
  idToken: string | undefined,
): Promise<void> {
  await regenerate(req);
  req.session.visitor = { ...visitor, untilMs: ctx.clock.now() + VISIT_MS };
  if (idToken !== undefined) req.session.idToken = idToken;
  await save(req);
}

/** The visitor of this session, or null once the ten minutes are over. */
export function visitorOf(ctx: Context, req: Request) {
  const { visitor } = req.session;
  return visitor && visitor.untilMs > ctx.clock.now() ? visitor : null;
}

/** Ends the session in the store: its cookie is worth nothing from now on. */
export async function endSession(req: Request): Promise<void> {
  await settled((done) => req.session.destroy(done));
}

async function regenerate(req: Request): Promise<void> {
  await settled((done) => req.session.regenerate(done));
}

async function save(req: Request): Promise<void> {
  await settled((done) => req.session.save(done));
}

async function settled(act: (done: (error: unknown) => void) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    act((error) => (error ? reject(error) : resolve()));
  });
}
