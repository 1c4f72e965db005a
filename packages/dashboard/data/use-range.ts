import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Filters, filtersOf, type Range, rangeOf, readShared, type SharedSearch } from './range.ts';
import { seesTeams, useMe } from './use-me.ts';

/** The chosen range in the organization's timezone. */
export function useRange(): Range {
  const { org } = useMe();
  const search = useSharedSearch();
  return rangeOf(search, org.timezone, Date.now());
}

export function useSharedSearch(): SharedSearch {
  return readShared(useSearch({ strict: false }));
}

/** The chosen range alone, for links to something else at the same time. */
export function useRangeSearch(): Pick<SharedSearch, 'range' | 'from' | 'to'> {
  const { range, from, to } = useSharedSearch();
  return { range, from, to };
}

/** The chosen filters, as query parameters. */
export function useFilters(): Filters {
  return filtersOf(useSharedSearch(), seesTeams(useMe()));
}

/** The value of a search parameter, if it is one of these. */
export function useChoice<Value extends string>(
  name: string,
  known: readonly Value[] | Readonly<Record<Value, unknown>>,
): Value | undefined {
  const chosen = (useSearch({ strict: false }) as Record<string, unknown>)[name];
  const values = Array.isArray(known) ? known : (Object.keys(known) as Value[]);
  return values.find((value) => value === chosen);
}

/** Changes some search parameters and keeps the others; undefined takes one away. The page stays where it is. */
export function useChangeSearch(): (change: Record<string, string | undefined>) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    } as never);
}
