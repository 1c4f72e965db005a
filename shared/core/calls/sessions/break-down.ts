import { z } from 'zod';
import type { Context } from '../../../platform/context/context.ts';
import { daysBefore } from '../../../platform/mongo/retention.ts';
import { usd9 } from '../../pricing/money.ts';
import { CALL_PARTS } from '../../pricing/price.ts';
import type { Signal } from '../signals/model.ts';
import type { Session } from './model.ts';
import { readFields } from './read-session.ts';
import { SPLIT_FIELDS, splitSignal } from './split-signal.ts';

const money = z.string().describe('US dollars with nine decimals');
const row = {
  calls: z.int(),
  errors: z.int(),
  tokens_in: z.int(),
  tokens_out: z.int(),
  cost: money,
  rest: z.literal(true).optional().describe('All that the other rows do not show'),
};

/** The cost of a session by part of a call, by tool and by model. Each of the three sums to `cost`. */
export const breakdownView = z.strictObject({
  cost: money.describe("The session's cost, in US dollars with nine decimals"),
  parts: z.strictObject({
    input: money.describe('Input tokens that came from no cache'),
    cache_read: money.describe('Input tokens that were read from a cache'),
    cache_write: money.describe('Input tokens that were written to a cache'),
    output: money.describe('Output tokens'),
    request: money.meta({ description: 'Fees per request', examples: ['0.010000000'] }),
    unsplit: money.describe('Calls without a list price, and calls whose signals are no longer kept'),
  }),
  by_tool: z
    .array(z.strictObject({ tool_name: z.string().nullable(), ...row }))
    .describe('Most expensive first'),
  by_model: z
    .array(z.strictObject({ model: z.string().nullable(), ...row }))
    .describe('Most expensive first'),
});

/** Rows of a table, beside the one of the rest. */
const MOST_ROWS = 100;
/** Different names that are told apart: memory does not grow with the session. Later ones count to the rest. */
const MOST_NAMES = 2_000;

const FIELDS = [...SPLIT_FIELDS, 'type', 'tool_name', 'error'] as const satisfies readonly (keyof Signal)[];
type CostedSignal = Pick<Signal, (typeof FIELDS)[number]>;

/** Sums of signals; money in nano-USD. */
interface Sums {
  calls: number;
  errors: number;
  tokens_in: number;
  tokens_out: number;
  cost: bigint;
}

/** Reads where the cost of a session went, from its signals, many at a time. */
export async function breakDown(ctx: Context, session: Session): Promise<z.output<typeof breakdownView>> {
  const parts = { input: 0n, cache_read: 0n, cache_write: 0n, output: 0n, request: 0n, unsplit: 0n };
  const all = noSums();
  const tools = openTable();
  const models = openTable();
  const count = (signal: CostedSignal) => {
    const sums = sumsOf(signal);
    add(all, sums);
    add(tools.of(signal.tool_name ?? null), sums);
    add(models.of(signal.model), sums);
    const split = splitSignal(signal);
    if (split) for (const part of CALL_PARTS) parts[part] += BigInt(split[part]);
    else parts.unsplit += sums.cost;
  };
  for await (const signals of readFields(ctx, session, FIELDS)) signals.forEach(count);
  const gone = goneOf(ctx, session, all);
  for (const sums of [all, tools.rest, models.rest]) add(sums, gone);
  parts.unsplit += gone.cost;
  return {
    cost: usd9(all.cost),
    parts: {
      input: usd9(parts.input),
      cache_read: usd9(parts.cache_read),
      cache_write: usd9(parts.cache_write),
      output: usd9(parts.output),
      request: usd9(parts.request),
      unsplit: usd9(parts.unsplit),
    },
    by_tool: tools.rows().map(({ name, ...shown }) => ({ tool_name: name, ...shown })),
    by_model: models.rows().map(({ name, ...shown }) => ({ model: name, ...shown })),
  };
}

function sumsOf({ type, error, tokens_in, tokens_out, cost_nusd }: CostedSignal): Sums {
  return {
    calls: type === 'call' ? 1 : 0,
    errors: error ? 1 : 0,
    tokens_in,
    tokens_out,
    cost: BigInt(cost_nusd ?? 0),
  };
}

/** The part of an old session's sums whose signals are no longer kept; a younger one has all of them. */
function goneOf(ctx: Context, session: Session, kept: Sums): Sums {
  if (session.started_at >= daysBefore(ctx.clock.now(), ctx.config.signalRetentionDays)) return noSums();
  const { signal_count, intervention_count, error_count, tokens_in, tokens_out, cost_nusd } = session;
  const cost = BigInt(cost_nusd) - kept.cost;
  return {
    calls: Math.max(0, signal_count - intervention_count - kept.calls),
    errors: Math.max(0, error_count - kept.errors),
    tokens_in: Math.max(0, tokens_in - kept.tokens_in),
    tokens_out: Math.max(0, tokens_out - kept.tokens_out),
    cost: cost > 0n ? cost : 0n,
  };
}

function noSums(): Sums {
  return { calls: 0, errors: 0, tokens_in: 0, tokens_out: 0, cost: 0n };
}

function add(to: Sums, from: Sums): void {
  to.calls += from.calls;
  to.errors += from.errors;
  to.tokens_in += from.tokens_in;
  to.tokens_out += from.tokens_out;
  to.cost += from.cost;
}

/** Sums by a name, which may be null. */
function openTable() {
  const named = new Map<string | null, Sums>();
  const rest = noSums();
  const of = (name: string | null): Sums => {
    const known = named.get(name);
    if (known) return known;
    if (named.size === MOST_NAMES) return rest;
    const sums = noSums();
    named.set(name, sums);
    return sums;
  };
  const rows = () => {
    const ordered = [...named].filter(([, sums]) => isAny(sums)).toSorted(mostExpensiveFirst);
    for (const [, sums] of ordered.slice(MOST_ROWS)) add(rest, sums);
    const shown = ordered.slice(0, MOST_ROWS).map(([name, sums]) => ({ name, ...view(sums) }));
    return isAny(rest) ? [...shown, { name: null, ...view(rest), rest: true as const }] : shown;
  };
  return { of, rest, rows };
}

function isAny(sums: Sums): boolean {
  return Object.values(sums).some((amount) => BigInt(amount) !== 0n);
}

/** By cost, then by calls, then by name, so that the order is the same every time. */
function mostExpensiveFirst([a, one]: [string | null, Sums], [b, other]: [string | null, Sums]): number {
  if (one.cost !== other.cost) return one.cost > other.cost ? -1 : 1;
  return other.calls - one.calls || ((a ?? '') < (b ?? '') ? -1 : 1);
}

function view({ cost, ...counts }: Sums) {
  return { ...counts, cost: usd9(cost) };
}
