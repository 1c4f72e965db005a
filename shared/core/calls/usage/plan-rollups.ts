import { hashedKey } from '../../../platform/basics/ids.ts';
import { insertRow, updateRow, type Write } from '../../../platform/mongo/writes.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import type { Session, SessionChange } from '../sessions/model.ts';
import { countedSessions } from '../sessions/plan-sessions.ts';
import type { Signal } from '../signals/model.ts';
import { createPeriodStarts } from './calendar.ts';
import { addMeasures, addRow, isZero, measuresIn, noMeasures } from './measures.ts';
import { type Dimensions, type Measures, type Rollup, type RollupPeriod, rollupRows } from './model.ts';
import { planStaleSnapshots } from './snapshots.ts';

export type CountedSignal = Omit<Signal, 'session_id'>;

const PERIODS: readonly RollupPeriod[] = ['quarter_hour', 'day'];

/**
 * The writes of `rollupChanges`: increments of the rollups, and marks on the snapshots of days and months that have closed. A
 * rollup that `isNew` is inserted. Pure. They belong in the transaction that records or voids the signals.
 */
export function planRollups(
  organization: Pick<Organization, '_id' | 'timezones'>,
  changes: readonly Rollup[],
  { nowMs, isNew = () => false }: { nowMs: number; isNew?: (rollup: Rollup) => boolean },
): Write[] {
  const increments = changes.map((row) => (isNew(row) ? insertRow(rollupRows, row) : incrementRollup(row)));
  return [...increments, ...planStaleSnapshots(organization, daysOf(changes), nowMs)];
}

/** The writes that count signals otherwise, because something of them or of their sessions has changed. Pure. */
export function planMovedRollups(
  organization: Pick<Organization, '_id' | 'timezones'>,
  { before, after, sessions = [] }: MovedSignals,
  nowMs: number,
): Write[] {
  const rows = new Map<string, Rollup>();
  const changes = [
    ...rollupChanges(organization, before, sessions, -1),
    ...rollupChanges(organization, after, []),
  ];
  for (const change of changes) addRow(rows, change);
  const moved = [...rows.values()].filter((row) => !isZero(row));
  return planRollups(organization, moved, { nowMs });
}

interface MovedSignals {
  before: readonly CountedSignal[];
  after: readonly CountedSignal[];
  sessions?: readonly SessionChange[];
}

function daysOf(rows: readonly Rollup[]): Set<number> {
  return new Set(rows.flatMap(({ period, start }) => (period === 'day' ? [start.getTime()] : [])));
}

/**
 * A row of increments per rollup that new signals and new or moved sessions change. With the sign -1 they take signals away. Pure.
 */
export function rollupChanges(
  organization: Pick<Organization, '_id' | 'timezones'>,
  signals: readonly CountedSignal[],
  sessions: readonly SessionChange[],
  sign: 1 | -1 = 1,
): Rollup[] {
  const rows = new Map<string, Rollup>();
  const startsAt = createPeriodStarts(organization);
  const add = (dimensions: Dimensions, at: Date, measures: Partial<Measures>): void => {
    const starts = startsAt(at.getTime());
    for (const period of PERIODS)
      addMeasures(rowOf(rows, organization._id, period, starts[period], dimensions), measures);
  };
  for (const signal of signals) {
    add(dimensionsOf(signal), signal.ts, measuresOf(signal, sign));
  }
  for (const { before, after } of sessions.map(countedSessions)) {
    const stayed =
      before?.model === after?.model &&
      before?.price_provider === after?.price_provider &&
      before?.started_at.getTime() === after?.started_at.getTime();
    if (stayed) continue;
    if (before) add(dimensionsOf(before), before.started_at, { sessions: -1 });
    if (after) add(dimensionsOf(after), after.started_at, { sessions: 1 });
  }
  return [...rows.values()].filter((row) => !isZero(row));
}

/** The dimensions that a signal or a session counts under. One of an earlier version has no provider, and a session no work. */
function dimensionsOf(row: CountedSignal | Session): Dimensions {
  const { user_id, project_id, adapter, model, price_provider: provider } = row;
  const own = { user_id, project_id, model: model ?? 'unknown', adapter };
  const work = 'work' in row ? row.work : undefined;
  return { ...own, ...(provider === undefined ? {} : { provider }), ...(work === undefined ? {} : { work }) };
}

export function measuresOf(signal: CountedSignal, sign: 1 | -1 = 1): Partial<Measures> {
  return {
    signals: sign,
    errors: signal.error ? sign : 0,
    interventions: signal.type === 'intervention' ? sign : 0,
    tokens_in: sign * signal.tokens_in,
    tokens_out: sign * signal.tokens_out,
    cache_read_tokens: sign * signal.cache_read_tokens,
    cache_write_tokens: sign * signal.cache_write_tokens,
    cost_nusd: sign * (signal.cost_nusd ?? 0),
    unpriced_signals: signal.cost_nusd === null ? sign : 0,
  };
}

/** The row comes into being with its first increment. */
function incrementRollup({
  _id,
  org_id,
  period,
  start,
  user_id,
  project_id,
  model,
  adapter,
  provider,
  work,
  ...row
}: Rollup) {
  const own = { period, start, user_id, project_id, model, adapter };
  const identity = {
    ...own,
    ...(provider === undefined ? {} : { provider }),
    ...(work === undefined ? {} : { work }),
  };
  const update = { $inc: measuresIn(row), $setOnInsert: identity };
  return updateRow(rollupRows, { _id, org_id }, update, { upsert: true });
}

function rowOf(
  rows: Map<string, Rollup>,
  orgId: string,
  period: RollupPeriod,
  start: number,
  of: Dimensions,
): Rollup {
  const { user_id, project_id, model, adapter, provider, work } = of;
  // Signals outnumber rollups, and a hash costs more than a text.
  const id = JSON.stringify([period, start, user_id, project_id, model, adapter, provider, work]);
  const known = rows.get(id);
  if (known) return known;
  const row = {
    _id: rollupKey(orgId, period, start, of),
    org_id: orgId,
    period,
    start: new Date(start),
    ...of,
    ...noMeasures(),
  };
  rows.set(id, row);
  return row;
}

/**
 * The identity of a rollup: uniqueness is the primary key's. One without a provider or without a work keeps the key of earlier
 * versions.
 */
export function rollupKey(orgId: string, period: RollupPeriod, start: number, of: Dimensions): string {
  const { user_id, project_id, model, adapter, provider, work } = of;
  const named = provider === undefined ? [] : [provider];
  const more = work === undefined ? named : [provider ?? '', work];
  return hashedKey(18, orgId, period, start, user_id, project_id, model, adapter, ...more);
}
