import type { Member, Organization } from '../../core/accounts/organizations/model.ts';
import type { Reader } from '../../core/accounts/organizations/reader.ts';
import { matchingSessions } from '../../core/calls/sessions/match-sessions.ts';
import { type Session, sessionRows } from '../../core/calls/sessions/model.ts';
import { readUsage } from '../../core/calls/usage/read-usage.ts';
import { type Webhook, webhookRows } from '../../core/events/webhooks/endpoints/model.ts';
import type { BudgetView } from '../../core/limits/budgets/rules/view.ts';
import { findBudgetsOf, viewBudgets } from '../../core/limits/budgets/show/read-budgets.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { BUDGET_WARNING_RATIO } from '../../platform/basics/contract.ts';
import type { Context } from '../../platform/context/context.ts';
import { listAnomalies } from '../anomalies/list-anomalies.ts';
import type { Anomaly } from '../anomalies/model.ts';
import { countHeld } from '../held/list-held.ts';
import type { DigestPeriod } from './period.ts';

const SESSIONS = 3;
const ANOMALIES = 5;
const WARNING_PCT = (100 * BUDGET_WARNING_RATIO.numerator) / BUDGET_WARNING_RATIO.denominator;

type Totals = Awaited<ReturnType<typeof readUsage>>['totals'];

/** The figures of one person, or of the organization as a whole. */
export interface DigestPart {
  totals: Totals;
  before: Totals;
  /** The most expensive sessions that began in the period. */
  sessions: readonly Session[];
  /** Budgets that have reached 80 %, the fullest first. */
  budgets: readonly BudgetView[];
  anomalies: { rows: readonly Anomaly[]; total: number };
}

export interface Digest {
  period: DigestPeriod;
  organization: Organization;
  own: DigestPart;
  /** For admins. */
  whole: (DigestPart & { failing: readonly Webhook[]; held: number }) | null;
}

export async function readDigest(
  ctx: Context,
  organization: Organization,
  member: Member,
  period: DigestPeriod,
): Promise<Digest> {
  const { _id: orgId } = organization;
  const own = await readPart(ctx, organization, { orgId, userId: member.user_id }, period);
  if (member.role !== 'admin') return { period, organization, own, whole: null };
  const whole = await readPart(ctx, organization, { orgId, userId: null }, period);
  const failing = await webhookRows(ctx)
    .find({ org_id: orgId, status: 'failing' })
    .sort({ created_at: 1 })
    .toArray();
  const held = await countHeld(ctx, { org_id: orgId, state: 'held' });
  return { period, organization, own, whole: { ...whole, failing, held } };
}

async function readPart(
  ctx: Context,
  organization: Organization,
  reader: Reader,
  { fromMs, toMs, beforeMs }: DigestPeriod,
): Promise<DigestPart> {
  const filter = reader.userId === null ? {} : { user_id: reader.userId };
  const usage = { interval: 'none', groupBy: [], filter } as const;
  const { totals } = await readUsage(ctx, organization, { ...usage, fromMs, toMs });
  const before = await readUsage(ctx, organization, { ...usage, fromMs: beforeMs, toMs: fromMs });
  const page = { order: 'desc', limit: ANOMALIES, after: null, total: null } as const;
  return {
    totals,
    before: before.totals,
    sessions: await readMostExpensive(ctx, reader.orgId, { ...filter, fromMs, toMs }),
    budgets: await readFull(ctx, reader),
    anomalies: await listAnomalies(ctx, reader.orgId, { ...filter, fromMs, toMs }, page),
  };
}

async function readMostExpensive(
  ctx: Context,
  orgId: string,
  { fromMs, toMs, ...filter }: { fromMs: number; toMs: number; user_id?: string },
): Promise<Session[]> {
  const started_at = { $gte: dateAt(fromMs), $lt: dateAt(toMs) };
  const sessions = await sessionRows(ctx)
    .aggregate<Session>([
      ...matchingSessions(orgId, filter, { started_at }),
      { $sort: { cost_nusd: -1, _id: 1 } },
      { $limit: SESSIONS },
    ])
    .toArray();
  return sessions.filter(({ cost_nusd }) => cost_nusd > 0);
}

async function readFull(ctx: Context, reader: Reader): Promise<BudgetView[]> {
  const views = await viewBudgets(ctx, reader, await findBudgetsOf(ctx, reader));
  return views
    .filter(({ utilization_pct }) => utilization_pct >= WARNING_PCT)
    .toSorted((a, b) => b.utilization_pct - a.utilization_pct);
}
