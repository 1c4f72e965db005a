import { setImmediate as nextTurn } from 'node:timers/promises';
import { planWindows } from '../budgets/plan-windows.ts';
import type { Rules } from '../budgets/rules.ts';
import { planSettlements } from '../enforcement/plan-settlements.ts';
import { joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { insertRow } from '../platform/mongo/writes.ts';
import type { Assignment } from '../sessions/assign.ts';
import { timeoutMsOf } from '../sessions/assign.ts';
import type { Session, SessionChange } from '../sessions/model.ts';
import { planHead } from '../sessions/plan-sessions.ts';
import type { Draft } from '../signals/check-signal.ts';
import { withoutFreeText } from '../signals/erase-free-text.ts';
import { type Signal, signalRows } from '../signals/model.ts';
import { planRollups } from '../usage/plan-rollups.ts';
import { planSessionChanges } from './plan-session-changes.ts';

/** Signals that are recorded, with the sessions that they were assigned to. */
interface AssignedBatch {
  signals: readonly Draft[];
  /** Those of history that raise no events. */
  past: ReadonlySet<Draft>;
  assignments: readonly Assignment[];
  /** Session id by signal key. */
  sessionOf: ReadonlyMap<string, string>;
  /** Work id by signal key, of those that belong to one. */
  workOf: ReadonlyMap<string, string>;
  /** The counter shard that is written in. */
  shard: number;
  /** True for a row of a session key that has no session: then the row is inserted. */
  isNew: (of: Identity) => boolean;
}

/** The fields that make a session key. */
export type Identity = Pick<Session, 'org_id' | 'user_id' | 'project_id' | 'adapter'>;

/** The plans of all nouns for a batch. Others have their turn between the parts of a large one. */
export async function planBatch(
  ctx: Context,
  { organization, ...rules }: Rules,
  { signals: drafts, past, assignments, sessionOf, workOf, shard, isNew }: AssignedBatch,
): Promise<Plan> {
  if (drafts.length === 0) return NO_PLAN;
  const signals = drafts.map((draft) => withWork(draft, workOf.get(draft._id)));
  const orgId = organization._id;
  const timeoutMs = timeoutMsOf(organization);
  const nowMs = ctx.clock.now();
  const changes = assignments.flatMap(({ changed }) => changed);
  const heads = assignments.flatMap(({ moved, newest }) => (moved && newest ? [newest] : []));
  const pastIds = new Set(drafts.filter((draft) => past.has(draft)).map(({ _id }) => _id));
  const isLive = ({ _id }: Recorded) => !pastIds.has(_id);
  const live = new Set(signals.filter(isLive).map(({ _id }) => sessionOf.get(_id)));
  const touched = new Set(sessionOf.values());
  // A session without signals of this batch ended because a newer one began: that is no history.
  const isPastChange = ({ after }: SessionChange) => touched.has(after._id) && !live.has(after._id);
  await turn(signals);
  const rollups = planRollups(organization, signals, changes, { nowMs, isNew });
  await turn(signals);
  const sessions = await planSessionChanges(ctx, changes, {
    timeoutMs,
    // The batch writes the organization's version whether it raises events or not.
    subscribers: { webhooks: rules.subscribers, guard: [] },
    isPast: isPastChange,
  });
  await turn(signals);
  const windows = [false, true].map((isSilent) => {
    const counted = {
      signals: signals.filter((signal) => isLive(signal) !== isSilent),
      sessions: changes.filter((change) => isPastChange(change) === isSilent),
    };
    return planWindows(orgId, rules, counted, { shard, nowMs, isSilent });
  });
  await turn(signals);
  const erased = new Set(organization.erased_users);
  const kept = (signal: Recorded) => (erased.has(signal.user_id) ? withoutFreeText(signal) : signal);
  const writes = [
    ...signals.map((signal) =>
      insertRow(signalRows, { ...kept(signal), session_id: sessionOf.get(signal._id) as string }),
    ),
    ...heads.map((head) => planHead(head, isNew(head))),
    ...rollups,
    ...planSettlements(orgId, signals, nowMs),
  ];
  return joinPlans({ writes, wakeUps: [] }, sessions, ...windows);
}

/** A signal as it is recorded: with its work instead of the parts that it says. */
type Recorded = Omit<Signal, 'session_id'>;

function withWork({ parts, ...draft }: Draft, work: string | undefined): Recorded {
  if (work === undefined) return draft;
  return { ...draft, work, ...(parts && parts.own.length > 0 ? { own: parts.own } : {}) };
}

/** From this many signals on, a batch is planned in several turns of the event loop. */
const MANY_SIGNALS = 100;

/** Without it a thousand signals of new users hold the event loop for 72 ms (docs/reliability.md). */
async function turn(signals: readonly Recorded[]): Promise<void> {
  if (signals.length >= MANY_SIGNALS) await nextTurn();
}
