import { hashedKey } from '../../platform/basics/ids.ts';
import { type Dimension, FROZEN, type FrozenCells, type UserCell, type WeekCells } from './model.ts';
import { noActivity } from './read-week.ts';

/** Maximum bytes of the cells of one row. A longer one would hold up the event loop when it is parsed. */
const MOST_BYTES = 4 * 2 ** 20;

export function weekKey(orgId: string, startMs: number): string {
  return hashedKey(18, orgId, startMs);
}

export function cellsKey(orgId: string, startMs: number, dimension: Dimension, part: number): string {
  return hashedKey(18, orgId, startMs, dimension, part);
}

/** Value, user, whether the user is another one (1 or 0), and the measures in the order of `FROZEN`. */
type Packed = readonly [value: string, user: string, isOther: number, ...measures: number[]];

/** The cells of a week's dimension as rows to keep; at least one. Pure. */
export function packCells(
  orgId: string,
  startMs: number,
  dimension: Dimension,
  cells: WeekCells,
): FrozenCells[] {
  const parts: string[][] = [[]];
  let bytes = 0;
  for (const [value, users] of cells) {
    for (const user of users) {
      const measures = FROZEN.map((measure) => user[measure]);
      const line = JSON.stringify([value, user.user, user.isOther ? 1 : 0, ...measures] satisfies Packed);
      const own = Buffer.byteLength(line);
      if (bytes + own > MOST_BYTES) {
        parts.push([]);
        bytes = 0;
      }
      bytes += own;
      parts.at(-1)?.push(line);
    }
  }
  return parts.map((lines, part) => ({
    _id: cellsKey(orgId, startMs, dimension, part),
    org_id: orgId,
    cells: `[${lines.join()}]`,
  }));
}

/** Adds the cells of one row that `packCells` has made to those of its dimension. */
export function unpackCells(into: Map<string, UserCell[]>, row: Pick<FrozenCells, 'cells'>): void {
  for (const [value, user, isOther, ...measures] of JSON.parse(row.cells) as Packed[]) {
    const cell = noActivity(user, isOther === 1);
    FROZEN.forEach((measure, at) => {
      cell[measure] = measures[at] ?? 0;
    });
    const known = into.get(value);
    if (known) known.push(cell);
    else into.set(value, [cell]);
  }
}
