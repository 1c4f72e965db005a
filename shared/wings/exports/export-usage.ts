import type { Organization } from '../../core/accounts/organizations/model.ts';
import { sessionPages } from '../../core/calls/sessions/list-sessions.ts';
import type { SessionFilter, SessionMatch } from '../../core/calls/sessions/match-sessions.ts';
import type { Session } from '../../core/calls/sessions/model.ts';
import { viewSession } from '../../core/calls/sessions/view.ts';
import { boundsOf, type RangeInput, rangeOf } from '../../core/calls/usage/range.ts';
import { matchOf, type UsageFilter } from '../../core/calls/usage/read-usage.ts';
import type { Columns, Row } from '../../platform/basics/columns.ts';
import type { Context } from '../../platform/context/context.ts';
import { attributedRows, columnsOfDays, dailyRows } from './export-days.ts';

export const LEVELS = ['sessions', 'daily', 'attributed'] as const;
export type Level = (typeof LEVELS)[number];

export interface ExportQuestion extends Omit<RangeInput, 'interval'> {
  level: Level;
  /** At the levels `daily` and `attributed` those of usage alone. */
  filter: UsageFilter & SessionMatch;
}

/** A table: its columns and, as they are asked for, its rows. A reader that stops reading stops the query. */
export interface Export {
  columns: Columns;
  rows: AsyncIterable<readonly Row[]>;
  fromMs: number;
  toMs: number;
}

/** The table that a question asks for. Throws `invalid_request` at once when the range cannot be answered exactly. */
export function exportUsage(ctx: Context, organization: Organization, question: ExportQuestion): Export {
  const { level, filter, ...asked } = question;
  if (level !== 'sessions') {
    const days = { ...asked, interval: 'day' } as const;
    const range = rangeOf(ctx, organization, days, Number.POSITIVE_INFINITY);
    const equal = matchOf(filter);
    const rows =
      level === 'daily'
        ? dailyRows(ctx, organization, range, equal)
        : attributedRows(ctx, organization, range, equal);
    return { columns: columnsOfDays(level), rows, fromMs: range.fromMs, toMs: range.toMs };
  }
  const { fromMs, toMs } = boundsOf(ctx, asked);
  return {
    columns: SESSION_COLUMNS,
    rows: exportSessions(ctx, organization._id, { ...filter, fromMs, toMs }),
    fromMs,
    toMs,
  };
}

const SESSION_COLUMNS: Columns = [
  { name: 'id', type: 'text' },
  { name: 'user_id', type: 'text' },
  { name: 'project_id', type: 'text' },
  { name: 'started_at', type: 'time' },
  { name: 'ended_at', type: 'time' },
  { name: 'duration_s', type: 'integer' },
  { name: 'model', type: 'text' },
  { name: 'models', type: 'list' },
  { name: 'tokens_in', type: 'integer' },
  { name: 'tokens_out', type: 'integer' },
  { name: 'cost_usd', type: 'money' },
  { name: 'signal_count', type: 'integer' },
  { name: 'error_count', type: 'integer' },
  { name: 'adapter', type: 'text' },
  { name: 'state', type: 'text' },
  { name: 'end_reason', type: 'text' },
  { name: 'intervention_count', type: 'integer' },
  { name: 'unpriced_signals', type: 'integer' },
  { name: 'last_activity_at', type: 'time' },
];

/** Sessions that started in the range, in order of (`started_at`, id). */
async function* exportSessions(
  ctx: Context,
  orgId: string,
  filter: SessionFilter,
): AsyncGenerator<readonly Row[]> {
  for await (const sessions of sessionPages(ctx, orgId, filter)) yield sessions.map(sessionRow);
}

function sessionRow(session: Session): Row {
  const view = { ...viewSession(session), cost_usd: BigInt(session.cost_nusd) };
  return SESSION_COLUMNS.map(({ name }) => view[name as keyof typeof view]);
}
