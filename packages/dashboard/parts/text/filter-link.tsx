import { useContext } from 'react';
import type { FilterName, Filters } from '../../data/range.ts';
import { useRangeSearch } from '../../data/use-range.ts';
import { withoutHost } from '../session/work-words.ts';
import { InLink } from './in-link.ts';
import { Name } from './name.tsx';
import { PageLink } from './page-link.tsx';

/** A model, a project, a repository and so on, which leads to its page: Overview of it alone. `also` narrows that page further. */
export function FilterLink({
  by,
  of,
  also = {},
}: {
  by: Exclude<FilterName, 'user_id' | 'pull_request'>;
  of: string;
  also?: Filters;
}) {
  const search = { ...useRangeSearch(), ...also, [by]: of };
  const shown = <Name of={by === 'repository' ? withoutHost(of) : of} />;
  if (useContext(InLink)) return shown;
  return (
    <PageLink to="/" search={search} inherit {...(by === 'repository' ? { title: of } : {})}>
      {shown}
    </PageLink>
  );
}
