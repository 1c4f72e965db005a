import { dateAt } from '../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import { retentionRule } from '../platform/mongo/retention.ts';
import { heldRows } from './model.ts';

/** A held signal goes when it is too old to be recorded. A repeat is refused from then on. */
export const heldRetention = retentionRule('held_signals', heldRows, {
  old: (_config, nowMs) => ({
    filter: { ts: { $lt: dateAt(nowMs - SIGNAL_AGE_MS.behind) } },
    ageField: 'ts',
  }),
});
