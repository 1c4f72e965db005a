import { DAY_MS } from '../../../platform/basics/interval.ts';

/** The filters of a list of sessions; each value matches exactly. */
export interface SessionMatch {
  user_id?: string | undefined;
  project_id?: string | undefined;
  model?: string | undefined;
  adapter?: string | undefined;
  /** The users that are meant, such as the members of a team. */
  users?: readonly string[] | undefined;
  errors?: boolean | undefined;
  anomalous?: boolean | undefined;
  state?: 'open' | 'ended' | undefined;
  /** The least cost, in integer nano-USD. */
  minCostNusd?: number | undefined;
  /** These sessions alone. */
  ids?: readonly string[] | undefined;
  /** Stages that keep those that are meant. They come after the order and before the limit, so that few sessions enter them. */
  having?: Stages | undefined;
}

export interface SessionFilter extends SessionMatch {
  /** Epoch ms; `started_at` in [fromMs, toMs). */
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

type Conditions = Record<string, unknown>;
type Stages = readonly Record<string, unknown>[];

const EQUAL = ['user_id', 'project_id', 'model', 'adapter'] as const;

/** A session whose signals were all voided is in no list, no total and no baseline. */
const COUNTED = { signal_count: { $gt: 0 } };

/**
 * One filter and the condition on the time, which one index holds whole, then the other filters: MongoDB joins the
 * stages, the embedded server would read every session for fields that the index does not hold (docs/stores.md). With several
 * filters, the index of the first bounds the range: users are rarer than models.
 */
export function matchingSessions(orgId: string, match: SessionMatch, condition: Conditions): Stages {
  const equal = equalities(match);
  const [first, ...others] = match.ids
    ? [{ _id: { $in: [...match.ids] } }, { org_id: orgId, ...condition }, ...equal]
    : [{ org_id: orgId, ...equal[0], ...condition }, ...equal.slice(1)];
  return inStages([first, ...others, ...restOf(match)]);
}

/** All sessions of so short a range are hardly more than those with errors of all times. */
const SHORT_MS = 3 * DAY_MS;

/**
 * The same where all that match are read, and not the first of them alone. Errors and anomalies have an index of the few sessions
 * with any, of which the embedded server reads one range, whatever the time: all sessions of a short time are fewer than those with
 * errors. Without a beginning the time holds every session: from a cost up, which is above 0, they are fewer, so the index of the
 * costs is read then.
 */
export function matchingFew(orgId: string, match: SessionFilter, time: Conditions): Stages {
  const { minCostNusd, fromMs, toMs, user_id, ids } = match;
  const isShort = fromMs !== undefined && toMs !== undefined && toMs - fromMs <= SHORT_MS;
  if (ids || user_id !== undefined) return matchingSessions(orgId, match, time);
  if (minCostNusd !== undefined && fromMs === undefined) {
    // A session that costs something has signals, so nobody looks whether it has.
    const conditions = [time, ...equalities(match), ...restOf({ ...match, minCostNusd: undefined })];
    const expensive = { org_id: orgId, cost_nusd: { $gte: minCostNusd } };
    return joined([expensive, ...conditions]);
  }
  const rare = match.anomalous ? ANOMALOUS : match.errors && !isShort ? WITH_ERRORS : undefined;
  if (!rare) return matchingSessions(orgId, match, time);
  const others = [time, ...equalities(match), ...restOf(match)];
  return inStages([{ org_id: orgId, ...rare }, ...others]);
}

/** True of a filter that few sessions may meet. */
export function isOfFew({ errors, anomalous, minCostNusd, ids }: SessionMatch): boolean {
  return errors === true || anomalous === true || minCostNusd !== undefined || ids !== undefined;
}

/** The same where the condition is on the cost: an index holds both. */
export function matchingByCost(orgId: string, match: SessionMatch, condition: Conditions): Stages {
  const ids = match.ids ? [{ _id: { $in: [...match.ids] } }] : [];
  const indexed = { org_id: orgId, ...condition };
  return inStages([indexed, ...equalities(match), ...restOf(match), ...ids]);
}

/** True of a filter that rollups know nothing of. */
export function isBeyondRollups(match: SessionMatch): boolean {
  const { errors, anomalous, state, minCostNusd, ids, having } = match;
  return [errors, anomalous, state, minCostNusd, ids, having].some((asked) => asked !== undefined);
}

/** These conditions, and that the session counts. */
function inStages([indexed = {}, ...others]: readonly Conditions[]): Stages {
  return joined([indexed, COUNTED, ...others]);
}

/** The conditions in as few stages as there may be: the embedded server takes a microsecond per session and stage. */
function joined([indexed = {}, ...rest]: readonly Conditions[]): Stages {
  const names = rest.flatMap(Object.keys);
  const areApart = new Set(names).size === names.length;
  const others = areApart ? [Object.assign({}, ...rest)] : rest;
  return [indexed, ...others.filter((each) => Object.keys(each).length > 0)].map(($match) => ({ $match }));
}

function equalities(match: SessionMatch): Conditions[] {
  return EQUAL.filter((name) => match[name] !== undefined).map((name) => ({ [name]: match[name] }));
}

const WITH_ERRORS = { error_count: { $gt: 0 } };
/** Texts are greater than the empty one. `$exists` would not do for an index (docs/stores.md). */
const ANOMALOUS = { anomaly_types: { $gt: '' } };

function restOf({ users, errors, anomalous, state, minCostNusd }: SessionMatch): Conditions[] {
  return [
    ...(users === undefined ? [] : [{ user_id: { $in: [...users] } }]),
    ...(errors === undefined ? [] : [errors ? WITH_ERRORS : { error_count: 0 }]),
    ...(anomalous === undefined ? [] : [anomalous ? ANOMALOUS : { anomaly_types: { $exists: false } }]),
    ...(state === undefined ? [] : [{ state }]),
    ...(minCostNusd === undefined ? [] : [{ cost_nusd: { $gte: minCostNusd } }]),
  ];
}
