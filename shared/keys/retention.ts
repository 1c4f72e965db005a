import { KEY_KEPT_DAYS } from '../platform/basics/contract.ts';
import { daysBefore, retentionRule } from '../platform/mongo/retention.ts';
import { apiKeyRows } from './model.ts';

/** No index: the keys of all organizations are few. */
export const keyRetention = retentionRule('api-keys', apiKeyRows, {
  old: (_config, nowMs) => {
    const before = { $lt: daysBefore(nowMs, KEY_KEPT_DAYS) };
    return {
      filter: { $or: [{ revoked_at: before }, { expires_at: before }, { retires_at: before }] },
      ageField: 'created_at',
    };
  },
});
