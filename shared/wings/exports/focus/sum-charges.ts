import { type Signal, signalRows } from '../../../core/calls/signals/model.ts';
import type { Match } from '../../../core/calls/usage/cells.ts';
import type { Context } from '../../../platform/context/context.ts';
import { readAhead } from '../../../platform/mongo/read-ahead.ts';
import {
  CHARGED_FIELDS,
  type Charge,
  type ChargedSignal,
  type ChargeKey,
  chargesOf,
  METERS,
} from './charges.ts';

/** The sum of the charges of one charge period that have one key. */
export interface ChargeRow extends ChargeKey {
  calls: number;
  consumed: number;
  costNusd: bigint;
  /** The list price of whole costs; for any other row its cost. */
  listNusd: bigint;
}

/** The signals of one charge period. Epoch ms. */
export interface ChargePeriod {
  fromMs: number;
  toMs: number;
}

/** Rows in memory. A period with more is read in passes, each of the users that come next. */
const MOST_ROWS = 100_000;
const BATCH_SIGNALS = 500;

/**
 * Reads the rows of a charge period in their order. The time and user of a signal never change, so each counts once, in one
 * pass, however long that takes.
 */
export async function* sumCharges(
  ctx: Context,
  orgId: string,
  match: Match,
  period: ChargePeriod,
  mostRows = MOST_ROWS,
): AsyncGenerator<ChargeRow[]> {
  let after: string | null = null;
  do {
    const pass = openPass(after, mostRows);
    for await (const signals of readSignals(ctx, orgId, match, period))
      for (const signal of signals) pass.add(signal);
    const { rows, last } = pass.end();
    if (rows.length > 0) yield rows;
    after = last;
  } while (after !== null);
}

/**
 * The signals that count in a period, with the fields that charges are made of: those of one turn of the event loop at a time.
 * The few that are voided are left out here, since a store reads by an index alone half as fast again.
 */
export async function* readSignals(
  ctx: Context,
  orgId: string,
  match: Match,
  period: ChargePeriod,
): AsyncGenerator<readonly ChargedSignal[]> {
  const options = { projection: PROJECTION, batchSize: BATCH_SIGNALS };
  const filter = allIn(orgId, match, period);
  const cursor = signalRows(ctx).find<ChargedSignal & Pick<Signal, 'voided'>>(filter, options);
  for await (const signals of readAhead(cursor)) yield signals.filter(({ voided }) => voided === undefined);
}

const PROJECTION = { _id: 0, voided: 1, ...Object.fromEntries(CHARGED_FIELDS.map((name) => [name, 1])) };

export function signalsIn(orgId: string, match: Match, period: ChargePeriod) {
  return { ...allIn(orgId, match, period), voided: { $exists: false } };
}

/** The filter of all signals of a period. The model of a signal that names none is `unknown`. */
function allIn(orgId: string, { model, ...match }: Match, { fromMs, toMs }: ChargePeriod) {
  const ofModel =
    model === undefined ? {} : { model: model === 'unknown' ? { $in: ['unknown', null] } : model };
  const ts = { $gte: new Date(fromMs), $lt: new Date(toMs) };
  return { org_id: orgId, ts, ...match, ...ofModel };
}

interface Pass {
  rows: ChargeRow[];
  /** The last user of this pass; null where no user comes after. */
  last: string | null;
}

/** Sums the charges of the users after `after`: as many as their rows fit, and at least one. */
function openPass(after: string | null, mostRows: number) {
  const byUser = new Map<string, RowsOfUser>();
  let size = 0;
  let last: string | null = null;
  const add = (signal: ChargedSignal): void => {
    const { user_id } = signal;
    if ((after !== null && user_id <= after) || (last !== null && user_id > last)) return;
    const charges = chargesOf(signal);
    const [first] = charges;
    if (first === undefined) return;
    const calls = byUser.getOrInsertComputed(user_id, () => new Map());
    const rows = calls.getOrInsertComputed(callKey(first), () => new Map());
    for (const charge of charges) size += addTo(rows, charge);
    if (size > mostRows && byUser.size > 1) shrink();
  };
  /** Leaves the later half of the users to the next pass. */
  const shrink = (): void => {
    const users = [...byUser.keys()].toSorted(byCodeUnit);
    const kept = Math.ceil(users.length / 2);
    last = users[kept - 1] ?? null;
    for (const user of users.slice(kept)) {
      size -= rowsIn(byUser.get(user)).length;
      byUser.delete(user);
    }
  };
  const end = (): Pass => {
    const users = [...byUser].toSorted(([a], [b]) => byCodeUnit(a, b));
    return { rows: users.flatMap(([, calls]) => rowsIn(calls).toSorted(inOrder)), last };
  };
  return { add, end };
}

/** The rows of a user by `callKey`, and in that by the price. */
type RowsOfUser = Map<string, Map<string, ChargeRow>>;

/** The columns of a row that all charges of a call share. No text from outside holds NUL, so no two keys are one. */
function callKey({ project_id, adapter, seller, model, source }: ChargeKey): string {
  return `${project_id}\0${adapter}\0${seller}\0${model}\0${source}`;
}

function rowsIn(calls: RowsOfUser = new Map()): ChargeRow[] {
  return [...calls.values()].flatMap((rows) => [...rows.values()]);
}

/** Adds a charge to its row. Returns the number of rows that this made. */
function addTo(rows: Map<string, ChargeRow>, charge: Charge): 0 | 1 {
  const known = rows.get(charge.skuPriceId);
  if (known) {
    known.calls += 1;
    known.consumed += charge.consumed;
    known.costNusd += BigInt(charge.costNusd);
    known.listNusd += BigInt(charge.listNusd ?? charge.costNusd);
    return 0;
  }
  const costNusd = BigInt(charge.costNusd);
  const listNusd = BigInt(charge.listNusd ?? charge.costNusd);
  rows.set(charge.skuPriceId, { ...charge, calls: 1, costNusd, listNusd });
  return 1;
}

/** The order of the rows of a charge period, in which no two are equal. */
export function compareRows(a: ChargeRow, b: ChargeRow): number {
  return byCodeUnit(a.user_id, b.user_id) || inOrder(a, b) || Number(a.unitPrice - b.unitPrice);
}

/** The order of the rows of a user: project, adapter, provider, model, cost source, class, price. */
function inOrder(a: ChargeRow, b: ChargeRow): number {
  return (
    byCodeUnit(a.project_id, b.project_id) ||
    byCodeUnit(a.adapter, b.adapter) ||
    byCodeUnit(a.seller, b.seller) ||
    byCodeUnit(a.model, b.model) ||
    byCodeUnit(a.source, b.source) ||
    METERS.indexOf(a.meter) - METERS.indexOf(b.meter) ||
    byCodeUnit(a.skuPriceId, b.skuPriceId)
  );
}

/** An order that is the same on every machine. */
function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
