import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import { HELD_SIGNALS, SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { raiseDue } from '../../../platform/due/plan-due.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { insertRow, updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { type DueReport, reportHeldJob } from '../../../wings/held/jobs.ts';
import { type HeldLimit, type HeldSignal, heldKey, heldRows } from '../../../wings/held/model.ts';
import { type Organization, organizationRows } from '../../accounts/organizations/model.ts';
import { holdAboveOf } from '../../accounts/organizations/read-organization.ts';
import { raiseReliedVersion } from '../../accounts/organizations/versions.ts';
import type { Rules } from '../../limits/budgets/rules/rules.ts';
import { nusdFromUsd } from '../../pricing/money.ts';
import type { Draft } from '../signals/check-signal.ts';
import { withoutFreeText } from '../signals/erase-free-text.ts';
import { keptName } from '../signals/place.ts';

export type HeldByKey = ReadonlyMap<string, HeldSignal>;
export type Above = ReadonlyMap<Draft, readonly HeldLimit[]>;

/**
 * Those of these signals that are above a limit of the organization, each with its limits. No intervention is, and none of the
 * past, which a report may have summed up. Pure.
 */
export function findAbove(
  drafts: readonly Draft[],
  organization: Pick<Organization, 'hold_above'>,
  past: ReadonlySet<Draft>,
): Map<Draft, HeldLimit[]> {
  const limits = holdAboveOf(organization);
  const mostTokens = limits.tokens ?? Number.POSITIVE_INFINITY;
  const mostNusd =
    (limits.cost_usd === null ? null : nusdFromUsd(limits.cost_usd)) ?? Number.POSITIVE_INFINITY;
  const above = new Map<Draft, HeldLimit[]>();
  for (const draft of drafts) {
    if (draft.type === 'intervention' || past.has(draft)) continue;
    const hasTokens = draft.tokens_in + draft.tokens_out > mostTokens;
    const hasCost = (draft.cost_nusd ?? 0) > mostNusd;
    if (hasTokens || hasCost)
      above.set(draft, [
        ...(hasTokens ? (['tokens'] as const) : []),
        ...(hasCost ? (['cost_usd'] as const) : []),
      ]);
  }
  return above;
}

/** The signals that were held before, by their keys. It reads nothing where none can be there. */
export async function findHeld(
  ctx: Context,
  { held_until }: Organization,
  drafts: readonly Draft[],
  transaction: ClientSession,
): Promise<HeldByKey> {
  if (held_until === undefined || held_until.getTime() <= ctx.clock.now()) return new Map();
  const rows = await findByIds(heldRows(ctx), drafts.map(heldKey), transaction);
  return new Map(rows.map((row) => [row.signal._id, row]));
}

/** New held rows by the keys of their signals, and signals for which there is no room. */
export interface Holding {
  rows: HeldByKey;
  tooMany: ReadonlySet<string>;
  plan: Plan;
}

export const NO_HOLDING: Holding = { rows: new Map(), tooMany: new Set(), plan: NO_PLAN };

/**
 * Decides which of these signals, none of them known, are held, and plans their rows and the report. An organization has a
 * limited number of undecided ones: two transactions that hold signals conflict at the row that asks for the report.
 */
export async function decideHolding(
  ctx: Context,
  organization: Organization,
  above: Above,
  transaction: ClientSession,
): Promise<Holding> {
  if (above.size === 0) return NO_HOLDING;
  const nowMs = ctx.clock.now();
  const orgId = organization._id;
  const undecided = { org_id: orgId, state: 'held' as const };
  const options = { session: transaction, limit: HELD_SIGNALS };
  const room = HELD_SIGNALS - (await heldRows(ctx).countDocuments(undecided, options));
  const rows = new Map<string, HeldSignal>();
  const tooMany = new Set<string>();
  for (const [draft, limits] of above) {
    if (rows.has(draft._id)) continue;
    if (rows.size < room) rows.set(draft._id, rowOf(organization, draft, limits, nowMs));
    else tooMany.add(draft._id);
  }
  if (rows.size === 0) return { ...NO_HOLDING, tooMany };
  const writes = [...rows.values()].map((row) => insertRow(heldRows, row));
  const least: Required<DueReport> = { first_at: dateAt(nowMs) };
  const report = raiseDue(reportHeldJob, { key: orgId, orgId, dueMs: nowMs, least: { ...least } });
  return { rows, tooMany, plan: joinPlans({ writes, wakeUps: [] }, report) };
}

function rowOf(
  organization: Organization,
  draft: Draft,
  limits: readonly HeldLimit[],
  nowMs: number,
): HeldSignal {
  const { org_id, user_id, adapter, ts } = draft;
  const isErased = organization.erased_users?.includes(user_id) === true;
  return {
    _id: heldKey(draft),
    org_id,
    user_id,
    adapter,
    ts,
    signal: withKeptNames(isErased ? withoutFreeText(draft) : draft, organization.hash_names === true),
    above: [...limits],
    hold_above: holdAboveOf(organization),
    state: 'held',
    held_at: dateAt(nowMs),
    decided_at: null,
    decided_by: null,
    session_id: null,
  };
}

/** A draft whose names are kept as the organization keeps names. Pure. */
function withKeptNames({ parts, ...draft }: Draft, hashNames: boolean): Draft {
  if (parts === undefined) return draft;
  const { place, task } = parts;
  const branch = place?.branch && keptName(place.branch, hashNames);
  const kept = {
    ...parts,
    ...(place && branch ? { place: { ...place, branch } } : {}),
    ...(task ? { task: keptName(task, hashNames) } : {}),
  };
  return { ...draft, parts: kept };
}

/**
 * The writes that have every process look for held signals as long as these rows may be there; none while the organization
 * says so already. They change the organization's rules, at most once per day. Pure.
 */
export function planHeldUntil(
  { version, organization: { _id, held_until } }: Pick<Rules, 'version' | 'organization'>,
  rows: HeldByKey,
): Write[] {
  const latestMs = Math.max(...[...rows.values()].map(({ ts }) => ts.getTime() + SIGNAL_AGE_MS.behind));
  if (rows.size === 0 || (held_until && held_until.getTime() > latestMs)) return [];
  const until = { $set: { held_until: dateAt(latestMs + DAY_MS) } };
  return [updateRow(organizationRows, { _id }, until), ...raiseReliedVersion(_id, version)];
}
