import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { usd9 } from '../../pricing/money.ts';
import { CALL_PARTS, type CallPart, listPrice } from '../../pricing/price.ts';
import type { Signal } from '../signals/model.ts';
import type { Session } from './model.ts';
import { readFields } from './read-session.ts';
import { callOf, SPLIT_FIELDS, type SplitSignal, splitSignal } from './split-signal.ts';

/** One class of tokens, or the fees per request, in a cost. */
export interface ExplainedPart {
  class: CallPart;
  /** Tokens, or requests. */
  quantity: number;
  /** List price of a million tokens, or of a thousand requests, in US dollars with nine decimals; null where calls differ. */
  unit_price_usd: string | null;
  /** US dollars with nine decimals. */
  cost_usd: string;
}

/** A cost by class of tokens. The parts and `unsplit_usd`, of calls without a list price, sum to `cost_usd`. */
export interface ExplainedCost {
  cost_usd: string;
  unsplit_usd: string;
  /** By cost source; `rule` only where a price rule made a cost. */
  calls: Record<Exclude<Signal['cost_source'], 'rule'>, number> & { rule?: number };
  parts: ExplainedPart[];
}

/**
 * Explains what a session cost, or one of its calls, from its signals, many at a time. Throws `not_found` for a call that
 * is not in the session.
 */
export async function explainCost(
  ctx: Context,
  session: Pick<Session, '_id' | 'org_id'>,
  signalId?: string,
): Promise<ExplainedCost> {
  const sums = new Map(
    CALL_PARTS.map((part) => [part, { quantity: 0, cost: 0n, prices: new Set<bigint>() }]),
  );
  const calls = { reported: 0, computed: 0, unknown: 0, rule: 0 };
  let total = 0n;
  let unsplit = 0n;
  const count = (signal: SplitSignal) => {
    calls[signal.cost_source] += 1;
    total += BigInt(signal.cost_nusd ?? 0);
    const parts = partsOf(signal);
    if (parts === null) unsplit += BigInt(signal.cost_nusd ?? 0);
    for (const { part, quantity, nusd, price } of parts ?? []) {
      const sum = sums.get(part);
      if (!sum) continue;
      sum.quantity += quantity;
      sum.cost += BigInt(nusd);
      sum.prices.add(price);
    }
  };
  for await (const signals of readFields(ctx, session, [...SPLIT_FIELDS, 'id']))
    signals.filter(({ id }) => signalId === undefined || id === signalId).forEach(count);
  if (signalId !== undefined && calls.reported + calls.computed + calls.unknown + calls.rule === 0)
    throw new DomainError('not_found', 'There is no such call in the session.');
  return {
    cost_usd: usd9(total),
    unsplit_usd: usd9(unsplit),
    calls: shownCalls(calls),
    parts: [...sums]
      .filter(([, { quantity }]) => quantity > 0)
      .map(([part, { quantity, cost, prices }]) => ({
        class: part,
        quantity,
        unit_price_usd: prices.size === 1 ? usd9([...prices][0] ?? 0n) : null,
        cost_usd: usd9(cost),
      })),
  };
}

function shownCalls({ rule, ...others }: Record<Signal['cost_source'], number>): ExplainedCost['calls'] {
  return rule === 0 ? others : { ...others, rule };
}

const ATTO_PER_NANO = 1_000_000_000n;

/** The parts of one call; `price` is nano-USD for a million tokens or a thousand requests. Null without a list price. */
function partsOf(signal: SplitSignal) {
  const split = splitSignal(signal);
  const list = listPrice(callOf(signal));
  if (split === null || list === null) return null;
  const quantities = {
    input: signal.tokens_in - signal.cache_read_tokens - signal.cache_write_tokens,
    cache_read: signal.cache_read_tokens,
    cache_write: signal.cache_write_tokens,
    output: signal.tokens_out,
    request: list.request > 0n ? 1 : 0,
  };
  return CALL_PARTS.filter((part) => quantities[part] > 0).map((part) => {
    const per = part === 'request' ? 1_000n : 1_000_000n;
    const price = (list[part] * per) / BigInt(quantities[part]) / ATTO_PER_NANO;
    return { part, quantity: quantities[part], nusd: split[part], price };
  });
}
