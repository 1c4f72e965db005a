import type { Column } from '../../../parts/page/rows.tsx';
import { exact } from '../../../parts/text/format.ts';
import { Name } from '../../../parts/text/name.tsx';
import { PageLink } from '../../../parts/text/page-link.tsx';
import { Count } from '../../../parts/text/values.tsx';
import { When } from '../../../parts/time/when.tsx';
import type { PullRequest } from '../queries.ts';
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
