import { PRICING_FIELDS, type PricedSignal } from '../../../core/calls/ingest/price-signal.ts';
import { type Signal, signalRows } from '../../../core/calls/signals/model.ts';
import { openPriceBook } from '../../../core/pricing/rules/price-book.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import type { Context } from '../../../platform/context/context.ts';
import { rowsPerAnswer } from '../../../platform/mongo/embedded-ranges.ts';
import { readAhead } from '../../../platform/mongo/read-ahead.ts';
import type { Repricing } from './model.ts';

/** A recorded signal with all that its price depends on. */
export type RecordedCall = PricedSignal & Pick<Signal, '_id' | 'session_id'>;

/** The embedded store reads the whole range of a question before it answers, and nobody else meanwhile: so each asks for few calls. */
const FEW_CALLS = 500;
const MANY_CALLS = 2_000;
const FIRST_SPAN_MS = 3_600_000;
const LEAST_SPAN_MS = 1_000;

const PROJECTION = Object.fromEntries(
  ['session_id', 'voided', ...PRICING_FIELDS].map((name) => [name, 1] as const),
);

/**
 * The calls of a repricing that are not voided, those of one turn of the event loop at a time, oldest first but for those of one
 * question. A question asks for a longer time after one with few calls.
 */
export async function* readCalls(
  ctx: Context,
  {
    org_id,
    from,
    to,
    only_unpriced,
    ...named
  }: Pick<Repricing, 'org_id' | 'from' | 'to' | 'only_unpriced' | 'model' | 'provider'>,
): AsyncGenerator<RecordedCall[]> {
  const unpriced = only_unpriced ? { cost_source: 'unknown' as const } : {};
  const options = { projection: PROJECTION, batchSize: rowsPerAnswer(ctx.db) };
  const isNamed = matcherOf(named);
  let spanMs = FIRST_SPAN_MS;
  for (let at = from; at < to; ) {
    const end = dateAt(Math.min(at.getTime() + spanMs, to.getTime()));
    const filter = { org_id, ...unpriced, ts: { $gte: at, $lt: end } };
    const cursor = signalRows(ctx).find<RecordedCall & Pick<Signal, 'voided'>>(filter, options);
    let found = 0;
    for await (const signals of readAhead(cursor)) {
      found += signals.length;
      yield signals.filter((signal) => signal.voided === undefined && isNamed(signal));
    }
    at = end;
    if (found < FEW_CALLS) spanMs *= 2;
    if (found > MANY_CALLS) spanMs = Math.max(spanMs / 2, LEAST_SPAN_MS);
  }
}

/** Matches calls as a price rule with this model and provider would. */
function matcherOf({ model, provider }: Pick<Repricing, 'model' | 'provider'>) {
  if (model === null && provider === null) return () => true;
  const start = dateAt(0);
  const rule = { _id: 'prl', name: '', from: start, to: null, replaces_reported: false, created_at: start };
  const match = { model, provider, service_tier: null, project_id: null };
  const book = openPriceBook([{ ...rule, match, effect: { free: true } }]);
  return ({ model: named, provider: reported, price_provider, ts }: RecordedCall) =>
    book.matching({ model: named ?? 'unknown', provider: reported, price_provider }, ts.getTime()).length > 0;
}
