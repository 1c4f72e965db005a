import type { Request, Response } from 'express';
import { z } from 'zod';
import { actingAs } from '../../shared/core/accounts/audit/record-audit.ts';
import {
  acceptInvitation,
  declineInvitation,
  describeInvitations,
} from '../../shared/core/accounts/identity/invitations.ts';
import type { Me, SignInProblem, Visitor } from '../../shared/core/accounts/identity/me.ts';
import { whyNobodySignsIn } from '../../shared/core/accounts/identity/sign-in-state.ts';
import { readOrganization, timezoneAt } from '../../shared/core/accounts/organizations/read-organization.ts';
import { plansOf } from '../../shared/core/credits/meter/plans.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { unauthorized } from '../auth/bearer.ts';
import { readBody } from '../serve/body.ts';
import { beginSession, beginVisit, type Candidate, visitorOf } from './browser-session.ts';
import { readPerson } from './person.ts';

/** `GET /dashboard/session`: who is signed in. Throws `not_a_member` for a visitor, `unauthorized` for nobody. */
export async function answerSession(ctx: Context, req: Request, res: Response): Promise<void> {
  res.setHeader('Cache-Control', 'no-store');
  const visitor = visitorOf(ctx, req);
  if (visitor) throw notAMember(await describeVisitor(ctx, visitor));
  const member = await readPerson(ctx, req).catch((error) => refuseStranger(ctx, error));
  const organization = await readOrganization(ctx, member.org_id);
  const { _id: id, name, plan, k_anonymity } = organization;
  const timezone = timezoneAt(organization, ctx.clock.now());
  const { user_id, email, role } = member;
  res.json({
    user_id,
    name: member.name,
    email,
    role,
    org: { id, name, plan, timezone, k_anonymity, window_s: plansOf(ctx)[plan].window_s },
    sends_mail: ctx.config.smtpUrl !== undefined,
    sign_in_problem: await readSignInProblem(ctx),
  } satisfies Me);
}

/** Adds to `unauthorized` that signing in would fail too, so that the page says so before somebody tries. */
async function refuseStranger(ctx: Context, error: unknown): Promise<never> {
  if (!(error instanceof DomainError && error.code === 'unauthorized')) throw error;
  const sign_in_problem = await readSignInProblem(ctx);
  throw sign_in_problem === null
    ? error
    : new DomainError(error.code, error.message, { ...error.extra, sign_in_problem });
}

async function readSignInProblem(ctx: Context): Promise<SignInProblem | null> {
  const detail = await whyNobodySignsIn(ctx);
  return detail === null ? null : { detail, contact: ctx.config.supportContact ?? null };
}

async function describeVisitor(
  ctx: Context,
  { email, reason, candidate }: NonNullable<ReturnType<typeof visitorOf>>,
): Promise<Visitor> {
  const contact = ctx.config.supportContact ?? null;
  const invitations = candidate ? await describeInvitations(ctx, candidate) : [];
  // Meanwhile withdrawn, or taken by somebody else.
  const isGone = reason === 'invited' && invitations.length === 0;
  return { email, reason: isGone ? 'unknown' : reason, contact, invitations };
}

function notAMember(visitor: Visitor): DomainError {
  return new DomainError('not_a_member', 'You have signed in, but belong to no organization here.', {
    ...visitor,
  });
}

/** A yes or a no to one invitation. */
const ANSWER_LIMITS = { maxBytes: 1_024, deadlineMs: 3_000 };
const answer = z.strictObject({ invitation: z.string(), accept: z.boolean() });

/**
 * `POST /dashboard/join`: the visitor's yes or no to one of the invitations. A yes begins the member's session; after a no
 * the other invitations are left.
 */
export async function answerInvitation(ctx: Context, req: Request, res: Response): Promise<void> {
  const visitor = visitorOf(ctx, req);
  const candidate = visitor?.candidate;
  if (!visitor || !candidate) throw unauthorized();
  const parsed = answer.safeParse(await readBody(req, ANSWER_LIMITS));
  if (!parsed.success)
    throw new DomainError('invalid_request', 'Send { "invitation": its id, "accept": true } or false.');
  const { invitation: accountId, accept } = parsed.data;
  if (!candidate.accountIds.includes(accountId))
    throw new DomainError('not_found', 'There is no such invitation.');
  const invitation = { accountId, email: candidate.email, identity: candidate.identity };
  const { idToken } = req.session;
  if (accept) {
    const member = await actingAs(accountId, () => acceptInvitation(ctx, invitation));
    await beginSession(ctx, req, member, idToken);
  } else {
    await actingAs(accountId, () => declineInvitation(ctx, invitation));
    await beginVisit(ctx, req, withoutInvitation(visitor, candidate, accountId), idToken);
  }
  res.status(204).end();
}

function withoutInvitation(
  { email }: { email: string | null },
  candidate: Candidate,
  accountId: string,
): Parameters<typeof beginVisit>[2] {
  const accountIds = candidate.accountIds.filter((id) => id !== accountId);
  return accountIds.length > 0
    ? { email, reason: 'invited', candidate: { ...candidate, accountIds } }
    : { email, reason: 'unknown' };
}
