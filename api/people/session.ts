import type { Request, Response } from 'express';
import { z } from 'zod';
import { actingAs } from '../../shared/audit/acting-as.ts';
import {
  acceptInvitation,
  declineInvitation,
  describeInvitation,
} from '../../shared/identity/invitations.ts';
import type { Me, Visitor } from '../../shared/identity/me.ts';
import { readOrganization, timezoneAt } from '../../shared/organizations/read-organization.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { unauthorized } from '../auth/bearer.ts';
import { readBody } from '../serve/body.ts';
import { beginSession, beginVisit, visitorOf } from './browser-session.ts';
import { readPerson } from './person.ts';

/** `GET /dashboard/session`: who is signed in. Throws `not_a_member` for a visitor, `unauthorized` for nobody. */
export async function answerSession(ctx: Context, req: Request, res: Response): Promise<void> {
  res.setHeader('Cache-Control', 'no-store');
  const visitor = visitorOf(ctx, req);
  if (visitor) throw notAMember(await describeVisitor(ctx, visitor));
  const member = await readPerson(ctx, req);
  const organization = await readOrganization(ctx, member.org_id);
  const { _id: id, name, plan, k_anonymity } = organization;
  const timezone = timezoneAt(organization, ctx.clock.now());
  const { user_id, email, role } = member;
  res.json({
    user_id,
    name: member.name,
    email,
    role,
    org: { id, name, plan, timezone, k_anonymity },
  } satisfies Me);
}

async function describeVisitor(
  ctx: Context,
  { email, reason, candidate }: NonNullable<ReturnType<typeof visitorOf>>,
): Promise<Visitor> {
  const contact = ctx.config.supportContact ?? null;
  const invitation = candidate ? await describeInvitation(ctx, candidate) : null;
  // Meanwhile withdrawn, or taken by somebody else.
  const isGone = reason === 'invited' && invitation === null;
  return { email, reason: isGone ? 'unknown' : reason, contact, invitation };
}

function notAMember(visitor: Visitor): DomainError {
  return new DomainError('not_a_member', 'You have signed in, but belong to no organization here.', {
    ...visitor,
  });
}

/** A yes or a no. */
const ANSWER_LIMITS = { types: ['json'], maxBytes: 1_024, deadlineMs: 3_000 } as const;
const answer = z.strictObject({ accept: z.boolean() });

/** `POST /dashboard/join`: the visitor's yes or no to the invitation. A yes begins the member's session. */
export async function answerInvitation(ctx: Context, req: Request, res: Response): Promise<void> {
  const visitor = visitorOf(ctx, req);
  const candidate = visitor?.candidate;
  if (!visitor || !candidate) throw unauthorized();
  const parsed = answer.safeParse(await readBody(req, res, ANSWER_LIMITS));
  if (!parsed.success) throw new DomainError('invalid_request', 'Send { "accept": true } or false.');
  const { accountId } = candidate;
  const { idToken } = req.session;
  if (parsed.data.accept) {
    const member = await actingAs(accountId, () => acceptInvitation(ctx, candidate));
    await beginSession(ctx, req, member, idToken);
  } else {
    await actingAs(accountId, () => declineInvitation(ctx, candidate));
    await beginVisit(ctx, req, { email: visitor.email, reason: 'unknown' }, idToken);
  }
  res.status(204).end();
}
