import { createHash } from 'node:crypto';
import { divideHalfEven } from '../../../core/pricing/money.ts';
import type { Columns, ColumnType, Row, Value } from '../../../platform/basics/columns.ts';
import { NO_PROJECT } from '../../../platform/basics/contract.ts';
import type { Meter } from './charges.ts';
import { type Seller, sellerOf } from './providers.ts';
import type { ChargeRow } from './sum-charges.ts';

export const FOCUS_VERSIONS = ['1.2', '1.3'] as const;
export type FocusVersion = (typeof FOCUS_VERSIONS)[number];

/** `computed`: BilledCost is the computed cost. `invoice`: it is 0, since no invoice bills these rows. */
export const BILLED = ['computed', 'invoice'] as const;
export type Billed = (typeof BILLED)[number];

/** A row with what it does not know of itself: its period (epoch ms), its organization, the option that was asked for. */
export interface FocusRow {
  row: ChargeRow;
  seller: Seller;
  fromMs: number;
  toMs: number;
  organization: { _id: string; name: string };
  billed: Billed;
  /** A moment of the month that bills a correction of an earlier one, epoch ms. Null: no correction. */
  correctedInMs: number | null;
}

/** How a class of tokens, a fee or a whole cost is measured. */
const MEASURES: Record<Meter, { meter: string; words: string; kind: 'tokens' | 'requests' | 'dollars' }> = {
  input: { meter: 'Input Tokens', words: 'input tokens', kind: 'tokens' },
  cache_read: { meter: 'Cache Read Tokens', words: 'tokens read from a cache', kind: 'tokens' },
  cache_write: { meter: 'Cache Write Tokens', words: 'tokens written to a cache', kind: 'tokens' },
  output: { meter: 'Output Tokens', words: 'output tokens', kind: 'tokens' },
  request: { meter: 'Requests', words: 'requests', kind: 'requests' },
  recorded: { meter: 'Recorded Cost', words: 'calls at their recorded cost', kind: 'dollars' },
  reported: { meter: 'Reported Cost', words: 'calls at the cost that the tool reported', kind: 'dollars' },
};
const PRICING_UNITS = { tokens: '1000000 Tokens', requests: '1000 Requests', dollars: 'Dollars' };

const BILLION = 1_000_000_000n;

/** Quantity in units of the price, in billionths. */
function pricingQuantity({ meter, consumed, listNusd }: ChargeRow): bigint {
  switch (MEASURES[meter].kind) {
    case 'tokens':
      return BigInt(consumed) * 1_000n;
    case 'requests':
      return BigInt(consumed) * 1_000_000n;
    case 'dollars':
      return listNusd;
  }
}

/** List price × quantity, rounded half-even once. Nano-USD; a correction's may be negative. */
function listCost(row: ChargeRow): bigint {
  const exact = row.unitPrice * pricingQuantity(row);
  return exact < 0n ? -divideHalfEven(-exact, BILLION) : divideHalfEven(exact, BILLION);
}

/** Returns whether a price rule made the cost: a contract, which the list does not know. */
function isRuled({ source }: ChargeRow): boolean {
  return source === 'rule';
}

/** Whole costs of calls that told no tokens are counted in calls. */
function consumedUnit({ meter, consumed }: ChargeRow): string {
  return MEASURES[meter].kind === 'requests' || consumed === 0 ? 'Requests' : 'Tokens';
}

type Cell = (of: FocusRow) => Value;
interface Column {
  name: string;
  type: ColumnType;
  /** The text is a JSON object. */
  isJson?: true;
  cell: Cell;
}

const text = (name: string, cell: Cell): Column => ({ name, type: 'text', cell });
const json = (name: string, cell: (of: FocusRow) => object): Column => ({
  name,
  type: 'text',
  isJson: true,
  cell: (of) => JSON.stringify(cell(of)),
});
const time = (name: string, epochMs: (of: FocusRow) => number): Column => ({
  name,
  type: 'time',
  cell: (of) => seconds(epochMs(of)),
});
const amount = (name: string, cell: (of: FocusRow) => bigint): Column => ({
  name,
  type: 'money',
  cell,
});

const PROVIDER: Record<FocusVersion, readonly Column[]> = {
  '1.2': [text('ProviderName', ({ seller }) => seller.ProviderName)],
  '1.3': [
    text('ServiceProviderName', ({ seller }) => seller.ProviderName),
    text('HostProviderName', ({ seller }) => seller.ProviderName),
  ],
};

const PROJECT = (cell: (project: string) => Value): Cell => {
  return ({ row }) => (row.project_id === NO_PROJECT ? null : cell(row.project_id));
};

/** The columns of a version in the order of the file. */
export function focusColumns(version: FocusVersion): readonly Column[] {
  return [
    amount('BilledCost', ({ row, billed }) => (billed === 'computed' ? row.costNusd : 0n)),
    text('BillingAccountId', ({ organization }) => organization._id),
    text('BillingAccountName', ({ organization }) => organization.name),
    text('BillingAccountType', () => 'Organization'),
    text('BillingCurrency', () => 'USD'),
    time('BillingPeriodEnd', ({ fromMs, correctedInMs }) => monthOf(correctedInMs ?? fromMs).endMs),
    time('BillingPeriodStart', ({ fromMs, correctedInMs }) => monthOf(correctedInMs ?? fromMs).startMs),
    text('ChargeCategory', () => 'Usage'),
    text('ChargeClass', ({ correctedInMs }) => (correctedInMs === null ? null : 'Correction')),
    text('ChargeDescription', ({ row }) => `${row.model} ${MEASURES[row.meter].words}`),
    text('ChargeFrequency', () => 'Usage-Based'),
    time('ChargePeriodEnd', ({ toMs }) => toMs),
    time('ChargePeriodStart', ({ fromMs }) => fromMs),
    {
      name: 'ConsumedQuantity',
      type: 'count',
      cell: ({ row, correctedInMs }) => (correctedInMs === null ? consumedQuantity(row) : null),
    },
    text('ConsumedUnit', ({ row, correctedInMs }) => (correctedInMs === null ? consumedUnit(row) : null)),
    amount('ContractedCost', ({ row }) => (isRuled(row) ? row.costNusd : listCost(row))),
    {
      name: 'ContractedUnitPrice',
      type: 'price',
      cell: ({ row }) => (isRuled(row) ? null : row.unitPrice),
    },
    amount('EffectiveCost', ({ row }) => row.costNusd),
    text('InvoiceId', () => null),
    text('InvoiceIssuerName', ({ seller }) => seller.ProviderName),
    amount('ListCost', ({ row }) => listCost(row)),
    amount('ListUnitPrice', ({ row }) => row.unitPrice),
    text('PricingCategory', () => 'Standard'),
    amount('PricingQuantity', ({ row }) => pricingQuantity(row)),
    text('PricingUnit', ({ row }) => PRICING_UNITS[MEASURES[row.meter].kind]),
    ...PROVIDER[version],
    text('PublisherName', ({ seller }) => seller.PublisherName),
    text('ServiceCategory', () => 'AI and Machine Learning'),
    text('ServiceName', ({ seller }) => seller.ServiceName),
    text('ServiceSubcategory', () => 'Generative AI'),
    text('SkuId', ({ row }) => row.skuId),
    text('SkuMeter', ({ row }) => MEASURES[row.meter].meter),
    json('SkuPriceDetails', ({ row }) => priceDetails(row)),
    text('SkuPriceId', ({ row }) => row.skuPriceId),
    text(
      'SubAccountId',
      PROJECT((project) => project),
    ),
    text(
      'SubAccountName',
      PROJECT((project) => project),
    ),
    text(
      'SubAccountType',
      PROJECT(() => 'Project'),
    ),
    json('Tags', ({ row }) => tagsOf(row)),
    text('x_Adapter', ({ row }) => row.adapter),
    text('x_CostSource', ({ row }) => row.source),
    text('x_Model', ({ row }) => row.model),
    { name: 'x_SignalCount', type: 'integer', cell: ({ row }) => row.calls },
    text('x_UserId', ({ row }) => row.user_id),
  ];
}

/** Names and types alone, as the encoders take them. */
export function columnTypes(columns: readonly Column[]): Columns {
  return columns.map(({ name, type }) => ({ name, type }));
}

/** Rows of one turn of the encoder. */
const BATCH_ROWS = 250;

export async function* focusRows(
  charges: AsyncIterable<readonly ChargeRow[]>,
  columns: readonly Column[],
  period: Omit<FocusRow, 'row' | 'seller'>,
): AsyncGenerator<Row[]> {
  for await (const rows of charges)
    for (let at = 0; at < rows.length; at += BATCH_ROWS)
      yield rows.slice(at, at + BATCH_ROWS).map((row) => {
        const of = { ...period, row, seller: sellerOf(row.seller, row.model) };
        return columns.map(({ cell }) => cell(of));
      });
}

/** The columns as the metadata of FOCUS describes them. */
export function columnDefinitions(version: FocusVersion) {
  return focusColumns(version).map(({ name, type, isJson }) => ({
    ColumnName: name,
    DataType: isJson ? ('JSON' as const) : DATA_TYPES[type],
    ...(type === 'money' || type === 'price' ? { NumericPrecision: 18, NumberScale: 9 } : {}),
    ...(type === 'count' ? { NumericPrecision: 18, NumberScale: 0 } : {}),
    ...(type === 'text' ? { StringEncoding: 'UTF-8' as const } : {}),
  }));
}

const DATA_TYPES = {
  text: 'String',
  list: 'JSON',
  integer: 'Integer',
  count: 'Decimal',
  time: 'Date/Time',
  money: 'Decimal',
  price: 'Decimal',
} as const;

/** The id of a version's columns: it changes when they do. */
export function schemaId(version: FocusVersion): string {
  const described = JSON.stringify([version, columnDefinitions(version)]);
  return createHash('sha256').update(described).digest('hex').slice(0, 16);
}

function consumedQuantity(row: ChargeRow): number {
  return row.consumed === 0 ? row.calls : row.consumed;
}

function priceDetails({ meter, contextWindow, skuPriceId }: ChargeRow): object {
  // The part before the context window in the id of a listed price is the tier; a whole cost has none, though its model may have an @.
  const tier = /\/([^/]+)\/[^/]+@[^/]+(?:\/rule\/\w+)?$/.exec(skuPriceId)?.[1];
  const x_ContextWindow = contextWindow === null ? {} : { x_ContextWindow: contextWindow };
  return { x_TokenType: meter, x_ServiceTier: tier ?? 'standard', ...x_ContextWindow };
}

function tagsOf({ adapter, project_id, skuPriceId }: ChargeRow): object {
  const price_rule = /\/rule\/(prl_\w+)$/.exec(skuPriceId)?.[1];
  return {
    adapter,
    ...(price_rule === undefined ? {} : { price_rule }),
    ...(project_id === NO_PROJECT ? {} : { project: project_id }),
  };
}

/** The calendar month of an instant, UTC. Epoch ms. */
function monthOf(epochMs: number): { startMs: number; endMs: number } {
  const date = new Date(epochMs);
  const startOf = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  return { startMs: startOf(0), endMs: startOf(1) };
}

/** `2026-11-01T00:00:00Z`. */
function seconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
