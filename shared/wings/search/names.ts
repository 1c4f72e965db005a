import type { ClientSession } from 'mongoose';
import type { Organization } from '../../core/accounts/organizations/model.ts';
import type { Reader } from '../../core/accounts/organizations/reader.ts';
import { periodEnd, periodStarts } from '../../core/calls/usage/calendar.ts';
import type { Cell } from '../../core/calls/usage/cells.ts';
import { isZero } from '../../core/calls/usage/measures.ts';
import type { Dimensions } from '../../core/calls/usage/model.ts';
import { exactParts } from '../../core/calls/usage/range.ts';
import { visitRollups } from '../../core/calls/usage/sum-rollups.ts';
import { SIGNAL_AGE_MS } from '../../platform/basics/contract.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';

/** Usage that is looked at: signals are kept for 396 days unless the operator says otherwise. */
const LOOKED_AT_DAYS = 400;

/** Names that an organization, or the one user of the reader, has used of late. */
export interface UsedNames {
  users: string[];
  projects: string[];
  adapters: string[];
}

const COLUMNS = ['user_id', 'project_id', 'adapter'] as const satisfies readonly (keyof Dimensions)[];
const GROUPINGS = COLUMNS.map((column) => [column]);

/** The values of each of `COLUMNS`, in their order. */
type Names = readonly [Set<string>, Set<string>, Set<string>];

/**
 * Reads the names that occur in the usage of the last 400 days: from the snapshots of closed months and days, which this process
 * keeps with their names, and from the rollups of today. It costs the same however many sessions there are.
 */
export async function readUsedNames(
  ctx: Context,
  organization: Organization,
  { userId }: Reader,
): Promise<UsedNames> {
  const nowMs = ctx.clock.now();
  const fromMs = periodStarts(organization, nowMs - LOOKED_AT_DAYS * DAY_MS).day;
  const toMs = periodEnd(organization.timezones, 'day', nowMs + SIGNAL_AGE_MS.ahead);
  const parts = exactParts(organization, [fromMs, toMs], nowMs);
  const match = userId === null ? {} : { user_id: userId };
  const read = async (transaction: ClientSession): Promise<Names> => {
    const names = noNames();
    const addSnapshot = async (_: unknown, cells: readonly Cell[]) => join(names, namesOf(cells));
    const add = (_part: unknown, _startMs: number, cell: Cell) => note(names, cell);
    const asked = { parts, match, groupings: GROUPINGS };
    await visitRollups(ctx, organization, asked, { addSnapshot, add }, transaction);
    return names;
  };
  const [users, projects, adapters] = await inTransaction(ctx.db, read);
  return { users: [...users], projects: [...projects], adapters: [...adapters] };
}

function noNames(): Names {
  return [new Set(), new Set(), new Set()];
}

/** The names of a snapshot, for as long as this process keeps its cells. */
const known = new WeakMap<readonly Cell[], Names>();

function namesOf(cells: readonly Cell[]): Names {
  const names = known.get(cells) ?? noNames();
  if (!known.has(cells)) for (const cell of cells) note(names, cell);
  known.set(cells, names);
  return names;
}

/** Notes the names of a cell. One that was counted and taken back leaves a row of zeros behind. */
function note(names: Names, cell: Cell): void {
  if (isZero(cell)) return;
  for (const [index, column] of COLUMNS.entries()) names[index]?.add(cell[column] ?? '');
}

function join(names: Names, others: Names): void {
  for (const [index, values] of others.entries()) for (const value of values) names[index]?.add(value);
}
