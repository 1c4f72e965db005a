import { exact } from '../../parts/text/format.ts';
import type { Found, Refusal } from './queries.ts';

export const WAYS: Record<Refusal['way'], string> = {
  check: 'a check',
  reserve: 'a reservation',
  hook: 'the hook of Claude Code',
  gate: 'a gateway',
  mcp: 'an MCP tool',
};

export const CAUSES: Record<Refusal['cause'], string> = {
  spent: 'The budget is used up',
  held: 'Calls under way hold the rest',
  share: 'The own share is full',
  unreadable: 'The budget could not be read',
  unpriced: 'The model has no price',
};

export function callsOf(rows: readonly Refusal[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** Says how many calls of how many people were refused; of the reader’s own where the reader sees no others. Pure. */
export function refusedWords({ rows, areAll }: Found, isOwn: boolean): string {
  const calls = callsOf(rows);
  if (calls === 0) return isOwn ? 'None of your calls was refused today.' : 'No call was refused today.';
  const people = new Set(rows.flatMap(({ user_id }) => user_id ?? [])).size;
  const most = areAll ? '' : 'At least ';
  const were = calls === 1 ? 'was' : 'were';
  if (isOwn) return `${most}${exact(calls)} of your calls ${were} refused today.`;
  const of = people === 0 ? '' : ` of ${people === 1 ? '1 person' : `${exact(people)} people`}`;
  return `${most}${exact(calls)} ${calls === 1 ? 'call' : 'calls'}${of} ${were} refused today.`;
}

/** One row in a sentence without its time: "31 calls refused by the budget “All”". Pure. */
export function rowWords({ count, budget_name }: Refusal): string {
  const calls = count === 1 ? 'A call' : `${exact(count)} calls`;
  const budget = budget_name === null ? 'a budget of your organization' : `the budget “${budget_name}”`;
  return `${calls} refused by ${budget}`;
}
