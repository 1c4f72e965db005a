import packageJson from '../../../../package.json' with { type: 'json' };
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { signalRows } from '../../../core/calls/signals/model.ts';
import type { Match } from '../../../core/calls/usage/cells.ts';
import { boundsOf, type RangeInput } from '../../../core/calls/usage/range.ts';
import { matchOf, type UsageFilter } from '../../../core/calls/usage/read-usage.ts';
import { usd9 } from '../../../core/pricing/money.ts';
import { isoTime } from '../../../platform/basics/clock.ts';
import type { Row } from '../../../platform/basics/columns.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import type { Context } from '../../../platform/context/context.ts';
import { daysBefore } from '../../../platform/mongo/retention.ts';
import type { Export } from '../export-usage.ts';
import { chargesOf } from './charges.ts';
import {
  type Billed,
  columnDefinitions,
  columnTypes,
  type FocusVersion,
  focusColumns,
  focusRows,
  schemaId,
} from './columns.ts';
import { type ChargePeriod, readSignals, signalsIn, sumCharges } from './sum-charges.ts';

declare module '../../../core/accounts/organizations/model.ts' {
  interface Organization {
    /** The last month that is closed, `2026-10`. */
    focus_closed_through?: string;
  }
}

export const GRANULARITIES = ['day', 'hour'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export interface FocusQuestion extends Pick<RangeInput, 'fromMs' | 'toMs' | 'timezone'> {
  version: FocusVersion;
  granularity: Granularity;
  billed: Billed;
  filter: UsageFilter;
}

const LENGTH_MS: Record<Granularity, number> = { day: DAY_MS, hour: 3_600_000 };
const LONGEST_MS = 400 * DAY_MS;
/** When the columns of today were decided. */
const SCHEMA_CREATED = '2026-11-24T00:00:00Z';

/** A FOCUS table; with it the calls of its range that have no price, and so no row. */
export interface FocusExport extends Export {
  schemaId: string;
  unpriced: { signals: number; tokens: number };
}

/**
 * The FOCUS table of a range, from whole charge periods in UTC. Throws `invalid_request` for another timezone, more than 400
 * days, and days of which signals are no longer kept.
 */
export async function exportFocus(
  ctx: Context,
  organization: Organization,
  question: FocusQuestion,
): Promise<FocusExport> {
  const range = chargePeriods(ctx, question);
  const columns = focusColumns(question.version);
  return {
    columns: columnTypes(columns),
    rows: rowsIn(ctx, organization, question, range, columns),
    ...range,
    schemaId: schemaId(question.version),
    unpriced: await countUnpriced(ctx, organization._id, matchOf(question.filter), range),
  };
}

/** The part of the metadata that is the same for every file of a version. */
export function describeSchema(version: FocusVersion) {
  return {
    DataGenerator: 'usage-governor',
    Schema: {
      SchemaId: schemaId(version),
      FocusVersion: version,
      CreationDate: SCHEMA_CREATED,
      DataGeneratorVersion: packageJson.version,
      ColumnDefinition: columnDefinitions(version),
    },
  };
}

/** The metadata of the same question's file. It reads what the file is made of. */
export async function describeFocus(ctx: Context, organization: Organization, question: FocusQuestion) {
  const { version, granularity, billed, filter } = question;
  const range = chargePeriods(ctx, question);
  const sums = await sumCalls(ctx, organization._id, matchOf(filter), range);
  return {
    ...describeSchema(version),
    x_From: isoTime(range.fromMs),
    x_To: isoTime(range.toMs),
    x_Granularity: granularity,
    x_Billed: billed,
    x_Signals: sums.calls,
    x_UnpricedSignals: sums.unpriced.signals,
    x_UnpricedTokens: sums.unpriced.tokens,
    x_EffectiveCost: usd9(sums.costNusd),
    x_ClosedThrough: organization.focus_closed_through ?? null,
  };
}

async function* rowsIn(
  ctx: Context,
  organization: Organization,
  { granularity, billed, filter }: FocusQuestion,
  range: ChargePeriod,
  columns: ReturnType<typeof focusColumns>,
): AsyncGenerator<Row[]> {
  const match = matchOf(filter);
  for (let fromMs = range.fromMs; fromMs < range.toMs; fromMs += LENGTH_MS[granularity]) {
    const period = { fromMs, toMs: fromMs + LENGTH_MS[granularity] };
    const charges = sumCharges(ctx, organization._id, match, period);
    yield* focusRows(charges, columns, { ...period, organization, billed, correctedInMs: null });
  }
}

/** Whole charge periods: `from` goes down and `to` up. Throws `invalid_request`. */
function chargePeriods(ctx: Context, question: FocusQuestion): ChargePeriod {
  const { timezone = 'UTC', granularity } = question;
  if (timezone !== 'UTC')
    throw new DomainError('invalid_request', 'FOCUS files are in UTC: leave `timezone` out.', {
      errors: [{ parameter: 'timezone', detail: 'must be UTC with level=focus' }],
    });
  const asked = boundsOf(ctx, question);
  const length = LENGTH_MS[granularity];
  const fromMs = Math.floor(asked.fromMs / length) * length;
  const toMs = Math.ceil(asked.toMs / length) * length;
  if (toMs - fromMs > LONGEST_MS)
    throw new DomainError('invalid_request', 'A FOCUS file covers at most 400 days.');
  refusePurged(ctx, fromMs);
  return { fromMs, toMs };
}

/** The moment since which all calls are kept, epoch ms. */
export function keptSinceMs(ctx: Context): number {
  return daysBefore(ctx.clock.now(), ctx.config.signalRetentionDays).getTime();
}

function refusePurged(ctx: Context, fromMs: number): void {
  const keptMs = keptSinceMs(ctx);
  const firstDay = isoTime(Math.ceil(keptMs / DAY_MS) * DAY_MS);
  if (fromMs < keptMs)
    throw new DomainError(
      'invalid_request',
      `FOCUS files are made of single calls, which are kept for ${ctx.config.signalRetentionDays} days: the first whole day is ${firstDay}.`,
      { exact_from: firstDay },
    );
}

async function sumCalls(ctx: Context, orgId: string, match: Match, range: ChargePeriod) {
  const unpriced = { signals: 0, tokens: 0 };
  let calls = 0;
  let costNusd = 0n;
  for await (const signals of readSignals(ctx, orgId, match, range))
    for (const signal of signals) {
      if (signal.cost_nusd === null) {
        unpriced.signals += 1;
        unpriced.tokens += signal.tokens_in + signal.tokens_out;
      } else if (chargesOf(signal).length > 0) {
        calls += 1;
        costNusd += BigInt(signal.cost_nusd);
      }
    }
  return { calls, costNusd, unpriced };
}

/** The calls without a price, and their tokens. */
export async function countUnpriced(ctx: Context, orgId: string, match: Match, range: ChargePeriod) {
  const unpriced = { ...signalsIn(orgId, match, range), cost_source: 'unknown' };
  const tokens = { $sum: { $add: ['$tokens_in', '$tokens_out'] } };
  const stages = [{ $match: unpriced }, { $group: { _id: null, signals: { $sum: 1 }, tokens } }];
  const [sums] = await signalRows(ctx).aggregate<{ signals: number; tokens: number }>(stages).toArray();
  return { signals: Number(sums?.signals ?? 0), tokens: Number(sums?.tokens ?? 0) };
}
