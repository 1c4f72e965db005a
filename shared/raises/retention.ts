import { dateAt } from '../platform/basics/clock.ts';
import type { RetentionRule } from '../platform/mongo/retention.ts';
import { raiseRows } from './model.ts';

/** Notes go 90 days after the answer. The raise itself stays. */
export const raiseRetention: RetentionRule = {
  kind: 'raise_notes',
  isPerOrganization: false,
  purge: async (ctx, nowMs) => {
    const old = { notes_until: { $lt: dateAt(nowMs), $gt: dateAt(0) } };
    const erased = { note: null, answer_note: null, notes_until: dateAt(0) };
    return (await raiseRows(ctx).updateMany(old, { $set: erased })).modifiedCount;
  },
};
