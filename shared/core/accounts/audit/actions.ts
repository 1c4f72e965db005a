/** The actions of the core that the audit log can hold, by the noun that each begins with. */
export const CORE_ACTIONS = [
  'organization.create',
  'organization.change',
  'member.add',
  'member.invite',
  'member.join',
  'member.decline',
  'member.change',
  'member.identity',
  'member.remove',
  'member.export',
  'member.erase',
  'member.subscribe',
  'member.unsubscribe',
  'key.create',
  'key.rotate',
  'key.revoke',
  'webhook.create',
  'webhook.update',
  'webhook.enable',
  'webhook.recover',
  'webhook.delete',
  'webhook.rotate-keys',
  'budget.create',
  'budget.change',
  'budget.remove',
  'budget.set_person',
  'budget.remove_person',
  'budget.release_reservations',
  'budget.share_reached',
  'signals.void',
  'credits.add',
  'credits.refund',
  'credits.repair',
  'credits.rebuild',
  'device.approve',
  'device.deny',
  'device.link',
  'device.revoke',
  'usage.reconcile',
  'signing-key.rotate',
] as const;

/** The actions by the feature that writes them. A wing adds its own here by its `actions.ts`, so that a mistyped action fails the type check. */
export interface AuditActions {
  core: (typeof CORE_ACTIONS)[number];
}

export type AuditAction = AuditActions[keyof AuditActions];
