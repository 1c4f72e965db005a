import type { ClientSession } from 'mongoose';
import { type Organization, organizationRows } from '../../core/accounts/organizations/model.ts';
import { type Draft, reject } from '../../core/calls/signals/check-signal.ts';
import { withoutFreeText } from '../../core/calls/signals/erase-free-text.ts';
import type { SignalResult } from '../../core/calls/signals/input.ts';
import { keptName } from '../../core/calls/signals/place.ts';
import type { KeptOut, KeptOutcome } from '../../core/hooks/wing.ts';
import { nusdFromUsd } from '../../core/pricing/money.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { HELD_SIGNALS, SIGNAL_AGE_MS } from '../../platform/basics/contract.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { raiseDue } from '../../platform/due/plan-due.ts';
import { findByIds } from '../../platform/mongo/find-by-ids.ts';
import { insertRow, updateRow, type Write } from '../../platform/mongo/writes.ts';
import { type DueReport, reportHeldJob } from './jobs.ts';
import { signalsHeld } from './metrics.ts';
import { type HeldLimit, type HeldSignal, heldKey, heldRows } from './model.ts';
import { holdAboveOf } from './settings.ts';
import { describeHeld } from './view.ts';

/** Returns the signals that are above a limit of the organization. No intervention is. Pure. */
export function findAbove(
  organization: Pick<Organization, 'hold_above'>,
  drafts: readonly Draft[],
): readonly Draft[] {
  const passes = passedBy(organization);
  return drafts.filter((draft) => passes(draft).length > 0);
}

/** Tells the limits of the organization that a draft is above. Pure. */
function passedBy(organization: Pick<Organization, 'hold_above'>): (draft: Draft) => readonly HeldLimit[] {
  const limits = holdAboveOf(organization);
  const mostTokens = limits.tokens ?? Number.POSITIVE_INFINITY;
  const mostNusd =
    (limits.cost_usd === null ? null : nusdFromUsd(limits.cost_usd)) ?? Number.POSITIVE_INFINITY;
  return (draft) => {
    if (draft.type === 'intervention') return NO_LIMITS;
    const hasTokens = draft.tokens_in + draft.tokens_out > mostTokens;
    const hasCost = (draft.cost_nusd ?? 0) > mostNusd;
    if (!hasTokens && !hasCost) return NO_LIMITS;
    return [...(hasTokens ? (['tokens'] as const) : []), ...(hasCost ? (['cost_usd'] as const) : [])];
  };
}

const NO_LIMITS: readonly HeldLimit[] = [];

type HeldByKey = ReadonlyMap<string, HeldSignal>;

/**
 * Holds signals above a limit until an admin decides: their rows and the report. Signals that were held or discarded before
 * get the same answer again.
 */
export async function holdSignals(
  ctx: Context,
  organization: Organization,
  { drafts, doubted }: { drafts: readonly Draft[]; doubted: ReadonlySet<Draft> },
  transaction: ClientSession,
): Promise<KeptOut | null> {
  const known = await findHeld(ctx, organization, drafts, transaction);
  const above =
    doubted.size === 0 ? [] : drafts.filter((draft) => doubted.has(draft) && !known.has(draft._id));
  if (known.size === 0 && above.length === 0) return null;
  const { rows, tooMany } = await decideHolding(ctx, organization, above, transaction);
  const outcomes = new Map<string, KeptOutcome>();
  for (const { _id, id, user_id } of tooMany) outcomes.set(_id, { user_id, result: tooManyHeld(id) });
  for (const [key, row] of [...known, ...rows])
    outcomes.set(key, { user_id: row.user_id, result: answer(row) });
  const held = new Set(above);
  return {
    ...planHolding(organization, rows),
    drafts: new Set(drafts.filter((draft) => known.has(draft._id) || held.has(draft))),
    outcomes,
    rules: planHeldUntil(organization, rows),
    committed: () => signalsHeld(ctx).inc(rows.size),
  };
}

function answer(row: HeldSignal): SignalResult {
  const { id } = row.signal;
  if (row.state === 'held')
    return { id, status: 'held', held_id: row._id, code: 'implausible', detail: describeHeld(row) };
  return reject(id, 'discarded', 'an admin has discarded it; post the true call under another id');
}

function tooManyHeld(id: string): SignalResult {
  return reject(id, 'too_many_held', 'too many held signals wait for a decision of an admin');
}

/** The signals that were held before, by their keys. It reads nothing where none can be there. */
async function findHeld(
  ctx: Context,
  { held_until }: Organization,
  drafts: readonly Draft[],
  transaction: ClientSession,
): Promise<HeldByKey> {
  if (held_until === undefined || held_until.getTime() <= ctx.clock.now()) return new Map();
  const rows = await findByIds(heldRows(ctx), drafts.map(heldKey), transaction);
  return new Map(rows.map((row) => [row.signal._id, row]));
}

/**
 * Makes the rows of these signals, none of them known, by the keys of their signals, and names those for which there is no room. An
 * organization has a limited number of undecided ones: two transactions that hold signals conflict at the row that asks for the
 * report.
 */
async function decideHolding(
  ctx: Context,
  organization: Organization,
  above: readonly Draft[],
  transaction: ClientSession,
): Promise<{ rows: HeldByKey; tooMany: readonly Draft[] }> {
  if (above.length === 0) return { rows: new Map(), tooMany: [] };
  const nowMs = ctx.clock.now();
  const undecided = { org_id: organization._id, state: 'held' as const };
  const options = { session: transaction, limit: HELD_SIGNALS };
  const room = HELD_SIGNALS - (await heldRows(ctx).countDocuments(undecided, options));
  const passes = passedBy(organization);
  const rows = new Map<string, HeldSignal>();
  const tooMany: Draft[] = [];
  for (const draft of above) {
    if (rows.has(draft._id)) continue;
    if (rows.size < room) rows.set(draft._id, rowOf(organization, draft, passes(draft), nowMs));
    else tooMany.push(draft);
  }
  return { rows, tooMany };
}

function planHolding({ _id: orgId }: Organization, rows: HeldByKey): Plan {
  if (rows.size === 0) return NO_PLAN;
  // The time of the rows, as the report begins with the first of them.
  const firstMs = Math.min(...[...rows.values()].map(({ held_at }) => held_at.getTime()));
  const least: Required<DueReport> = { first_at: dateAt(firstMs) };
  const report = raiseDue(reportHeldJob, { key: orgId, orgId, dueMs: firstMs, least: { ...least } });
  const writes = [...rows.values()].map((row) => insertRow(heldRows, row));
  return joinPlans({ writes }, report);
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
 * Raises `held_until` of the organization, so that every process checks for held signals as long as these may be there. It
 * changes the organization's rules, at most once per day. Pure.
 */
function planHeldUntil({ _id, held_until }: Organization, rows: HeldByKey): Write[] {
  const latestMs = Math.max(...[...rows.values()].map(({ ts }) => ts.getTime() + SIGNAL_AGE_MS.behind));
  if (rows.size === 0 || (held_until && held_until.getTime() > latestMs)) return [];
  return [updateRow(organizationRows, { _id }, { $set: { held_until: dateAt(latestMs + DAY_MS) } })];
}
