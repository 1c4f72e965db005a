import { type AuditFilter, auditPages } from '../core/accounts/audit/list-audit.ts';
import { isoTime } from '../platform/basics/clock.ts';
import type { Columns, Row } from '../platform/basics/columns.ts';
import type { Context } from '../platform/context/context.ts';
import { type NamedEntry, nameEntries } from './name-audit.ts';

export const AUDIT_FORMATS = ['csv', 'ndjson'] as const;

const COLUMNS: Columns = [
  { name: 'at', type: 'time' },
  { name: 'action', type: 'text' },
  { name: 'actor', type: 'text' },
  { name: 'actor_name', type: 'text' },
  { name: 'target_kind', type: 'text' },
  { name: 'target_id', type: 'text' },
  { name: 'target_name', type: 'text' },
  { name: 'details', type: 'text' },
  { name: 'id', type: 'text' },
];

/** The audit log as a table, oldest first: `details` is JSON. Memory does not grow with it. */
export function exportAudit(
  ctx: Context,
  orgId: string,
  filter: AuditFilter,
): { columns: Columns; rows: AsyncGenerator<readonly Row[]> } {
  return { columns: COLUMNS, rows: rowsOf(ctx, orgId, filter) };
}

async function* rowsOf(ctx: Context, orgId: string, filter: AuditFilter): AsyncGenerator<readonly Row[]> {
  for await (const entries of auditPages(ctx, orgId, filter))
    yield (await nameEntries(ctx, orgId, entries)).map(rowOf);
}

function rowOf({ id, at, actor, actor_name, action, target, details }: NamedEntry): Row {
  const { kind = null, id: targetId = null, name = null } = target ?? {};
  const time = isoTime(at * 1_000);
  return [time, action, actor, actor_name, kind, targetId, name, JSON.stringify(details), id];
}
