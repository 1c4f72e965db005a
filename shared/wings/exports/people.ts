import { memberRows } from '../../core/accounts/organizations/model.ts';
import type { Columns, Row } from '../../platform/basics/columns.ts';
import type { Context } from '../../platform/context/context.ts';
import type { Export } from './export-usage.ts';

/** Columns that say who a user is, after all others. */
const PEOPLE_COLUMNS: Columns = [
  { name: 'user_name', type: 'text' },
  { name: 'user_email', type: 'text' },
  { name: 'teams', type: 'text' },
];

type PersonCells = readonly [name: string, email: string, teams: string];
/** Cells of a user who is no member, or no longer one. */
const NOBODY: PersonCells = ['', '', ''];
const BETWEEN_TEAMS = '; ';

/** Returns the table with name, e-mail and teams of each row's user, as the members are when it begins. */
export function withPeople(ctx: Context, orgId: string, table: Export): Export {
  const userAt = table.columns.findIndex(({ name }) => name === 'user_id');
  return {
    ...table,
    columns: [...table.columns, ...PEOPLE_COLUMNS],
    rows: addPeople(ctx, orgId, table.rows, userAt),
  };
}

async function* addPeople(
  ctx: Context,
  orgId: string,
  batches: Export['rows'],
  userAt: number,
): AsyncGenerator<readonly Row[]> {
  const people = await readPeople(ctx, orgId);
  for await (const rows of batches)
    yield rows.map((row) => [...row, ...(people.get(String(row[userAt])) ?? NOBODY)]);
}

async function readPeople(ctx: Context, orgId: string): Promise<ReadonlyMap<string, PersonCells>> {
  const present = { org_id: orgId, removed_at: null };
  const projection = { _id: 0, user_id: 1, name: 1, email: 1, teams: 1 } as const;
  const members = await memberRows(ctx).find(present, { projection, batchSize: 10_000 }).toArray();
  return new Map(
    members.map(({ user_id, name, email, teams }) => [
      user_id,
      [name ?? '', email ?? '', teams.join(BETWEEN_TEAMS)],
    ]),
  );
}
