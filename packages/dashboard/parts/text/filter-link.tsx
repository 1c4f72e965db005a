import { Fragment, useContext } from 'react';
import type { FilterName, Filters } from '../../data/range.ts';
import { seesTeams, useMe } from '../../data/use-me.ts';
import { useRangeSearch } from '../../data/use-range.ts';
import { withoutHost } from '../../words/work.ts';
import { InLink } from './in-link.ts';
import { Name } from './name.tsx';
import { PageLink } from './page-link.tsx';

/** A model, a project, a repository and so on, which leads to its page: Overview of it alone; a team only for whoever sees teams. `also` narrows that page further. */
export function FilterLink({
  by,
  of,
  also = {},
  label,
}: {
  by: Exclude<FilterName, 'user_id' | 'pull_request'>;
  of: string;
  also?: Filters;
  /** Other words for it than its name. */
  label?: string;
}) {
  const search = { ...useRangeSearch(), ...also, [by]: of };
  const shown = <Name of={label ?? (by === 'repository' ? withoutHost(of) : of)} />;
  const isInLink = useContext(InLink);
  const mayOpen = seesTeams(useMe()) || by !== 'team';
  if (isInLink || !mayOpen) return shown;
  return (
    <PageLink to="/" search={search} inherit {...(by === 'repository' ? { title: of } : {})}>
      {shown}
    </PageLink>
  );
}

/** Several of them, with commas between. */
export function Several({ by, of, none }: { by: 'model' | 'team'; of: readonly string[]; none: string }) {
  if (of.length === 0) return none;
  return of.map((one, at) => (
    <Fragment key={one}>
      {at > 0 && ', '}
      <FilterLink by={by} of={one} />
    </Fragment>
  ));
}
