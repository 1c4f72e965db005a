import type { ChargeRow } from '../../exports/focus/sum-charges.ts';

/** The texts of a row, which repeat: they are written once. */
const TEXTS = [
  'user_id',
  'project_id',
  'adapter',
  'seller',
  'model',
  'source',
  'meter',
  'skuId',
  'skuPriceId',
  'contextWindow',
] as const satisfies readonly (keyof ChargeRow)[];

/** JSON: the values of each text, and rows of the places in them followed by the numbers. */
interface Packed {
  values: (string | null)[][];
  rows: (number | string)[][];
}

/** Packs rows as text, in their order. Whole numbers that may pass 2^53 are text. */
export function packRows(rows: readonly ChargeRow[]): string {
  const places = TEXTS.map(() => new Map<string | null, number>());
  const lines = rows.map((row) => {
    const at = TEXTS.map((name, index) => placeOf(places[index] ?? new Map(), row[name]));
    const { calls, consumed, unitPrice, costNusd, listNusd } = row;
    const list = listNusd === costNusd ? [] : [String(listNusd)];
    return [...at, calls, consumed, String(unitPrice), String(costNusd), ...list];
  });
  const packed: Packed = { values: places.map((known) => [...known.keys()]), rows: lines };
  return JSON.stringify(packed);
}

function placeOf(places: Map<string | null, number>, value: string | null): number {
  const known = places.get(value);
  if (known !== undefined) return known;
  places.set(value, places.size);
  return places.size - 1;
}

export function unpackRows(text: string): ChargeRow[] {
  const { values, rows } = JSON.parse(text) as Packed;
  return rows.map((row) => {
    const texts = TEXTS.map((name, index) => [name, values[index]?.[Number(row[index])] ?? null]);
    const [calls, consumed, unitPrice, costNusd = 0, listNusd = costNusd] = row.slice(TEXTS.length);
    const numbers = {
      calls: Number(calls),
      consumed: Number(consumed),
      unitPrice: BigInt(unitPrice ?? 0),
      costNusd: BigInt(costNusd),
      listNusd: BigInt(listNusd),
    };
    return { ...Object.fromEntries(texts), ...numbers } as ChargeRow;
  });
}
