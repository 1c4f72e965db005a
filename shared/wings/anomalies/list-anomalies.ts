import { z } from 'zod';
import type { Reader } from '../../core/accounts/organizations/reader.ts';
import { sessionRows } from '../../core/calls/sessions/model.ts';
import { isoTime } from '../../platform/basics/clock.ts';
import { ANOMALY_TYPES, type AnomalyType } from '../../platform/basics/contract.ts';
import { given } from '../../platform/basics/given.ts';
import type { Listed, ListPage } from '../../platform/basics/paginate.ts';
import type { Context } from '../../platform/context/context.ts';
import { listRows } from '../../platform/mongo/list-rows.ts';
import { ANOMALY_STATES, type Anomaly, type AnomalyState, anomalyRows } from './model.ts';

/** An anomaly as its event carries it, with `id` and its times. */
export const anomalyView = z.strictObject({
  id: z.string(),
  anomaly_type: z.enum(ANOMALY_TYPES),
  user_id: z.string(),
  baseline_avg: z.number().describe('Tokens, US dollars or an error rate, by type'),
  observed: z.number(),
  deviation_pct: z.number(),
  session_id: z.string(),
  detected_at: z.string().describe('When it was first seen; the figures are those of the last report'),
  corrected_at: z
    .string()
    .nullable()
    .describe('When signals of the session were voided after the last report'),
  state: z
    .enum(ANOMALY_STATES)
    .describe(
      '`acknowledged`: an admin has seen to it. `expected`: an admin has said that it is nothing new',
    ),
  acknowledged_by: z
    .string()
    .exactOptional()
    .describe('The user id of that admin, for a credential that is not bound to one user')
    .meta({ examples: ['grace'] }),
  expected_until: z
    .string()
    .exactOptional()
    .describe('Of one that is expected: until when channels get no messages about its kind')
    .meta({ examples: ['2026-11-24T12:00:00.000Z'] }),
});

export const listedAnomalyView = anomalyView.extend({
  session_started_at: z.string().nullable().describe('When its session started'),
});

/** An anomaly as a reader sees it: who acknowledged it is shown to those who see the whole organization. */
export function viewAnomaly(
  anomaly: Anomaly,
  { userId: boundTo }: Pick<Reader, 'userId'>,
): z.output<typeof anomalyView> {
  const { _id: id, anomaly_type, user_id, baseline_avg, observed, deviation_pct, session_id } = anomaly;
  const detected_at = isoTime(anomaly.detected_at.getTime());
  const corrected_at = anomaly.corrected_at ? isoTime(anomaly.corrected_at.getTime()) : null;
  const figures = { baseline_avg, observed, deviation_pct };
  const { state = 'new', acknowledged_by, expected_until } = anomaly;
  return {
    id,
    anomaly_type,
    user_id,
    ...figures,
    session_id,
    detected_at,
    corrected_at,
    state,
    ...(acknowledged_by !== undefined && boundTo === null ? { acknowledged_by } : {}),
    ...(expected_until ? { expected_until: isoTime(expected_until.getTime()) } : {}),
  };
}

export interface ListedAnomaly extends Anomaly {
  session_started_at: Date | null;
}

export function viewListedAnomaly(
  anomaly: ListedAnomaly,
  reader: Pick<Reader, 'userId'>,
): z.output<typeof listedAnomalyView> {
  const started = anomaly.session_started_at;
  return { ...viewAnomaly(anomaly, reader), session_started_at: started && isoTime(started.getTime()) };
}

export interface AnomalyFilter {
  user_id?: string | undefined;
  session_id?: string | undefined;
  anomaly_type?: AnomalyType | undefined;
  state?: AnomalyState | undefined;
  /** Epoch ms; `detected_at` in [fromMs, toMs). */
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

/** An anomaly that nobody has answered has no state. */
const OF_NEW = { $nin: ['acknowledged', 'expected'] };

/** One page of an organization's anomalies, ordered by (`detected_at`, id). Counts only when `total` is not known. */
export async function listAnomalies(
  ctx: Context,
  orgId: string,
  { fromMs, toMs, state, ...equal }: AnomalyFilter,
  page: ListPage,
): Promise<Listed<ListedAnomaly>> {
  const inState = state === undefined ? {} : { state: state === 'new' ? OF_NEW : state };
  const matching: Record<string, unknown> = { org_id: orgId, ...given(equal), ...inState };
  const found = await listRows(ctx, anomalyRows, matching, 'detected_at', {
    ...page,
    ...given({ fromMs, toMs }),
  });
  return { ...found, rows: await withSessions(ctx, orgId, found.rows) };
}

async function withSessions(ctx: Context, orgId: string, rows: readonly Anomaly[]): Promise<ListedAnomaly[]> {
  const ids = [...new Set(rows.map(({ session_id }) => session_id))];
  if (ids.length === 0) return [];
  const sessions = await sessionRows(ctx)
    .find({ org_id: orgId, _id: { $in: ids } }, { projection: { started_at: 1 } })
    .toArray();
  const starts = new Map(sessions.map(({ _id, started_at }) => [_id, started_at]));
  return rows.map((row) => ({ ...row, session_started_at: starts.get(row.session_id) ?? null }));
}
