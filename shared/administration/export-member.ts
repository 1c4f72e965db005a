import { viewAnomaly } from '../anomalies/list-anomalies.ts';
import { anomalyRows } from '../anomalies/model.ts';
import { contextRows } from '../attribution/model.ts';
import { viewAudit } from '../audit/list-audit.ts';
import { type AuditEntry, auditRows } from '../audit/model.ts';
import { recordAct } from '../audit/record-audit.ts';
import { budgetRows, personOverrideRows } from '../budgets/model.ts';
import { inputOf, thresholdOf } from '../budgets/view.ts';
import { readLedger } from '../credits/ledger/read-ledger.ts';
import { detailsOf } from '../credits/ledger/transaction.ts';
import { listDevices } from '../devices/list-devices.ts';
import { heldRows } from '../held/model.ts';
import { viewHeld } from '../held/view.ts';
import { apiKeyRows } from '../keys/model.ts';
import { viewKey } from '../keys/view.ts';
import { type Member, memberRows } from '../organizations/model.ts';
import { noMember } from '../organizations/roster.ts';
import { isoTime } from '../platform/basics/clock.ts';
import { batches } from '../platform/basics/in-batches.ts';
import type { Context } from '../platform/context/context.ts';
import { inTransaction } from '../platform/mongo/transaction.ts';
import { readPreferences } from '../preferences/change-preferences.ts';
import { viewPreferences } from '../preferences/view.ts';
import { NO_WORK, readWorkNames } from '../pull-requests/read-works.ts';
import { raiseRows } from '../raises/model.ts';
import { viewRaise } from '../raises/view.ts';
import { sessionsOfUser } from '../sessions/list-sessions.ts';
import { readAttribution, viewContext } from '../sessions/read-attribution.ts';
import { streamSignals } from '../sessions/read-session.ts';
import { viewSession } from '../sessions/view.ts';
import { viewSignal } from '../signals/view.ts';
import { sumsOf, viewSums } from '../usage/measures.ts';
import { rollupRows } from '../usage/model.ts';

/** A record that is kept about a member. */
export interface MemberRecord {
  kind:
    | 'member'
    | 'preferences'
    | 'device'
    | 'key'
    | 'budget'
    | 'budget_exception'
    | 'raise'
    | 'session'
    | 'signal'
    | 'held_signal'
    | 'context'
    | 'anomaly'
    | 'usage_day'
    | 'transaction'
    | 'audit';
  data: object;
}

/**
 * Everything that is kept about one member, also of one who was removed, record after record: memory does not grow with
 * it. Holds no secret. The audit log notes the export. Throws `not_found`; `rebuilding`, `store_unavailable` at the ledger.
 */
export async function* exportMember(
  ctx: Context,
  orgId: string,
  userId: string,
): AsyncGenerator<MemberRecord> {
  const member = await memberRows(ctx).findOne({ org_id: orgId, user_id: userId });
  if (!member) throw noMember();
  await recordAct(ctx, { action: 'member.export', org_id: orgId, details: { user_id: userId } });
  yield { kind: 'member', data: describeMember(member) };
  const preferences = await readPreferences(ctx, { accountId: member._id, orgId });
  yield { kind: 'preferences', data: viewPreferences(preferences, ctx.clock.now()) };
  for (const device of await listDevices(ctx, member._id)) yield { kind: 'device', data: device };
  const owned = { org_id: orgId, user_id: userId };
  for await (const key of apiKeyRows(ctx).find(owned)) yield { kind: 'key', data: viewKey(key) };
  yield* budgetsOf(ctx, member);
  yield* raisesOf(ctx, member);
  for await (const session of sessionsOfUser(ctx, orgId, userId)) {
    yield { kind: 'session', data: viewSession(session) };
    const { works } = await readAttribution(ctx, session);
    for await (const signal of streamSignals(ctx, session, { withVoided: true })) {
      yield { kind: 'signal', data: { session_id: session._id, ...viewSignal(signal, works) } };
    }
  }
  for await (const context of contextRows(ctx).find(owned))
    yield { kind: 'context', data: viewContext(context) };
  for await (const held of heldRows(ctx).find(owned)) {
    const { parts, ...draft } = held.signal;
    const said = { repository: parts?.place?.repository ?? null, branch: parts?.place?.branch?.text ?? null };
    const signal = { ...viewSignal({ ...draft, session_id: '' }, new Map()), ...said };
    yield {
      kind: 'held_signal',
      data: { ...viewHeld(held), signal: { ...signal, task: parts?.task?.text ?? null } },
    };
  }
  for await (const anomaly of anomalyRows(ctx).find(owned)) {
    yield { kind: 'anomaly', data: viewAnomaly(anomaly) };
  }
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

/** The budgets of this user, and the exceptions from templates. The audit log names their makers. */
async function* budgetsOf(ctx: Context, { org_id, user_id }: Member): AsyncGenerator<MemberRecord> {
  for await (const budget of budgetRows(ctx).find({ org_id, scope: 'user', scope_id: user_id })) {
    const data = { id: budget._id, ...inputOf(budget), created_at: timeOf(budget.created_at) };
    yield { kind: 'budget', data };
  }
  for await (const { budget_id, limit } of personOverrideRows(ctx).find({ org_id, user_id })) {
    const budget = await budgetRows(ctx).findOne({ _id: budget_id });
    if (!budget) continue;
    const threshold = limit === null ? null : thresholdOf({ ...budget, limit });
    yield { kind: 'budget_exception', data: { budget_id, threshold, exempt: limit === null } };
  }
}

/** The requests of the member for more of a budget, as the member sees them. */
async function* raisesOf(ctx: Context, { org_id, user_id }: Member): AsyncGenerator<MemberRecord> {
  const viewer = { orgId: org_id, userId: user_id, scopes: [] };
  for await (const raise of raiseRows(ctx).find({ org_id, user_id }).sort({ created_at: 1 }))
    yield { kind: 'raise', data: viewRaise(raise, viewer, ctx.clock.now()) };
}

/** Rows of days whose names are read at once. */
const DAYS_AT_ONCE = 500;

/** Sums per day: they stay when the signals below them are too old to be kept. */
async function* usageOf(ctx: Context, { org_id, user_id }: Member): AsyncGenerator<MemberRecord> {
  const days = rollupRows(ctx).find({ org_id, period: 'day', user_id }).sort({ start: 1 });
  for await (const some of batches(days, DAYS_AT_ONCE)) {
    const ids = new Set(some.map(({ work = '' }) => work));
    const works = await inTransaction(ctx.db, (transaction) =>
      readWorkNames(ctx, org_id, { ids }, transaction),
    );
    for (const day of some) {
      const { project_id, model, adapter, provider = null, work = '' } = day;
      const named = works.get(work) ?? NO_WORK;
      const of = { start: timeOf(day.start), user_id, project_id, model, adapter, provider, ...named };
      yield { kind: 'usage_day', data: { ...of, ...viewSums(sumsOf({ ...day })) } };
    }
  }
}

/** Entries of the audit log by or about the member. */
async function* auditOf(ctx: Context, { _id, org_id, user_id }: Member): AsyncGenerator<MemberRecord> {
  const concerns = ({ actor, details }: AuditEntry) =>
    actor === _id || details.user_id === user_id || details.account_id === _id;
  for await (const entry of auditRows(ctx).find({ org_id }).sort({ at: 1 })) {
    if (concerns(entry)) yield { kind: 'audit', data: viewAudit(entry) };
  }
}
