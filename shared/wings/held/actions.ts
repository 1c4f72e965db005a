export const HELD_ACTIONS = ['signals.hold_above', 'signals.release', 'signals.discard'] as const;

declare module '../../core/accounts/audit/actions.ts' {
  interface AuditActions {
    held: (typeof HELD_ACTIONS)[number];
  }
}
