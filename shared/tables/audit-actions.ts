import { type AuditAction, CORE_ACTIONS } from '../core/accounts/audit/actions.ts';
import { WINGS } from './wings.ts';

/** Every action that the audit log can hold. */
export const AUDIT_ACTIONS: readonly AuditAction[] = [
  ...CORE_ACTIONS,
  ...WINGS.flatMap(({ actions = [] }) => actions),
];
