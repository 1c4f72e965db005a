import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useIsAdmin, useMe } from '../../data/use-me.ts';
import { Choice } from '../../parts/form/fields.tsx';
import { Load } from '../../parts/page/load.tsx';
import { Page } from '../../parts/page/page.tsx';
import { PagedRows, usePages } from '../../parts/page/pager.tsx';
import type { Column } from '../../parts/page/rows.tsx';
import { Empty } from '../../parts/page/section.tsx';
import { RefusesYou } from '../../parts/refusal/refuses-you.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { Amount } from '../../parts/text/values.tsx';
import { When } from '../../parts/time/when.tsx';
import { RaiseAnswer } from './answer.tsx';
import { Asking } from './ask.tsx';
import { RaisedBudget, RaiseFacts } from './facts.tsx';
import { type Raise, raiseQuery, raisesQuery } from './queries.ts';
import { RaiseState } from './state.tsx';

type Status = Raise['status'];

const STATES: Record<Status | '', string> = {
  '': 'All',
  pending: 'Waiting',
  approved: 'In force',
  denied: 'Denied',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
  ended: 'Ended',
  revoked: 'Revoked',
};

const COLUMNS: readonly Column<Raise>[] = [
  {
    label: 'Asked',
    narrow: 'first',
    isShort: true,
    render: ({ id, created_at }) => (
      <PageLink to={`/raises/${id}`}>
        <When at={created_at} />
      </PageLink>
    ),
  },
  { label: 'Who', narrow: 'first', render: ({ user_id }) => <UserName id={user_id} /> },
  { label: 'Amount', isNumber: true, render: ({ metric, amount }) => <Amount metric={metric} of={amount} /> },
  { label: 'Budget', render: (raise) => <RaisedBudget of={raise} /> },
  { label: 'State', isShort: true, narrow: 'first', render: ({ status }) => <RaiseState of={status} /> },
  {
    label: 'Ends',
    narrow: 'hidden',
    render: ({ ends_at }) => (ends_at === null ? '' : <When at={ends_at} />),
  },
];

/** Asks for more at `/raise`; else requests for more, or the one that the path names. */
export function Raises() {
  const { pathname } = useLocation();
  const { id } = useParams({ strict: false });
  if (pathname.endsWith('/raise')) return <AskForRaise />;
  return id === undefined ? <AllRaises /> : <RaiseDetail id={id} />;
}

/** A member's own, for an admin those of everybody; of one budget where the search names it. */
function AllRaises() {
  const { budget } = useSearch({ strict: false }) as { budget?: string };
  const [status, setStatus] = useState<Status | ''>('');
  const asked = {
    ...(status === '' ? {} : { status }),
    ...(budget ? { budget_id: budget } : {}),
    limit: 50,
  };
  const pages = usePages(JSON.stringify(asked), (cursor) => raisesQuery({ ...asked, ...cursor }));
  return (
    <Page
      {...(budget ? { back: { to: `/budgets/${budget}`, label: 'Budget' } } : {})}
      title="Raises"
      lead="A person asks for more of a budget, and an admin answers. A raise ends by itself."
      actions={<Choice aria-label="State" of={STATES} value={status} onChange={setStatus} />}
    >
      <PagedRows
        pages={pages}
        label="Raises"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={<Empty>{status === '' ? 'Nobody has asked for more.' : 'No raise has this state.'}</Empty>}
      />
    </Page>
  );
}

/** One raise, with its answer for those who may give it. */
function RaiseDetail({ id }: { id: string }) {
  const raise = useQuery(raiseQuery(id));
  const isAdmin = useIsAdmin();
  const { user_id } = useMe();
  return (
    <Page back={{ to: '/raises', label: 'Raises' }} title="Raise">
      <Load query={raise} height={160}>
        {(data) => (
          <>
            <RaiseFacts of={data} />
            {isAdmin && <RaiseAnswer raise={data} isOwn={data.user_id === user_id} />}
          </>
        )}
      </Load>
    </Page>
  );
}

/** Asks for more of a budget, and shows the state of what was asked for last, which renews itself. */
function AskForRaise() {
  const { budget: id = '' } = useSearch({ strict: false }) as { budget?: string };
  return (
    <Page title="Ask for more" lead="An admin of your organization answers.">
      {id === '' ? (
        <>
          <RefusesYou />
          <Empty>
            Open this page by the link in a refusal, or ask from the page of one of the{' '}
            <PageLink to="/budgets">budgets</PageLink>.
          </Empty>
        </>
      ) : (
        <Asking id={id} />
      )}
    </Page>
  );
}
