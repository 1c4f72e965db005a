/** The actions of prices that the audit log can hold. */
export const PRICES_ACTIONS = [
  'price-rule.create',
  'price-rule.change',
  'price-rule.remove',
  'repricing.apply',
] as const;

declare module '../../core/accounts/audit/actions.ts' {
  interface AuditActions {
    prices: (typeof PRICES_ACTIONS)[number];
  }
}
