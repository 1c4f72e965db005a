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
}

type Conditions = Record<string, unknown>;
type Stages = { $match: Conditions }[];

/** With several filters, the index of the first bounds the range: users are rarer than models. */
const RAREST_FIRST = ['user_id', 'project_id', 'model', 'adapter'] as const;

/** A session whose signals were all voided is in no list, no total and no baseline. */
const COUNTED = { signal_count: { $gt: 0 } };

/**
 * One filter and the condition on the time, which one index holds whole, then the other filters: MongoDB joins the
 * stages, the embedded server would read every session for fields that the index does not hold (docs/stores.md).
 */
export function matchingSessions(orgId: string, match: SessionMatch, condition: Conditions): Stages {
  const [first, ...others] = equalities(match);
  const withErrors = match.errors && first === undefined ? WITH_ERRORS : {};
  return inStages({ org_id: orgId, ...withErrors, ...first, ...condition }, [...others, ...restOf(match)]);
}

/** The same where the condition is on the cost: an index holds both. */
export function matchingByCost(orgId: string, match: SessionMatch, condition: Conditions): Stages {
  return inStages({ org_id: orgId, ...condition }, [...equalities(match), ...restOf(match)]);
}

/** True of a filter that rollups know nothing of, so that its sessions are counted one by one. */
export function isBeyondRollups({ errors, anomalous, state, minCostNusd }: SessionMatch): boolean {
  return [errors, anomalous, state, minCostNusd].some((asked) => asked !== undefined);
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
