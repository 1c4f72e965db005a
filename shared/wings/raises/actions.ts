/** The actions of raises that the audit log can hold. */
export const RAISES_ACTIONS = [
  'raise.ask',
  'raise.approve',
  'raise.deny',
  'raise.withdraw',
  'raise.revoke',
  'raise.expire',
  'raise.end',
] as const;

declare module '../../core/accounts/audit/actions.ts' {
  interface AuditActions {
    raises: (typeof RAISES_ACTIONS)[number];
  }
}
