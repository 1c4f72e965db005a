/** The actions of anomalies that the audit log can hold. */
export const ANOMALIES_ACTIONS = ['anomaly.acknowledge', 'anomaly.expect'] as const;

declare module '../../core/accounts/audit/actions.ts' {
  interface AuditActions {
    anomalies: (typeof ANOMALIES_ACTIONS)[number];
  }
}
