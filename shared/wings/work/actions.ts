/** The actions of code hosts and pull requests that the audit log can hold. */
export const WORK_ACTIONS = [
  'code_host.create',
  'code_host.delete',
  'pull_request.report',
  'pull_request.delete',
] as const;

declare module '../../core/accounts/audit/actions.ts' {
  interface AuditActions {
    work: (typeof WORK_ACTIONS)[number];
  }
}
