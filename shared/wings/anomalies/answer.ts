import type { ClientSession } from 'mongoose';
import { z } from 'zod';
import { auditWrite } from '../../core/accounts/audit/record-audit.ts';
import { raiseOrganizationVersion } from '../../core/accounts/organizations/versions.ts';
import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { invalid } from '../../platform/basics/errors.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import { instant } from '../../platform/basics/text.ts';
import { commitPlan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { findOwn } from '../../platform/mongo/find-own.ts';
import { replaceRow } from '../../platform/mongo/writes.ts';
import { expectationKey } from './expected.ts';
import { type Anomaly, anomalyRows, EXPECTED_OF, type Expectation, expectationRows } from './model.ts';

const LONGEST_MS = 366 * DAY_MS;

export const expectationInput = z.strictObject({
  of: z
    .enum(EXPECTED_OF)
    .describe('Whose anomalies of this kind are expected: those of the person, or of this session alone')
    .meta({ examples: ['person'] }),
  until: instant
    .describe('Until when, at most a year ahead')
    .meta({ examples: ['2026-11-24T12:00:00.000Z'] }),
});

export interface Answerer {
  orgId: string;
  userId: string;
}

/**
 * Acknowledges an anomaly: somebody has seen to it. A repeat changes nothing, whoever was first. Throws `not_found`.
 */
export async function acknowledgeAnomaly(
  ctx: Context,
  { orgId, userId }: Answerer,
  anomalyId: string,
): Promise<Anomaly> {
  return commitPlan(ctx, async (transaction) => {
    const before = await findAnomaly(ctx, orgId, anomalyId, transaction);
    if (before.state === 'acknowledged') return { result: before };
    const { expected_until: _, ...kept } = before;
    const after: Anomaly = { ...kept, state: 'acknowledged', acknowledged_by: userId };
    const details = { anomaly_id: anomalyId, user_id: before.user_id };
    const audit = auditWrite(ctx, { action: 'anomaly.acknowledge', org_id: orgId, details });
    return { writes: [replaceRow(anomalyRows, after), audit], result: after };
  });
}

/**
 * Expects anomalies of this kind of a person, or of one session, until a time: channels get no messages about them until then, and
 * those that are found are `expected`. It conflicts with a report that has not seen it. A repeat changes nothing. Throws `not_found`
 * and `invalid_request`.
 */
export async function expectAnomaly(
  ctx: Context,
  { orgId, userId }: Answerer,
  anomalyId: string,
  { of, until: untilMs }: z.output<typeof expectationInput>,
): Promise<Anomaly> {
  return commitPlan(
    ctx,
    async (transaction) => {
      const before = await findAnomaly(ctx, orgId, anomalyId, transaction);
      const _id = expectationKey(before, of);
      const known = await expectationRows(ctx).findOne({ _id }, { session: transaction });
      const until = dateAt(untilMs);
      const expected_until = await latestEnd(ctx, before, { of, until }, transaction);
      const isSame = known?.until.getTime() === untilMs && before.state === 'expected';
      if (isSame && before.expected_until?.getTime() === expected_until.getTime()) return { result: before };
      refuseOther(untilMs, ctx.clock.now());
      const { anomaly_type, user_id, session_id } = before;
      const expectation: Expectation = {
        _id,
        org_id: orgId,
        anomaly_type,
        of,
        user_id,
        ...(of === 'session' ? { session_id } : {}),
        until,
        by: userId,
      };
      const { acknowledged_by: _by, ...kept } = before;
      const after: Anomaly = { ...kept, state: 'expected', expected_until };
      const details = { anomaly_id: anomalyId, anomaly_type, of, user_id, until: isoTime(untilMs) };
      const writes = [
        replaceRow(anomalyRows, after),
        replaceRow(expectationRows, expectation, { upsert: true }),
        ...raiseOrganizationVersion(orgId),
        auditWrite(ctx, { action: 'anomaly.expect', org_id: orgId, details }),
      ];
      return { writes, result: after };
    },
    { onDuplicateKey: 'retry' },
  );
}

/** When the messages about an anomaly begin again: it may also be expected of its person, or of its session, until later. */
async function latestEnd(
  ctx: Context,
  anomaly: Anomaly,
  { of, until }: Pick<Expectation, 'of' | 'until'>,
  transaction: ClientSession,
): Promise<Date> {
  const _id = expectationKey(anomaly, of === 'person' ? 'session' : 'person');
  const other = await expectationRows(ctx).findOne({ _id }, { session: transaction });
  return other && other.until > until ? other.until : until;
}

const findAnomaly = findOwn(anomalyRows, 'anomaly');

function refuseOther(untilMs: number, nowMs: number): void {
  if (untilMs > nowMs && untilMs <= nowMs + LONGEST_MS) return;
  const detail = untilMs <= nowMs ? 'must lie ahead' : 'may be at most a year ahead';
  throw invalid(`The expectation is not valid: until ${detail}.`, '/until', detail);
}
