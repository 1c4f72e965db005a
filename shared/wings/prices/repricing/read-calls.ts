import { PRICING_FIELDS, type PricedSignal } from '../../../core/calls/ingest/price-signal.ts';
import { type Signal, signalRows } from '../../../core/calls/signals/model.ts';
import { openPriceBook } from '../../../core/pricing/rules/price-book.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import type { Context } from '../../../platform/context/context.ts';
import { readAhead } from '../../../platform/mongo/read-ahead.ts';
import type { Repricing } from './model.ts';

/** A recorded signal with all that its price depends on. */
export type RecordedCall = PricedSignal & Pick<Signal, '_id' | 'session_id'>;

/** The signals of one turn of the event loop. */
const READ_AT_ONCE = 500;

const PROJECTION = Object.fromEntries(
  ['session_id', 'voided', ...PRICING_FIELDS].map((name) => [name, 1] as const),
);

/** The calls of a repricing that are not voided, those of one turn of the event loop at a time, in no order. */
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
  const filter = { org_id, ...unpriced, ts: { $gte: from, $lt: to } };
  const options = { projection: PROJECTION, batchSize: READ_AT_ONCE };
  const cursor = signalRows(ctx).find<RecordedCall & Pick<Signal, 'voided'>>(filter, options);
  const isNamed = matcherOf(named);
  for await (const signals of readAhead(cursor))
    yield signals.filter((signal) => signal.voided === undefined && isNamed(signal));
}

/** Matches calls as a price rule with this model and provider would. */
function matcherOf({ model, provider }: Pick<Repricing, 'model' | 'provider'>) {
  if (model === null && provider === null) return () => true;
  const start = dateAt(0);
  const rule = { _id: 'prl', name: '', from: start, to: null, replaces_reported: false, created_at: start };
  const match = { model, provider, service_tier: null, project_id: null };
  const book = openPriceBook([{ ...rule, match, effect: { free: true } }]);
  return ({ model: named, provider: reported, price_provider }: RecordedCall) =>
    book.matching({ model: named ?? 'unknown', provider: reported, price_provider }).length > 0;
}
