import type { mongo } from 'mongoose';
import { DomainError } from '../../../platform/basics/errors.ts';
import { type KeysetQuery, type Listed, type ListPage, paginate } from '../../../platform/basics/paginate.ts';
import type { Context } from '../../../platform/context/context.ts';
import { firstSpan } from '../../../platform/mongo/embedded-ranges.ts';
import { createPicker } from '../../../platform/mongo/pick-fields.ts';
import { readAhead } from '../../../platform/mongo/read-ahead.ts';
import { maySee, type Reader } from '../../accounts/organizations/reader.ts';
import { type Signal, signalRows } from '../signals/model.ts';
import { type Session, sessionRows } from './model.ts';

/** A session. Throws `not_found`, also for another organization's or user's. */
export async function readSession(ctx: Context, reader: Reader, sessionId: string): Promise<Session> {
  const session = await sessionRows(ctx).findOne({ _id: sessionId, org_id: reader.orgId });
  if (!session || !maySee(reader, session)) throw new DomainError('not_found', 'There is no such session.');
  return session;
}

/** Signals that are held for a slow reader: at 33 KB each at most 2 MB, mostly 50 KB. */
const BATCH_SIGNALS = 64;

/**
 * All signals of a session in time order, from a cursor: memory does not grow with the session. Voided ones are left out
 * unless they are asked for.
 */
export function streamSignals(
  ctx: Context,
  session: SessionName,
  { withVoided = false }: { withVoided?: boolean } = {},
): AsyncGenerator<Signal> {
  return stream<Signal>(ctx, session, withVoided ? {} : NOT_VOIDED, { batchSize: BATCH_SIGNALS });
}

const NOT_VOIDED = { voided: { $exists: false } };

type SessionName = Pick<Session, '_id' | 'org_id'>;

/** Signals of one answer: at 33 KB each at most 8 MB, mostly 120 KB. Two answers are held. */
const BATCH_FIELDS = 250;

/**
 * These fields alone of all signals of a session that are not voided, many at a time and in no order: memory does not grow
 * with the session. A store hands over whole rows in a third of the time in which it picks the fields of each, so they are picked here.
 */
export async function* readFields<Name extends keyof Signal>(
  ctx: Context,
  { _id, org_id }: SessionName,
  names: readonly Name[],
): AsyncGenerator<Pick<Signal, Name>[]> {
  const pick = createPicker<Pick<Signal, Name | 'voided'>>([...names, 'voided']);
  const options = { batchSize: BATCH_FIELDS, raw: true };
  const found = signalRows(ctx).find<Buffer>({ session_id: _id, org_id }, options);
  for await (const rows of readAhead(found))
    yield rows.map(pick).filter(({ voided }) => voided === undefined);
}

async function* stream<Row extends mongo.Document>(
  ctx: Context,
  { _id, org_id }: SessionName,
  condition: Partial<typeof NOT_VOIDED>,
  options: mongo.FindOptions,
): AsyncGenerator<Row> {
  const cursor = signalRows(ctx)
    .find<Row>({ session_id: _id, org_id, ...condition }, options)
    .sort({ ts: 1, _id: 1 });
  try {
    for await (const row of cursor) yield row;
  } finally {
    await cursor.close();
  }
}

/** One page of a session's interventions, ordered by (`ts`, id). */
export async function listInterventions(
  ctx: Context,
  session: Session,
  page: ListPage,
): Promise<Listed<Signal>> {
  const { _id: session_id, org_id } = session;
  const voided = { $exists: false };
  const matching = { session_id, org_id, type: 'intervention' as const, voided };
  const find = ({ filter, sort, limit }: KeysetQuery) =>
    signalRows(ctx)
      .find({ ...matching, ...filter }, { sort, limit })
      .toArray();
  const range = { fromMs: session.started_at.getTime(), toMs: session.last_activity_at.getTime() + 1 };
  const walked = await paginate<Signal>(find, 'ts', { ...page, ...range, ...firstSpan(ctx.db, range) });
  // The session's own count outlives its signals.
  const counted = walked.hasMore ? session.intervention_count : walked.rows.length;
  return { ...walked, total: page.total ?? counted };
}
