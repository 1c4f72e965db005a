import type { ClientSession } from 'mongoose';
import { batches } from '../../../platform/basics/in-batches.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { sessionRows } from '../sessions/model.ts';
import { type Signal, signalRows } from '../signals/model.ts';
import { addRow } from './measures.ts';
import type { Rollup } from './model.ts';
import { type CountedSignal, rollupChanges } from './plan-rollups.ts';

const BATCH_ROWS = 5_000;

/** The day and quarter-hour rollups that a range must have, computed by the rule that the write path uses. */
export async function sumOfSignals(
  ctx: Context,
  organization: Pick<Organization, '_id' | 'timezones'>,
  range: { fromMs: number; toMs: number },
  transaction?: ClientSession,
): Promise<Rollup[]> {
  const within = { $gte: new Date(range.fromMs), $lt: new Date(range.toMs) };
  const rows = new Map<string, Rollup>();
  const add = (changes: readonly Rollup[]) => {
    for (const change of changes) addRow(rows, change);
  };
  const options = { batchSize: BATCH_ROWS, ...(transaction ? { session: transaction } : {}) };
  const signals = signalRows(ctx).find(
    { org_id: organization._id, ts: within },
    { ...options, projection: COUNTED },
  );
  for await (const batch of batches(signals, BATCH_ROWS)) {
    const counting = (batch as CountedSignal[]).filter(({ voided }) => !voided);
    add(rollupChanges(organization, counting, []));
  }
  const sessions = sessionRows(ctx).find({ org_id: organization._id, started_at: within }, options);
  for await (const batch of batches(sessions, BATCH_ROWS)) {
    const begun = batch.map((after) => ({ before: null, after }));
    add(rollupChanges(organization, [], begun));
  }
  return [...rows.values()];
}

const COUNTED: Partial<Record<keyof Signal, 1>> = {
  ts: 1,
  type: 1,
  user_id: 1,
  project_id: 1,
  adapter: 1,
  model: 1,
  price_provider: 1,
  work: 1,
  tokens_in: 1,
  tokens_out: 1,
  cache_read_tokens: 1,
  cache_write_tokens: 1,
  cost_nusd: 1,
  error: 1,
  voided: 1,
};
