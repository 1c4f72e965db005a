import type { ClientSession } from 'mongoose';
import { z } from 'zod';
import type { Context } from '../../../platform/context/context.ts';
import { inTransaction } from '../../../platform/mongo/transaction.ts';
import { signalRows } from '../signals/model.ts';
import { WORK_FIELDS, type WorkNames } from '../signals/place.ts';
import { type ContextView, dimensionOf } from './dimension.ts';
import { type Session, sessionRows } from './model.ts';

const measures = {
  signals: z.int(),
  tokens_in: z.int(),
  tokens_out: z.int(),
  cost_usd: z.number(),
  unpriced_signals: z.int(),
};

/** The part of a session that belongs to one repository, branch and task. */
export const attributionView = z.strictObject({
  ...Object.fromEntries(WORK_FIELDS.map((name) => [name, z.string().nullable()])),
  ...measures,
} as Record<(typeof WORK_FIELDS)[number], z.ZodNullable<z.ZodString>> & typeof measures);

export type AttributionView = z.output<typeof attributionView>;

export interface AttributedSession {
  session: Session;
  /** It sums to the session. */
  attribution: AttributionView[];
  contexts: ContextView[];
  works: WorkNames;
}

/** Reads where the cost of a session belongs, and the contexts that its client sessions were told until its end. */
export async function readAttribution(ctx: Context, session: Session): Promise<AttributedSession> {
  return inTransaction(ctx.db, async (transaction) => {
    const { _id, org_id } = session;
    const now = await sessionRows(ctx).findOne({ _id, org_id }, { session: transaction });
    const whole = now ?? session;
    const sums = await sumByWork(ctx, whole, transaction);
    const ids = new Set(sums.flatMap(({ _id: { work } }) => work ?? []));
    const clientSessions = new Set(sums.flatMap((sum) => sum._id.client_session ?? []));
    const dimension = dimensionOf(ctx);
    const works = await dimension.names(ctx, org_id, { ids }, transaction);
    const contexts = await dimension.contexts(ctx, whole, [...clientSessions], transaction);
    return { session: whole, attribution: attributionOf(whole, sums, works), contexts, works };
  });
}

interface Counts {
  signals: number;
  tokens_in: number;
  tokens_out: number;
  cost_nusd: number;
  unpriced_signals: number;
}

interface WorkSum extends Counts {
  _id: { work?: string; client_session?: string };
}

const COUNTS = ['signals', 'tokens_in', 'tokens_out', 'cost_nusd', 'unpriced_signals'] as const;

/** The counts of a session's calls by work and client session; those that are voided count nothing. */
function sumByWork(ctx: Context, { _id, org_id }: Session, transaction: ClientSession): Promise<WorkSum[]> {
  const isCounted = { $eq: [{ $type: '$voided' }, 'missing'] };
  const sum = (amount: unknown) => ({ $sum: { $cond: [isCounted, amount, 0] } });
  const group = {
    _id: { work: '$work', client_session: '$client_session' },
    signals: sum(1),
    tokens_in: sum('$tokens_in'),
    tokens_out: sum('$tokens_out'),
    cost_nusd: sum({ $ifNull: ['$cost_nusd', 0] }),
    unpriced_signals: sum({ $cond: [{ $eq: [{ $ifNull: ['$cost_nusd', null] }, null] }, 1, 0] }),
  };
  return signalRows(ctx)
    .aggregate<WorkSum>([{ $match: { session_id: _id, org_id } }, { $group: group }], {
      session: transaction,
    })
    .toArray();
}

/** The sums by the names of works, most expensive first. The rest of the session, also of purged calls, belongs to none. Pure. */
function attributionOf(session: Session, sums: readonly WorkSum[], works: WorkNames): AttributionView[] {
  const rest: Counts = { ...session, signals: session.signal_count };
  const byName = new Map<string, { names: (string | null)[]; counts: Counts }>();
  for (const { _id, ...counts } of sums) {
    const work = works.get(_id.work ?? '');
    if (!work || counts.signals === 0) continue;
    const names = WORK_FIELDS.map((name) => work[name]);
    const id = JSON.stringify(names);
    const known = byName.get(id) ?? { names, counts: noCounts() };
    byName.set(id, known);
    add(known.counts, counts, 1);
    add(rest, counts, -1);
  }
  const named = [...byName.values()].toSorted((a, b) => b.counts.cost_nusd - a.counts.cost_nusd);
  const none = { names: WORK_FIELDS.map(() => null), counts: rest };
  return [...named, ...(rest.signals > 0 ? [none] : [])].map(({ names, counts }) => viewOf(names, counts));
}

function noCounts(): Counts {
  return { signals: 0, tokens_in: 0, tokens_out: 0, cost_nusd: 0, unpriced_signals: 0 };
}

function add(to: Counts, counts: Counts, sign: 1 | -1): void {
  for (const name of COUNTS) to[name] += sign * counts[name];
}

function viewOf(names: readonly (string | null)[], counts: Counts): AttributionView {
  const { signals, tokens_in, tokens_out, cost_nusd, unpriced_signals } = counts;
  const named = Object.fromEntries(WORK_FIELDS.map((name, index) => [name, names[index] ?? null]));
  return {
    ...(named as Record<(typeof WORK_FIELDS)[number], string | null>),
    signals,
    tokens_in,
    tokens_out,
    cost_usd: cost_nusd / 1e9,
    unpriced_signals,
  };
}
