import type { Column } from '../../../parts/page/rows.tsx';
import { FilterLink } from '../../../parts/text/filter-link.tsx';
import { exact, money } from '../../../parts/text/format.ts';
import { Name } from '../../../parts/text/name.tsx';
import { PageLink } from '../../../parts/text/page-link.tsx';
import { UserName } from '../../../parts/text/user-name.tsx';
import { When } from '../../../parts/time/when.tsx';
import type { Branch, PullRequest } from '../queries.ts';
import { PullRequestState } from './state.tsx';
import { costOf, shortReference } from './words.ts';

/** The columns of a ranking of pull requests. A member reads the own part of each. */
export function pullRequestColumns(isAdmin: boolean): readonly Column<PullRequest>[] {
  return [
    {
      label: 'Pull request',
      share: 30,
      narrow: 'first',
      render: (pull) => (
        <PageLink to={`/pull-requests/${pull.id}`} {...(pull.title === null ? {} : { title: pull.title })}>
          <Name of={pull.title ?? shortReference(pull)} />
        </PageLink>
      ),
    },
    {
      label: 'Repository',
      isNameless: true,
      share: 18,
      render: (pull) => <Name of={shortReference(pull)} />,
    },
    {
      label: 'State',
      isShort: true,
      isNameless: true,
      render: ({ state }) => <PullRequestState of={state} />,
    },
    { label: 'Opened', isShort: true, narrow: 'hidden', render: ({ opened_at }) => <When at={opened_at} /> },
    ...costColumns(isAdmin),
  ];
}

/** The columns of a ranking of branches, likewise. */
export function branchColumns(isAdmin: boolean): readonly Column<Branch>[] {
  return [
    {
      label: 'Branch',
      share: 30,
      narrow: 'first',
      render: ({ branch, repository }) => <FilterLink by="branch" of={branch} also={{ repository }} />,
    },
    {
      label: 'Repository',
      isNameless: true,
      share: 20,
      render: ({ repository }) => <FilterLink by="repository" of={repository} />,
    },
    ...costColumns(isAdmin),
  ];
}

type Ranked = Pick<
  PullRequest,
  'signals' | 'people' | 'cost_usd' | 'unpriced_signals' | 'owner' | 'top_session'
>;

function costColumns(isAdmin: boolean): readonly Column<Ranked>[] {
  const others: readonly Column<Ranked>[] = [
    {
      label: 'Owner',
      share: 14,
      narrow: 'third',
      render: ({ owner }) => (owner === null ? '–' : <UserName id={owner.user_id} />),
    },
    { label: 'People', isNumber: true, narrow: 'third', render: ({ people }) => exact(people) },
  ];
  return [
    ...(isAdmin ? others : []),
    {
      label: isAdmin ? 'Top session' : 'Your top session',
      isNumber: true,
      narrow: 'third',
      render: ({ top_session: top }) =>
        top === null ? '–' : <PageLink to={`/sessions/${top.id}`}>{money(top.cost_usd)}</PageLink>,
    },
    { label: isAdmin ? 'Cost' : 'Your part', isNumber: true, narrow: 'first', render: costOf },
  ];
}
