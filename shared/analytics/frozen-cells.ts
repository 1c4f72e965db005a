import { hashedKey } from '../platform/basics/ids.ts';
import { type Dimension, FROZEN, type FrozenCells, type UserCell, type WeekCells } from './model.ts';
import { noActivity } from './read-week.ts';

/** Of the numbers and users of one row of the collection: it stays below the 16 MiB of a document, also where JSON escapes. */
const MOST_BYTES = 4 * 2 ** 20;
const WIDTH = 2 + FROZEN.length;

/** The identity of a frozen week. */
export function weekKey(orgId: string, startMs: number): string {
  return hashedKey(18, orgId, startMs);
}

/** The identity of one part of a dimension's cells. */
export function cellsKey(orgId: string, startMs: number, dimension: Dimension, part: number): string {
  return hashedKey(18, orgId, startMs, dimension, part);
}

/** The cells of a week's dimension as rows to keep; at least one. Pure. */
export function packCells(
  orgId: string,
  startMs: number,
  dimension: Dimension,
  cells: WeekCells,
): FrozenCells[] {
  const parts: CellRow[][] = [[]];
  let bytes = 0;
  for (const [value, users] of cells) {
    for (const user of users) {
      // A code unit takes three bytes at most.
      const own = WIDTH * 8 + user.user.length * 3;
      if (bytes + own > MOST_BYTES) {
        parts.push([]);
        bytes = 0;
      }
      bytes += own;
      parts.at(-1)?.push({ value, user });
    }
  }
  return parts.map((rows, part) => ({
    _id: cellsKey(orgId, startMs, dimension, part),
    org_id: orgId,
    ...packRows(rows),
  }));
}

interface CellRow {
  value: string;
  user: UserCell;
}

function packRows(rows: readonly CellRow[]): Pick<FrozenCells, 'names' | 'numbers'> {
  const values = new Map<string, number>();
  const users = new Map<string, { place: number; isPooled: boolean }>();
  const numbers = new Float64Array(rows.length * WIDTH);
  rows.forEach(({ value, user }, index) => {
    const valuePlace = values.get(value) ?? values.size;
    values.set(value, valuePlace);
    const known = users.get(user.user) ?? { place: users.size, isPooled: user.isPooled };
    users.set(user.user, known);
    numbers.set([valuePlace, known.place, ...FROZEN.map((measure) => user[measure])], index * WIDTH);
  });
  const isPooled = [...users.values()].map((user) => user.isPooled);
  const names = JSON.stringify({ values: [...values.keys()], users: [...users.keys()], isPooled });
  return { names, numbers: Buffer.from(numbers.buffer) };
}

/** Adds one of the rows that `packCells` has made to the cells of its dimension. */
export function openCells(
  cells: Map<string, UserCell[]>,
  { names, numbers }: Pick<FrozenCells, 'names' | 'numbers'>,
): void {
  const { values, users, isPooled } = JSON.parse(names) as Names;
  // A copy, as numbers of 8 bytes must begin at a multiple of 8.
  const table = new Float64Array(new Uint8Array(numbers).buffer);
  for (let row = 0; row < table.length; row += WIDTH) {
    const value = values[table[row] ?? 0] ?? '';
    const place = table[row + 1] ?? 0;
    const cell = noActivity(users[place] ?? '', isPooled[place] ?? false);
    FROZEN.forEach((measure, at) => {
      cell[measure] = table[row + 2 + at] ?? 0;
    });
    const known = cells.get(value);
    if (known) known.push(cell);
    else cells.set(value, [cell]);
  }
}

interface Names {
  values: string[];
  users: string[];
  isPooled: boolean[];
}
