import type { ClientSession } from 'mongoose';
import { commitPlan, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { DueJob, DueRow } from '../../../platform/due/model.ts';
import { clearDue, readDue, setDue } from '../../../platform/due/plan-due.ts';
import { type Mail, type MailAttempt, sendMail } from '../../../platform/mail/send-mail.ts';
import { nextAttemptAt } from '../webhooks/deliveries/plan-progress.ts';
import { type MailTo, returnMailPermit, takeMailPermit } from '../webhooks/endpoints/mail-permits.ts';

/** How long a worker has for one attempt before another may take it. Longer than a mail server may take. Milliseconds. */
const LEASE_MS = 120_000;

export type DueMail = DueRow & MailAttempt;

export interface Wanted<Content> extends MailAttempt {
  content: Content;
  /** Null: no mail may go to the person. */
  to: MailTo | null;
}

/** A kind of mail that is sent at a time, by due rows. */
export interface DueMailKind<Content> {
  job: DueJob;
  /** Decides about a due row: what is mailed or else what becomes of the row. Null: nothing is wanted, and the row goes. */
  decide(ctx: Context, due: DueMail, transaction: ClientSession): Promise<Wanted<Content> | Plan | null>;
  /** Writes the mail. Every attempt has the same Message-ID. */
  write(ctx: Context, content: Content): Promise<Mail>;
  /** Plans what becomes of the row once the mail was sent or given up. Without a plan the row goes. */
  finish?(ctx: Context, content: Content, isSent: boolean, transaction: ClientSession): Promise<Plan | null>;
}

interface Taken<Content> extends Wanted<Content> {
  key: string;
  orgId: string;
  /** The row has this time for as long as the attempt is this worker's. */
  leaseEndsAtMs: number;
}

type Outcome = { kind: 'sent' | 'unwanted' | 'failed' } | { kind: 'later'; atMs: number };

/**
 * Sends the mail of a due row. Two workers at one time send one. A mail that was sent and not recorded, because its worker was
 * killed, is sent again with the same Message-ID. A mail that fails is tried again as a delivery is, and one for which there is
 * no room within the limits waits for it. Returns when to come again (epoch ms) if it came too early.
 */
export async function sendDueMail<Content>(
  ctx: Context,
  kind: DueMailKind<Content>,
  key: string,
): Promise<{ notBeforeMs: number } | undefined> {
  const taken = await take(ctx, kind, key);
  if (taken === null) return undefined;
  if ('notBeforeMs' in taken) return taken;
  await record(ctx, kind, taken, await attempt(ctx, kind, taken));
  return undefined;
}

/** Takes the attempt that is due: its row moves behind the lease. */
async function take<Content>(
  ctx: Context,
  kind: DueMailKind<Content>,
  key: string,
): Promise<Taken<Content> | { notBeforeMs: number } | null> {
  return commitPlan<Taken<Content> | { notBeforeMs: number } | null>(ctx, async (transaction) => {
    const nowMs = ctx.clock.now();
    const due = await readDue<MailAttempt>(ctx, kind.job, key, transaction);
    if (!due) return { result: null };
    if (due.due_at.getTime() > nowMs) return { result: { notBeforeMs: due.due_at.getTime() } };
    const decided = (await kind.decide(ctx, due, transaction)) ?? planEnd(kind.job, key);
    if ('writes' in decided) return { ...decided, result: null };
    const taken = { ...decided, key, orgId: due.org_id, leaseEndsAtMs: nowMs + LEASE_MS };
    return { ...planAttempt(kind.job, taken, taken.leaseEndsAtMs), result: taken };
  });
}

async function attempt<Content>(
  ctx: Context,
  kind: DueMailKind<Content>,
  { to, content, key, attempt: number }: Taken<Content>,
): Promise<Outcome> {
  if (!ctx.config.smtpUrl || to === null) return { kind: 'unwanted' };
  const freeMs = await takeMailPermit(ctx, to);
  if (freeMs !== null) return { kind: 'later', atMs: freeMs };
  try {
    await sendMail(ctx, await kind.write(ctx, content));
    return { kind: 'sent' };
  } catch (error) {
    ctx.log.warn({ err: error, queue: kind.job.kind, key, attempt: number }, 'a mail was not sent');
    await returnMailPermit(ctx, to).catch((failed: unknown) =>
      ctx.log.debug({ err: failed }, 'the permit of a mail was not given back'),
    );
    return { kind: 'failed' };
  }
}

/** Records an outcome and plans what is next, unless another worker has taken the attempt meanwhile. */
async function record<Content>(
  ctx: Context,
  kind: DueMailKind<Content>,
  taken: Taken<Content>,
  outcome: Outcome,
): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    const due = await readDue<MailAttempt>(ctx, kind.job, taken.key, transaction);
    if (due?.due_at.getTime() !== taken.leaseEndsAtMs) return { result: undefined };
    const again = planAgain(ctx, kind.job, taken, outcome);
    const next = again ?? (await kind.finish?.(ctx, taken.content, outcome.kind === 'sent', transaction));
    return { ...(next ?? planEnd(kind.job, taken.key)), result: undefined };
  });
}

/** The plan of the attempt that follows an outcome. Null when none does. */
function planAgain<Content>(ctx: Context, job: DueJob, taken: Taken<Content>, outcome: Outcome): Plan | null {
  if (outcome.kind === 'later') return planAttempt(job, taken, outcome.atMs);
  const dueMs = outcome.kind === 'failed' ? nextAttemptAt(ctx, taken.attempt, ctx.clock.now()) : null;
  return dueMs === null ? null : planAttempt(job, { ...taken, attempt: taken.attempt + 1 }, dueMs);
}

function planAttempt(
  job: DueJob,
  { key, orgId, scheduled_at, attempt: number }: MailAttempt & { key: string; orgId: string },
  dueMs: number,
): Plan {
  const details = { scheduled_at, attempt: number };
  return setDue<MailAttempt>(job, { key, orgId, dueMs, details });
}

function planEnd(job: DueJob, key: string): Plan {
  return { writes: [clearDue(job, key)], wakeUps: [] };
}
