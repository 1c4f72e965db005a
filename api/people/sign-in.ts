import type { Request, Response } from 'express';
import * as oidc from 'openid-client';
import { confirmEmail } from '../../shared/core/accounts/identity/confirm-email.ts';
import { findMemberByIdentity } from '../../shared/core/accounts/identity/find-member.ts';
import { type Claims, findInvitations } from '../../shared/core/accounts/identity/invitations.ts';
import { dashboardUrl } from '../../shared/platform/basics/config.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { problemOf } from '../basics/problem.ts';
import { beginSession, beginVisit } from './browser-session.ts';
import { issuerOf, issuerUnavailable } from './issuer.ts';
import { cookieSettings, returnPath } from './settings.ts';
import { keepSignIn, takeSignIn } from './sign-in-cookie.ts';

/** `GET /dashboard/login?return_to=`: sends the browser to the identity provider (authorization code, PKCE, state, nonce). */
export async function beginSignIn(ctx: Context, req: Request, res: Response): Promise<void> {
  refuseLostCookie(ctx, req);
  const issuer = await issuerOf(ctx);
  const verifier = oidc.randomPKCECodeVerifier();
  const underWay = {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier,
    returnTo: returnPath(ctx.config, req.query.return_to),
  };
  await keepSignIn(ctx, res, underWay);
  const url = oidc.buildAuthorizationUrl(issuer, {
    redirect_uri: dashboardUrl(ctx.config, 'callback'),
    scope: 'openid profile email',
    state: underWay.state,
    nonce: underWay.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  res.redirect(url.href);
}

/** Behind a proxy that does not say https, a Secure cookie would be lost and the sign-in would begin again for ever. */
function refuseLostCookie(ctx: Context, req: Request): void {
  if (!cookieSettings(ctx.config).options.secure || req.secure) return;
  if (req.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https') return;
  throw new DomainError(
    'not_ready',
    'BASE_URL is https, but this request came as http: the proxy must set X-Forwarded-Proto: https.',
  );
}

/** `GET /dashboard/callback`: what the identity provider answers. Ends in a session or a visit. */
export async function endSignIn(ctx: Context, req: Request, res: Response): Promise<void> {
  const underWay = await takeSignIn(ctx, req, res);
  if (!underWay) throw new DomainError('invalid_grant', 'This sign-in was not begun here, or too long ago.');
  const { claims, idToken } = await redeemCode(ctx, req, underWay);
  const member = await findMemberByIdentity(ctx, { iss: claims.iss, sub: claims.sub });
  if (member) {
    await confirmEmail(ctx, member, emailIn(claims));
    await beginSession(ctx, req, member, idToken);
  } else await receiveVisitor(ctx, req, claims, idToken);
  res.redirect(underWay.returnTo);
}

async function redeemCode(
  ctx: Context,
  req: Request,
  underWay: { state: string; nonce: string; verifier: string },
): Promise<{ claims: oidc.IDToken; idToken: string | undefined }> {
  const issuer = await issuerOf(ctx);
  const at = new URL(dashboardUrl(ctx.config, 'callback'));
  at.search = new URL(req.originalUrl, at).search;
  try {
    const tokens = await oidc.authorizationCodeGrant(issuer, at, {
      pkceCodeVerifier: underWay.verifier,
      expectedState: underWay.state,
      expectedNonce: underWay.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('There is no ID token.');
    return { claims, idToken: tokens.id_token };
  } catch (error) {
    ctx.log.warn(failureOf(error), 'a sign-in failed');
    if (isUnreachable(error)) throw issuerUnavailable();
    throw new DomainError('invalid_grant', 'The identity provider did not confirm this sign-in.');
  }
}

/**
 * The part of a failed sign-in that the log keeps: its kind, and the code of the identity provider. All else is what anybody
 * wrote into the URL, the unused code too.
 */
function failureOf(error: unknown): Record<string, string> {
  const { name, code, error: told } = error as Record<string, unknown>;
  const texts = Object.entries({ name, code, error: told }).filter(([, text]) => typeof text === 'string');
  return Object.fromEntries(texts.map(([field, text]) => [field, String(text).slice(0, 64)]));
}

/** True when a request had no answer: `fetch` throws TypeError, openid-client names its own deadline. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof oidc.ClientError && error.code === 'OAUTH_TIMEOUT');
}

function emailIn(claims: oidc.IDToken): Claims {
  const email = typeof claims.email === 'string' ? claims.email : null;
  return { email, isVerified: claims.email_verified === true };
}

/** Nobody is taken into an organization unasked: a person with an invitation is asked first. */
async function receiveVisitor(ctx: Context, req: Request, claims: oidc.IDToken, idToken: string | undefined) {
  const { email, isVerified } = emailIn(claims);
  const { reason, accountIds } = await findInvitations(ctx, { email, isVerified });
  const identity = { iss: claims.iss, sub: claims.sub };
  const candidate = reason === 'invited' && email !== null ? { accountIds, email, identity } : null;
  const visitor = { email, reason, ...(candidate ? { candidate } : {}) };
  await beginVisit(ctx, req, visitor, idToken);
}

/** Redirects a failed sign-in to a page, which explains each code to the person. */
export function sendAway(ctx: Context, res: Response, error: unknown): void {
  const problem = problemOf(error);
  if (problem.code === 'internal') ctx.log.error({ err: error }, 'a sign-in failed');
  const query = new URLSearchParams({ problem: problem.code, request_id: String(res.locals.requestId) });
  res.redirect(`${dashboardUrl(ctx.config, 'signed-out')}?${query.toString()}`);
}
