/** The actions of export destinations and closed months that the audit log can hold. */
export const PUSH_ACTIONS = [
  'destination.create',
  'destination.update',
  'destination.delete',
  'destination.run',
  'destination.test',
  'focus.close',
] as const;

declare module '../../core/accounts/audit/actions.ts' {
  interface AuditActions {
    push: (typeof PUSH_ACTIONS)[number];
  }
}
