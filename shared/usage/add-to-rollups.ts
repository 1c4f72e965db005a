import type { mongo } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { hashedKey } from '../platform/basics/ids.ts';
import { currentShard } from '../platform/mongo/counter-shards.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';
import type { Session } from '../sessions/model.ts';
import type { Signal } from '../signals/model.ts';
import {
  type Dimensions,
  MEASURES,
  type Measures,
  type Rollup,
  type RollupPeriod,
  rollupRows,
  type Total,
  usageTotalRows,
} from './model.ts';
import { periodStarts } from './periods.ts';
import { addMeasures, totalsOf } from './totals.ts';

export type CountedSignal = Omit<Signal, 'session_id'>;

const PERIODS: readonly RollupPeriod[] = ['quarter_hour', 'day', 'month'];

/** What signals and moved sessions change in the rollups: a row of increments per rollup. Pure. */
export function rollupChanges(
  organization: Pick<Organization, '_id' | 'timezones'>,
  signals: readonly CountedSignal[],
  sessions: readonly { before: Session | null; after: Session }[],
): Rollup[] {
  const rows = new Map<string, Rollup>();
  const add = (dimensions: Dimensions, at: Date, measures: Partial<Measures>): void => {
    const starts = periodStarts(organization, at.getTime());
    for (const period of PERIODS)
      addMeasures(rowOf(rows, organization._id, period, starts[period], dimensions), measures);
  };
  for (const signal of signals)
    add({ ...signal, model: signal.model ?? 'unknown' }, signal.ts, measuresOf(signal));
  for (const { before, after } of sessions) {
    const stayed =
      before?.model === after.model && before.started_at.getTime() === after.started_at.getTime();
    if (stayed) continue;
    if (before) add(before, before.started_at, { sessions: -1 });
    add(after, after.started_at, { sessions: 1 });
  }
  return [...rows.values()].filter((row) => MEASURES.some((measure) => row[measure] !== 0));
}

/** What one signal counts for. */
export function measuresOf(signal: CountedSignal): Partial<Measures> {
  return {
    signals: 1,
    errors: signal.error ? 1 : 0,
    interventions: signal.type === 'intervention' ? 1 : 0,
    tokens_in: signal.tokens_in,
    tokens_out: signal.tokens_out,
    cache_read_tokens: signal.cache_read_tokens,
    cache_write_tokens: signal.cache_write_tokens,
    cost_nusd: signal.cost_nusd ?? 0,
    unpriced_signals: signal.cost_nusd === null ? 1 : 0,
  };
}

/** The writes that count new signals and new or moved sessions. Pure. */
export function planRollups(
  organization: Pick<Organization, '_id' | 'timezones'>,
  signals: readonly CountedSignal[],
  sessions: readonly { before: Session | null; after: Session }[],
  _nowMs: number,
): Write[] {
  const changes = rollupChanges(organization, signals, sessions);
  const totals = totalsOf(changes, currentShard());
  const increment = (row: Rollup | Total) =>
    incrementOf<Rollup | Total>(row) as unknown as { updateOne: { filter: { _id: string }; update: object } };
  return [
    ...changes.map((row) => {
      const { filter, update } = increment(row).updateOne;
      return updateRow(rollupRows, filter, update, { upsert: true });
    }),
    ...totals.map((row) => {
      const { filter, update } = increment(row).updateOne;
      return updateRow(usageTotalRows, filter, update, { upsert: true });
    }),
  ];
}

/** The row comes into being with its first increment. */
export function incrementOf<Row extends Measures & { _id: string; writes?: number }>(row: Row) {
  const { _id, writes, ...identity } = row;
  const increments = Object.fromEntries(MEASURES.map((measure) => [measure, row[measure]]));
  for (const measure of MEASURES) delete (identity as Partial<Measures>)[measure];
  if (writes !== undefined) increments.writes = writes;
  const update = { $inc: increments, $setOnInsert: identity };
  return {
    updateOne: { filter: { _id }, update, upsert: true },
  } as unknown as mongo.AnyBulkWriteOperation<Row>;
}

function rowOf(
  rows: Map<string, Rollup>,
  orgId: string,
  period: RollupPeriod,
  start: number,
  { user_id, project_id, model, adapter }: Dimensions,
): Rollup {
  const id = rollupKey(orgId, period, start, { user_id, project_id, model, adapter });
  const known = rows.get(id);
  if (known) return known;
  const zeros = Object.fromEntries(MEASURES.map((measure) => [measure, 0])) as Measures;
  const row = {
    _id: id,
    org_id: orgId,
    period,
    start: new Date(start),
    user_id,
    project_id,
    model,
    adapter,
    ...zeros,
  };
  rows.set(id, row);
  return row;
}

/** The identity of a rollup: uniqueness is the primary key's. */
export function rollupKey(orgId: string, period: RollupPeriod, start: number, of: Dimensions): string {
  return hashedKey(18, orgId, period, start, of.user_id, of.project_id, of.model, of.adapter);
}
