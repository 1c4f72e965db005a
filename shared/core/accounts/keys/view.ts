import { z } from 'zod';
import { unixSeconds } from '../../../platform/basics/clock.ts';
import { SCOPES } from '../../../platform/basics/contract.ts';
import { text } from '../../../platform/basics/text.ts';
import { type ApiKey, endOfKey } from './model.ts';

const time = z.int().nullable().describe('Unix seconds');

export const keyInput = z.strictObject({
  name: text(128),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1, 'must name at least one scope')
    .refine((scopes) => new Set(scopes).size === scopes.length, 'must not repeat a scope'),
  user_id: text(256).optional().describe('Bound to this user: it sees and reports nobody else'),
  project_id: text(256).optional().describe('The project of signals that name none'),
  expires_at: z.int().min(1).max(253_402_300_799).optional().describe('Unix seconds'),
});
export type KeyInput = z.output<typeof keyInput>;

const DEFAULT_GRACE_S = 86_400;
const LONGEST_GRACE_S = 30 * 86_400;

export const rotation = z.strictObject({
  grace_s: z
    .int()
    .min(0)
    .max(LONGEST_GRACE_S)
    .default(DEFAULT_GRACE_S)
    .describe('Seconds for which the old key goes on'),
});

/** A maker, as answers show it. */
export const makerView = z
  .strictObject({ user_id: z.string().nullable(), key_id: z.string().nullable() })
  .describe(
    'The person by `user_id`, the API key by `key_id`, or the person who made that key together with it. Both null: an operator',
  );

export const keyView = z.strictObject({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  user_id: z.string().nullable(),
  project_id: z.string().nullable(),
  made_by: makerView,
  expires_at: time,
  created_at: z.int().describe('Unix seconds'),
  revoked_at: time,
  last_used_at: time,
});

/** A key at the moment when it is made. */
export const mintedKeyView = keyView.extend({ key: z.string().describe('Shown this once') });

export function viewKey(key: ApiKey): z.output<typeof keyView> {
  const { _id: id, name, scopes, user_id, project_id, made_by } = key;
  const end = endOfKey(key);
  return {
    id,
    name,
    scopes,
    user_id,
    project_id,
    made_by,
    expires_at: end && unixSeconds(end),
    created_at: unixSeconds(key.created_at),
    revoked_at: key.revoked_at && unixSeconds(key.revoked_at),
    last_used_at: key.last_used_at && unixSeconds(key.last_used_at),
  };
}
