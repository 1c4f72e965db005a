import type { NamedEventType, WebhookFormat } from '../../../../platform/basics/contract.ts';
import { collection, type RowOf } from '../../../../platform/mongo/collection.ts';
import { kept, nullable, object, only, optional } from '../../../../platform/mongo/fields.ts';
import { type Maker, makerField } from '../../../accounts/keys/model.ts';
import { userId } from '../../../accounts/organizations/user-id.ts';
import type { WebhookFilter } from './filter.ts';
import type { Digest, QuietHours } from './settings.ts';

export const webhookRows = collection('webhooks', {
  about: 'A webhook, or a channel of messages: its address, its events and its secret.',
  fields: {
    _id: String,
    org_id: String,
    /** Its name for people; absent or null where it has none. */
    name: optional(nullable(String)),
    /** The target. All formats but `json` have a secret in their URL, so theirs is shortened. */
    url: kept(String, 'an admin chose the address for the organization: delete the webhook to remove it'),
    /** The whole URL where it is a secret, encrypted as one (`target.ts`). */
    encrypted_url: nullable(String),
    format: only<WebhookFormat>(String),
    events: only<NamedEventType[]>([String]),
    /** Percentages of a budget that it gets events for, and whether it gets forecasts (`settings.ts`). */
    alert_at: only<readonly number[]>([Number]),
    forecast: Boolean,
    /** Since when it asks for these percentages. Windows that ended before raise none. */
    alerts_since: Date,
    quiet_hours: nullable(only<QuietHours>(object({ from: String, to: String, timezone: String }))),
    digest: only<Digest>(String),
    /** The only things that it gets events about; absent or null: it has no filter. A webhook of the format `json` never has one. */
    filter: optional(
      nullable(
        only<WebhookFilter>(
          object({
            teams: optional([String]),
            projects: optional([String]),
            budgets: optional([String]),
            people: optional([userId]),
          }),
        ),
      ),
    ),
    /** Encrypted (`encrypt-secret.ts`): never in jobs, logs or answers. */
    secret: String,
    /** The person or key that chose its target. */
    made_by: only<Maker>(makerField),
    /** The previous secret, encrypted, which also signs until `old_secret_until`. */
    old_secret: nullable(String),
    old_secret_until: nullable(Date),
    /** False while its owner has paused it. Stays true while the webhook is failing. */
    enabled: Boolean,
    status: only<'active' | 'failing'>(String),
    failing_since: nullable(Date),
    /** When the admins got the mail that it is failing; null until then. */
    alerted_at: nullable(Date),
    /** Rises with each change, so that a process knows when its copy is old. */
    revision: Number,
    created_at: Date,
  },
  indexes: [{ key: { org_id: 1, created_at: 1 } }, { key: { status: 1, alerted_at: 1 } }],
});

export interface Webhook extends RowOf<typeof webhookRows> {}

/** True of a webhook that writes to people. */
export function isChannel({ format }: Pick<Webhook, 'format'>): boolean {
  return format !== 'json';
}

/** True when its deliveries are held: it is failing, or its owner has paused it. */
export function isPaused({ enabled, status }: Pick<Webhook, 'enabled' | 'status'>): boolean {
  return !enabled || status === 'failing';
}
