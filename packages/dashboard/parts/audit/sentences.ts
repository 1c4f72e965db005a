import type { AuditActions } from '../../../../shared/core/accounts/audit/actions.ts';
import { AUDITED_WINGS } from '../../wings/sentences.ts';
import {
  amountOf,
  clause,
  counted,
  type Details,
  dollars,
  fixed,
  foreign,
  length,
  list,
  type Part,
  PERSON,
  type Sentence,
  type Sentences,
  TARGET,
} from '../../words/sentence.ts';

/** The sentences of the core's actions, each as it goes on after the actor. A new action needs one: the compiler asks for it. */
const SENTENCES_OF_CORE: Sentences<AuditActions['core']> = {
  'organization.create': ({ plan }) => ['created the organization on the plan ', foreign(plan)],
  'organization.change': (details) => ['changed the settings', ...settings(details)],
  'member.add': ({ role }) => ['invited ', TARGET, ' as ', foreign(role)],
  'member.invite': fixed('renewed the invitation of ', TARGET),
  'member.join': fixed('joined the organization'),
  'member.decline': fixed('declined the invitation'),
  'member.change': ({ user_id: _, revoked: _r, kept: _k, ...changes }) => [
    'changed the member ',
    TARGET,
    ...settings(changes),
  ],
  'member.identity': fixed('linked an identity to ', TARGET),
  'member.remove': fixed('removed the member ', TARGET),
  'member.export': fixed('exported all that is known of ', TARGET),
  'member.erase': fixed('erased all that was known of ', TARGET),
  'member.subscribe': fixed('asked for mails to ', TARGET, ' again'),
  'member.unsubscribe': fixed('ended all mails to ', TARGET),
  'key.create': ({ scopes }) => ['created the key ', TARGET, ...clause(' for ', list(scopes))],
  'key.rotate': fixed('rotated the key ', TARGET),
  'key.revoke': fixed('revoked the key ', TARGET),
  'webhook.create': ({ events }) => ['created the webhook ', TARGET, ...clause(' for ', list(events))],
  'webhook.update': ({ changed, enabled }) => [
    webhookChange(list(changed), enabled),
    ' the webhook ',
    TARGET,
  ],
  'webhook.enable': fixed('enabled the webhook ', TARGET, ' again'),
  'webhook.recover': ({ queued }) => [
    'sent ',
    counted(queued, 'delivery', 'deliveries'),
    ' of ',
    TARGET,
    ' again',
  ],
  'webhook.delete': fixed('deleted the webhook ', TARGET),
  'webhook.rotate-keys': fixed('encrypted the secrets of all webhooks and code hosts anew'),
  'budget.create': (details) => ['created the budget ', TARGET, ...limit(details)],
  'budget.change': (details) => ['changed the budget ', TARGET, ...limit(details)],
  'budget.remove': fixed('deleted the budget ', TARGET),
  'budget.set_person': ({ metric, threshold, exempt }) =>
    exempt === true
      ? ['freed ', PERSON, ' from the budget ', TARGET]
      : [
          'set a threshold of ',
          foreign(amountOf(metric, threshold)),
          ' for ',
          PERSON,
          ' in the budget ',
          TARGET,
        ],
  'budget.remove_person': fixed('ended the exception of ', PERSON, ' from the budget ', TARGET),
  'budget.release_reservations': ({ reservations_released: released }) => [
    'released ',
    released === undefined ? 'the reservations' : counted(released, 'reservation', 'reservations'),
    ' of the budget ',
    TARGET,
  ],
  'budget.share_reached': ({ user_id, key_id }) => [
    'refused a reservation in the budget ',
    TARGET,
    ', because ',
    typeof user_id === 'string' ? PERSON : foreign(key_id ?? 'a caller'),
    ' has its share',
  ],
  'signals.void': ({ signal_ids, cost_usd, reason }) => [
    'voided ',
    counted(length(signal_ids), 'call', 'calls'),
    ...clause(' of ', dollars(cost_usd)),
    ' in the session ',
    TARGET,
    ...clause(': ', reason),
  ],
  'credits.add': ({ amount, bucket }) => [
    'granted ',
    counted(amount, 'credit', 'credits'),
    ' to ',
    TARGET,
    ...clause(', bucket ', bucket),
  ],
  'credits.refund': fixed('refunded a spend of ', TARGET),
  'credits.repair': fixed('repaired the balances of credits'),
  'credits.rebuild': fixed('rebuilt the balances of credits'),
  'device.approve': fixed('approved the device ', TARGET, ' of ', PERSON),
  'device.deny': fixed('denied the device ', TARGET, ' of ', PERSON),
  'device.link': fixed('linked the device ', TARGET, ' of ', PERSON),
  'device.revoke': fixed('revoked the device ', TARGET, ' of ', PERSON),
  'usage.reconcile': ({ repaired }) => ['repaired ', counted(repaired, 'sum', 'sums'), ' of usage'],
  'signing-key.rotate': fixed('rotated the key that signs receipts'),
};

/** The sentences of the audit log. */
export const SENTENCES: Readonly<Record<string, Sentence | undefined>> = Object.fromEntries(
  [{ sentences: SENTENCES_OF_CORE }, ...AUDITED_WINGS].flatMap(({ sentences }) =>
    Object.entries<Sentence>(sentences),
  ),
);

/** The sentence of an entry after its actor. An entry of an older version may hold an action that has none now. */
export function sentenceOf({ action, details }: { action: string; details: Details }): readonly Part[] {
  return SENTENCES[action]?.(details) ?? ['did ', { value: action }];
}

/** The groups of actions to choose from, by the beginning that they share. */
export const ACTION_GROUPS: Readonly<Record<string, string>> = {
  'member.': 'Members',
  'key.': 'Keys',
  'webhook.': 'Webhooks and channels',
  'budget.': 'Budgets',
  'signals.': 'Held and voided calls',
  'credits.': 'Credits',
  'device.': 'Devices',
  'organization.': 'Settings',
  ...Object.fromEntries(AUDITED_WINGS.flatMap(({ groups = {} }) => Object.entries(groups))),
};

/** The words before a webhook that was changed. Entries of an older version do not say if it was paused. */
function webhookChange(changed: string, enabled: unknown): string {
  if (changed === '') return 'changed';
  if (changed !== 'enabled' || typeof enabled !== 'boolean')
    return `changed ${changed.replaceAll('_', ' ')} of`;
  return enabled ? 'resumed' : 'paused';
}

/** Each changed setting with its new value. */
function settings(changes: Details): readonly Part[] {
  const told = Object.entries(changes).map(([name, value]) =>
    name === 'changed' ? list(value).replaceAll('_', ' ') : `${name.replaceAll('_', ' ')}: ${shown(value)}`,
  );
  return told.length === 0 ? [] : [': ', { value: told.join(', ') }];
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function limit({ metric, threshold, window, enforce }: Details): readonly Part[] {
  const amount = amountOf(metric, threshold);
  if (amount === undefined) return [];
  const effect = enforce === 'hard' ? 'refuses calls' : 'only warns';
  return [': ', { value: [amount, window, effect].join(', ') }];
}
