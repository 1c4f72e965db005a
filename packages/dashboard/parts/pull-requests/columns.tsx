import type { PullRequest } from '../../data/pull-requests.ts';
import type { Column } from '../page/rows.tsx';
import { exact } from '../text/format.ts';
import { Name } from '../text/name.tsx';
import { PageLink } from '../text/page-link.tsx';
import { Count } from '../text/values.tsx';
import { When } from '../time/when.tsx';
import { PullRequestState } from './state.tsx';
import { costOf, shortReference } from './words.ts';

/** The columns of a list of pull requests. */
export const PULL_REQUEST_COLUMNS: readonly Column<PullRequest>[] = [
  {
    label: 'Pull request',
    share: 36,
    narrow: 'first',
    render: (pull) => (
      <PageLink to={`/pull-requests/${pull.id}`} {...(pull.title === null ? {} : { title: pull.title })}>
        <Name of={pull.title ?? shortReference(pull)} />
      </PageLink>
    ),
  },
  { label: 'Repository', isNameless: true, share: 24, render: (pull) => <Name of={shortReference(pull)} /> },
  { label: 'State', isShort: true, isNameless: true, render: ({ state }) => <PullRequestState of={state} /> },
  { label: 'Opened', isShort: true, narrow: 'third', render: ({ opened_at }) => <When at={opened_at} /> },
  {
    label: 'Calls',
    isNumber: true,
    narrow: 'third',
    render: ({ signals }) => <Count of={signals} />,
  },
  { label: 'People', isNumber: true, narrow: 'third', render: ({ people }) => exact(people) },
  { label: 'Cost', isNumber: true, narrow: 'first', render: costOf },
];
