import { sessionWorkRows } from '../attribution/model.ts';

/** The filters of a list of sessions; each value matches exactly. */
export interface SessionMatch {
  user_id?: string | undefined;
  project_id?: string | undefined;
  /** Primary model. */
  model?: string | undefined;
  adapter?: string | undefined;
  /** The users that are meant, such as the members of a team. */
  users?: readonly string[] | undefined;
  /** With errors, or without any. */
  errors?: boolean | undefined;
  /** With anomalies, or without any. */
  anomalous?: boolean | undefined;
  state?: 'open' | 'ended' | undefined;
  /** The least cost, in integer nano-USD. */
  minCostNusd?: number | undefined;
  /** Those that had a call in a work: their ids, or where they are many the ids of the works. */
  worked?: { sessions: readonly string[] } | { works: readonly string[] } | undefined;
}

type Conditions = Record<string, unknown>;
type Stages = Record<string, unknown>[];

/** With several filters, the index of the first bounds the range: users are rarer than models. */
const RAREST_FIRST = ['user_id', 'project_id', 'model', 'adapter'] as const;

/** A session whose signals were all voided is in no list, no total and no baseline. */
const COUNTED = { signal_count: { $gt: 0 } };

/**
 * One filter and the condition on the time, which one index holds whole, then the other filters: MongoDB joins the
 * stages, the embedded server would read every session for fields that the index does not hold (docs/stores.md).
 */
export function matchingSessions(orgId: string, match: SessionMatch, condition: Conditions): Stages {
  const { worked } = match;
  if (worked && 'sessions' in worked) {
    const named = { _id: { $in: [...worked.sessions] } };
    return inStages(named, [{ org_id: orgId, ...condition }, ...equalities(match), ...restOf(match)]);
  }
  const [first, ...others] = equalities(match);
  const withErrors = match.errors && first === undefined ? WITH_ERRORS : {};
  const stages = inStages({ org_id: orgId, ...withErrors, ...first, ...condition }, [
    ...others,
    ...restOf(match),
  ]);
  return worked ? [...stages, ...havingWorked(orgId, worked.works)] : stages;
}

/** The same where the condition is on the cost: an index holds both. */
export function matchingByCost(orgId: string, match: SessionMatch, condition: Conditions): Stages {
  const { worked } = match;
  const others = [...equalities(match), ...restOf(match)];
  if (worked && 'sessions' in worked) others.push({ _id: { $in: [...worked.sessions] } });
  const stages = inStages({ org_id: orgId, ...condition }, others);
  return worked && 'works' in worked ? [...stages, ...havingWorked(orgId, worked.works)] : stages;
}

/** The stages that keep sessions with a call in one of these works. */
function havingWorked(orgId: string, works: readonly string[]): Stages {
  const as = 'worked';
  return [
    {
      $lookup: {
        from: sessionWorkRows.collectionName,
        localField: '_id',
        foreignField: 'session_id',
        as,
        pipeline: [{ $match: { org_id: orgId } }],
      },
    },
    { $match: { [`${as}.work`]: { $in: [...works] } } },
    { $unset: as },
  ];
}

/**
 * The same for a count of all that match in a time. Without a beginning the time holds every session: from a cost up they are
 * fewer, so the index of the costs is read then.
 */
export function matchingAll(
  orgId: string,
  match: SessionMatch & { fromMs?: number | undefined },
  time: Conditions,
): Stages {
  const { minCostNusd, fromMs } = match;
  const isByCost = minCostNusd !== undefined && fromMs === undefined && equalities(match).length === 0;
  if (!isByCost) return matchingSessions(orgId, match, time);
  return [...matchingByCost(orgId, match, { cost_nusd: { $gte: minCostNusd } }), { $match: time }];
}

/** True of a filter that rollups know nothing of, so that its sessions are counted one by one. */
export function isBeyondRollups({ errors, anomalous, state, minCostNusd, worked }: SessionMatch): boolean {
  return [errors, anomalous, state, minCostNusd, worked].some((asked) => asked !== undefined);
}

function inStages(indexed: Conditions, others: readonly Conditions[]): Stages {
  return [indexed, COUNTED, ...others].map((conditions) => ({ $match: conditions }));
}

function equalities(match: SessionMatch): Conditions[] {
  return RAREST_FIRST.filter((name) => match[name] !== undefined).map((name) => ({ [name]: match[name] }));
}

const WITH_ERRORS = { error_count: { $gt: 0 } };

function restOf({ users, errors, anomalous, state, minCostNusd }: SessionMatch): Conditions[] {
  return [
    ...(users === undefined ? [] : [{ user_id: { $in: [...users] } }]),
    ...(errors === undefined ? [] : [errors ? WITH_ERRORS : { error_count: 0 }]),
    ...(anomalous === undefined ? [] : [{ anomaly_types: { $exists: anomalous } }]),
    ...(state === undefined ? [] : [{ state }]),
    ...(minCostNusd === undefined ? [] : [{ cost_nusd: { $gte: minCostNusd } }]),
  ];
}
