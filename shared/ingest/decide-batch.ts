import type { ClientSession } from 'mongoose';
import { planWindows } from '../budgets/plan-windows.ts';
import { planSettlements } from '../enforcement/plan-settlements.ts';
import { touchOrganizationVersion } from '../organizations/versions.ts';
import { newId } from '../platform/basics/ids.ts';
import { createPace } from '../platform/basics/next-turn.ts';
import { type Decision, joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { insertRow } from '../platform/mongo/writes.ts';
import { type Assignment, assignSignals, sessionKey } from '../sessions/assign.ts';
import { findNewest, findReachable } from '../sessions/find-reachable.ts';
import type { Session } from '../sessions/model.ts';
import { planHead, type SessionChange } from '../sessions/plan-sessions.ts';
import { timeoutMsOf } from '../sessions/silence.ts';
import type { Draft } from '../signals/check-signal.ts';
import { withoutFreeText } from '../signals/erase-free-text.ts';
import { signalRows } from '../signals/model.ts';
import { planRollups } from '../usage/plan-rollups.ts';
import type { Field } from './count-values.ts';
import { findKnown, type Standing } from './find-known.ts';
import { planSessionChanges } from './plan-session-changes.ts';
import { type Rules, readRules, recallRules } from './read-rules.ts';

/** Signals of one organization that are recorded together. */
export interface Batch {
  drafts: readonly Draft[];
  /** Those of them that were posted as history. */
  historical: ReadonlySet<Draft>;
  /** Those that would bring their organization too many values, each with the field: counted while the sessions are read. */
  excess: Promise<ReadonlyMap<Draft, Field>>;
}

/** How a batch is decided. */
export interface Attempt {
  /** The counter shard that it writes in. */
  shard: number;
  /**
   * Whether the usual is taken for granted: nothing is there of a session key that has no session, so what it writes is
   * inserted, which costs the embedded store less than an upsert; and unless there is history among the signals, which may
   * be sent a second time, the rules have not changed and no signal was recorded before. Where that is wrong, the write
   * fails with a duplicate key.
   */
  isFirst: boolean;
}

/**
 * Where the signal of a draft's key stands, and whose it is: the draft's own, or the one that came before. `rejected`: its
 * session has as many models as it may have. `excess`: its organization has as many values of the field.
 */
export type Outcome =
  | { status: 'accepted' | 'duplicate'; session_id: string; user_id: string }
  | { status: 'rejected' }
  | { status: 'excess'; field: Field };

/**
 * Decides what a batch comes to: one read (three for history, or after the first attempt) when its sessions are the
 * newest of their keys, then the plans of all nouns.
 */
export async function decideBatch(
  ctx: Context,
  orgId: string,
  { drafts, historical, ...batch }: Batch,
  { shard, isFirst }: Attempt,
  transaction: ClientSession,
): Promise<Decision<{ outcomes: Outcome[]; rules: Rules }>> {
  const isOptimistic = isFirst && historical.size === 0;
  const recalled = isOptimistic ? recallRules(ctx, orgId) : undefined;
  const rules = recalled ?? (await readRules(ctx, orgId, shard, transaction));
  const known = isOptimistic ? NONE : await findKnown(ctx, orgId, drafts, transaction);
  const unknown = drafts.filter((draft) => !known.has(draft._id));
  const keys = new Map(unknown.map((draft) => [draft, keyOf(draft)]));
  const newest = await findNewest(ctx, orgId, new Set(keys.values()), transaction);
  const excess = await batch.excess;
  const fresh = firstOfEach(unknown.filter((draft) => !excess.has(draft)));
  const byKey = Map.groupBy(fresh, (draft) => keys.get(draft) as string);
  const timeoutMs = timeoutMsOf(rules.organization);
  const assignments = await assignByKey(ctx, byKey, { newest, timeoutMs }, transaction);
  const placed = new Map(assignments.flatMap((assignment) => [...assignment.placed]));
  const signals = fresh.filter(({ _id }) => placed.has(_id));
  const isNew = (of: Keyed) => isFirst && !newest.has(keyOf(of));
  const plan = await planBatch(ctx, rules, { signals, historical, assignments, placed, shard, isNew });
  return { ...plan, result: { outcomes: answer(drafts, { known, placed, excess }), rules } };
}

interface Placement {
  signals: readonly Draft[];
  historical: ReadonlySet<Draft>;
  assignments: readonly Assignment[];
  /** Session id by signal key. */
  placed: ReadonlyMap<string, string>;
  shard: number;
  /** Whether the session key of a row has no session yet, so that nothing of it is there. */
  isNew: (of: Keyed) => boolean;
}

/** A row of one session key. */
type Keyed = Pick<Session, 'org_id' | 'user_id' | 'project_id' | 'adapter'>;

/** The plans of all nouns, made one after the other at a pace that holds nobody up. */
async function planBatch(ctx: Context, rules: Rules, placement: Placement): Promise<Plan> {
  const pace = createPace();
  const { signals, assignments, placed, shard, isNew } = placement;
  if (signals.length === 0) return NO_PLAN;
  const { organization, budgets, subscribers } = rules;
  const timeoutMs = timeoutMsOf(organization);
  const nowMs = ctx.clock.now();
  const changes = assignments.flatMap(({ changed }) => changed);
  const heads = assignments.flatMap(({ reshaped, newest }) => (reshaped && newest ? [newest] : []));
  const isLive = (signal: Draft) => !placement.historical.has(signal) || !isPast(signal, timeoutMs, nowMs);
  const live = new Set(signals.filter(isLive).map(({ _id }) => placed.get(_id)));
  const touched = new Set(placed.values());
  // A session that signals did not touch has ended because a newer one began: that is no history.
  const isPastChange = ({ after }: SessionChange) => touched.has(after._id) && !live.has(after._id);
  const rollups = await planRollups(organization, signals, changes, { nowMs, isNew });
  const sessions = await planSessionChanges(ctx, changes, {
    timeoutMs,
    // The batch writes the organization's version whether it raises events or not.
    subscribers: { webhooks: subscribers, guard: [] },
    isPast: isPastChange,
  });
  const windows = [];
  for (const isSilent of [false, true]) {
    const counted = {
      signals: signals.filter((signal) => isLive(signal) !== isSilent),
      sessions: changes.filter((change) => isPastChange(change) === isSilent),
    };
    windows.push(await planWindows(organization._id, budgets, counted, { shard, nowMs, isSilent }));
  }
  await pace();
  const erased = new Set(organization.erased_users);
  const kept = (draft: Draft) => (erased.has(draft.user_id) ? withoutFreeText(draft) : draft);
  const writes = [
    touchOrganizationVersion(organization._id, shard, rules.version),
    ...signals.map((draft) =>
      insertRow(signalRows, { ...kept(draft), session_id: placed.get(draft._id) as string }),
    ),
    ...heads.map((head) => planHead(head, isNew(head))),
    ...rollups,
    ...planSettlements(organization._id, signals, nowMs),
  ];
  return joinPlans({ writes, wakeUps: [] }, sessions, ...windows);
}

/** How much older than the session timeout a historical signal is that raises no events. */
const PAST_MS = 3_600_000;

function isPast({ ts }: Draft, timeoutMs: number, nowMs: number): boolean {
  return ts.getTime() < nowMs - timeoutMs - PAST_MS;
}

const NONE: ReadonlyMap<string, Standing> = new Map();

function firstOfEach(drafts: readonly Draft[]): Draft[] {
  const seen = new Map<string, Draft>();
  for (const draft of drafts) if (!seen.has(draft._id)) seen.set(draft._id, draft);
  return [...seen.values()];
}

function keyOf({ org_id, user_id, project_id, adapter }: Keyed): string {
  return sessionKey(org_id, user_id, project_id, adapter);
}

async function assignByKey(
  ctx: Context,
  byKey: ReadonlyMap<string, readonly Draft[]>,
  { newest, timeoutMs }: { newest: ReadonlyMap<string, Session>; timeoutMs: number },
  transaction: ClientSession,
): Promise<Assignment[]> {
  const assignments: Assignment[] = [];
  const pace = createPace();
  for (const [key, signals] of byKey) {
    const times = signals.map((signal) => signal.ts.getTime());
    const span = { earliestMs: Math.min(...times), latestMs: Math.max(...times) };
    const existing = await findReachable(ctx, newest.get(key), span, timeoutMs, transaction);
    const nowMs = ctx.clock.now();
    assignments.push(
      assignSignals({
        key,
        existing,
        signals,
        timeoutMs,
        nowMs,
        mostModels: ctx.config.modelsPerSession,
        newSessionId: () => newId('ses'),
      }),
    );
    await pace();
  }
  return assignments;
}

interface Decided {
  known: ReadonlyMap<string, Standing>;
  placed: ReadonlyMap<string, string>;
  excess: ReadonlyMap<Draft, Field>;
}

function answer(drafts: readonly Draft[], { known, placed, excess }: Decided): Outcome[] {
  const standing = new Map(known);
  return drafts.map((draft) => {
    const field = excess.get(draft);
    if (field) return { status: 'excess', field };
    const { _id, user_id } = draft;
    const before = standing.get(_id);
    if (before) return { status: 'duplicate', session_id: before.session_id, user_id: before.user_id };
    const session_id = placed.get(_id);
    if (session_id === undefined) return { status: 'rejected' };
    const own = { session_id, user_id };
    standing.set(_id, own);
    return { status: 'accepted', ...own };
  });
}
