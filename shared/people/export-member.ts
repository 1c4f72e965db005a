import { viewAudit } from '../core/accounts/audit/list-audit.ts';
import { type AuditEntry, auditRows } from '../core/accounts/audit/model.ts';
import { recordAct } from '../core/accounts/audit/record-audit.ts';
import { listDevices } from '../core/accounts/devices/list-devices.ts';
import { apiKeyRows } from '../core/accounts/keys/model.ts';
import { viewKey } from '../core/accounts/keys/view.ts';
import { type Member, memberRows } from '../core/accounts/organizations/model.ts';
import { noMember } from '../core/accounts/organizations/roster.ts';
import { dimensionOf } from '../core/calls/sessions/dimension.ts';
import { sessionsOfUser } from '../core/calls/sessions/list-sessions.ts';
import { readAttribution } from '../core/calls/sessions/read-attribution.ts';
import { streamSignals } from '../core/calls/sessions/read-session.ts';
import { viewSession } from '../core/calls/sessions/view.ts';
import { NO_WORK } from '../core/calls/signals/place.ts';
import { viewSignal } from '../core/calls/signals/view.ts';
import { sumsOf, viewSums } from '../core/calls/usage/measures.ts';
import { rollupRows } from '../core/calls/usage/model.ts';
import { readLedger } from '../core/credits/ledger/read-ledger.ts';
import { detailsOf } from '../core/credits/ledger/transaction.ts';
import { type PersonRecord, wingsOf } from '../core/hooks/wing.ts';
import { budgetRows, personOverrideRows } from '../core/limits/budgets/rules/model.ts';
import { inputOf, thresholdOf } from '../core/limits/budgets/rules/view.ts';
import { isOwnedBy } from '../core/limits/budgets/rules/visible.ts';
import { isoTime } from '../platform/basics/clock.ts';
import { batches } from '../platform/basics/in-batches.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';

/**
 * Everything that is kept about one member, also of one who was removed, record after record: memory does not grow with
 * it. Holds no secret. The audit log notes the export. Throws `not_found`; `rebuilding`, `store_unavailable` at the ledger.
 */
export async function* exportMember(
  ctx: Context,
  orgId: string,
  userId: string,
): AsyncGenerator<PersonRecord> {
  const member = await memberRows(ctx).findOne({ org_id: orgId, user_id: userId });
  if (!member) throw noMember();
  await recordAct(ctx, { action: 'member.export', org_id: orgId, details: { user_id: userId } });
  yield { kind: 'member', data: describeMember(member) };
  for (const device of await listDevices(ctx, member._id)) yield { kind: 'device', data: device };
  const owned = { org_id: orgId, user_id: userId };
  for await (const key of apiKeyRows(ctx).find(owned)) yield { kind: 'key', data: viewKey(key) };
  yield* budgetsOf(ctx, member);
  for await (const session of sessionsOfUser(ctx, orgId, userId)) {
    yield { kind: 'session', data: viewSession(session) };
    const { works } = await readAttribution(ctx, session);
    for await (const signal of streamSignals(ctx, session, { withVoided: true })) {
      yield { kind: 'signal', data: { session_id: session._id, ...viewSignal(signal, works) } };
    }
  }
  for (const { person } of wingsOf(ctx)) if (person?.export) yield* person.export(ctx, member);
  yield* usageOf(ctx, member);
  const whole = { beforeSeq: null, limit: Number.POSITIVE_INFINITY, include: 'details' } as const;
  const view = detailsOf();
  for await (const rows of readLedger(ctx, member._id, {}, whole)) {
    for (const row of rows) yield { kind: 'transaction', data: view(row) };
  }
  yield* auditOf(ctx, member);
}

function describeMember(member: Member): object {
  const { _id, org_id, user_id, email, name, role, teams, idp, invited_by } = member;
  const { email_confirmed = false, mails_ended_at, declined_at, created_at, removed_at } = member;
  return {
    account_id: _id,
    org_id,
    user_id,
    email,
    email_confirmed,
    mails_ended_at: timeOf(mails_ended_at ?? null),
    name,
    role,
    teams,
    identity: idp ?? null,
    invited_by: invited_by ?? null,
    declined_at: timeOf(declined_at ?? null),
    created_at: timeOf(created_at),
    removed_at: timeOf(removed_at),
  };
}

function timeOf(time: Date | null): string | null {
  return time && isoTime(time.getTime());
}

/** The budgets of this user, those that the user owns, and the exceptions from templates. The audit log names their makers. */
async function* budgetsOf(ctx: Context, { org_id, user_id }: Member): AsyncGenerator<PersonRecord> {
  const own = [{ scope: 'user' as const, scope_id: user_id }, { 'owner.user_id': user_id }];
  for await (const budget of budgetRows(ctx).find({ org_id, $or: own })) {
    const { owner, ...input } = inputOf(budget);
    const shown = { ...input, owner: isOwnedBy(budget, user_id) ? owner : null };
    const data = { id: budget._id, ...shown, created_at: timeOf(budget.created_at) };
    yield { kind: 'budget', data };
  }
  for await (const { budget_id, limit } of personOverrideRows(ctx).find({ org_id, user_id })) {
    const budget = await budgetRows(ctx).findOne({ _id: budget_id });
    if (!budget) continue;
    const threshold = limit === null ? null : thresholdOf({ ...budget, limit });
    yield { kind: 'budget_exception', data: { budget_id, threshold, exempt: limit === null } };
  }
}

/** Rows of days whose names are read at once. */
const DAYS_AT_ONCE = 500;

/** Sums per day: they stay when the signals below them are too old to be kept. */
async function* usageOf(ctx: Context, { org_id, user_id }: Member): AsyncGenerator<PersonRecord> {
  const days = rollupRows(ctx).find({ org_id, period: 'day', user_id }).sort({ start: 1 });
  for await (const some of batches(days, DAYS_AT_ONCE)) {
    const ids = new Set(some.map(({ work = '' }) => work));
    const works = await inTransaction(ctx.db, (transaction) =>
      dimensionOf(ctx).names(ctx, org_id, { ids }, transaction),
    );
    for (const day of some) {
      const { project_id, model, adapter, provider = null, work = '' } = day;
      const named = works.get(work) ?? NO_WORK;
      const of = { start: timeOf(day.start), user_id, project_id, model, adapter, provider, ...named };
      yield { kind: 'usage_day', data: { ...of, ...viewSums(sumsOf({ ...day })) } };
    }
  }
}

async function* auditOf(ctx: Context, { _id, org_id, user_id }: Member): AsyncGenerator<PersonRecord> {
  const concerns = ({ actor, details }: AuditEntry) =>
    actor === _id || details.user_id === user_id || details.account_id === _id;
  for await (const entry of auditRows(ctx).find({ org_id }).sort({ at: 1 })) {
    if (concerns(entry)) yield { kind: 'audit', data: viewAudit(entry) };
  }
}
