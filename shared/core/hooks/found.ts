import type { Context } from '../../platform/context/context.ts';
import type { Reader } from '../accounts/organizations/reader.ts';

/** The kinds of things that a search finds. */
export const FOUND_KINDS = [
  'user',
  'project',
  'session',
  'signal',
  'budget',
  'key',
  'pull_request',
  'branch',
] as const;

/** One thing that a search finds. */
export interface Found {
  kind: (typeof FOUND_KINDS)[number];
  id: string;
  /** The name by which people know it. */
  name: string;
  /** More of it, where the name is not enough to know it by. */
  about?: string | undefined;
  /** Its page of the dashboard. */
  path: string;
}

/** The part of a wing in a search: what a literal text names, as the reader may see it, at most five of each kind. */
export type SearchHook = (ctx: Context, reader: Reader, text: string) => Promise<readonly Found[]>;

export const MOST_OF_A_KIND = 5;

/** A thing with how well it fits (`rankOf`). */
export interface Ranked<Item> {
  rank: number;
  item: Item;
  name: string;
}

/** The five that fit best, then by name; of the same name in the order in which they come. Pure. */
export function best<Item>(ranked: readonly Ranked<Item>[]): Ranked<Item>[] {
  return ranked
    .filter(({ rank }) => Number.isFinite(rank))
    .toSorted((a, b) => a.rank - b.rank || (a.name === b.name ? 0 : a.name < b.name ? -1 : 1))
    .slice(0, MOST_OF_A_KIND);
}

/** How well a text fits: 0 is the same, then the beginning, then a part; infinite when it does not fit. Pure. */
export function rankOf(text: string, value: string | null, least: 'beginning' | 'part'): number {
  if (value === null) return Number.POSITIVE_INFINITY;
  if (value === text) return 0;
  const at = fold(value).indexOf(fold(text));
  if (at === 0) return 1;
  return at > 0 && least === 'part' ? 2 : Number.POSITIVE_INFINITY;
}

/** Without the difference of capitals. */
function fold(text: string): string {
  return text.toLowerCase();
}
