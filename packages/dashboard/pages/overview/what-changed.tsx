import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { sessionQuery } from '../../data/queries.ts';
import { type Changes, usageChanges } from '../../data/usage-questions.ts';
import { useFilters, useRange, useSharedSearch } from '../../data/use-range.ts';
import { percent } from '../../parts/text/format.ts';
import { Name } from '../../parts/text/name.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { pullRequestSearch, pullRequestsOf, withoutHost } from '../../words/work.ts';
import { changeOf, type Explained, nounOf, partOf } from './change-sentence.ts';

/** The height of the sentence on a wide page: it is there before its words, so that nothing below moves. */
const LINE = 28;

/**
 * The difference of the cost from the period before in one sentence, and what explains it: "Up $30.12 (+15 %) from the 7 days
 * before. 92 % of it is one session of Tomás on infra#4156." That of another range stays, faded, until this one is answered.
 */
export function WhatChanged() {
  const range = useRange();
  const { data, isPending, isPlaceholderData: isOutdated } = useQuery(usageChanges(range, useFilters()));
  if (isPending) return <Skeleton height={LINE} />;
  const change = data ? changeOf(data, range.beforeLabel) : null;
  if (!data || change === null) return null;
  return (
    <Text
      size="lg"
      className={isOutdated ? 'wrap outdated' : 'wrap'}
      aria-busy={isOutdated}
      component="p"
      m={0}
      mih={LINE}
      lh={1.5}
      data-sentence
    >
      {change}. <Explanation of={data} />
    </Text>
  );
}

function Explanation({ of }: { of: Changes }) {
  const { explained_by: explained } = of;
  if (Number(of.difference_usd) === 0 || Number(of.before_cost_usd) === 0) return null;
  if (!explained) return 'No single session, person, project or model stands out.';
  const { share } = explained;
  if (share <= 1.005)
    return (
      <>
        {share > 0.995 ? 'All' : percent(share, 0)} of it is <Rows of={explained} />.
      </>
    );
  const { more, others } = partOf(of, explained);
  return (
    <>
      Alone, <Rows of={explained} /> cost {more}; everything else cost {others}.
    </>
  );
}

/** The rows that explain a difference, each with a link to what they count. */
function Rows({ of: { by, keys } }: { of: Explained }) {
  if (by === 'session') return <Sessions ids={keys} />;
  const noun = nounOf(by, keys.length);
  return (
    <>
      {noun && `${noun} `}
      <InWords of={keys}>{(key) => <Row by={by} value={key} />}</InWords>
    </>
  );
}

function Row({ by, value }: { by: Exclude<Explained['by'], 'session'>; value: string }) {
  const search = useSharedSearch();
  if (by === 'pull_request')
    return (
      <Link to="/pull-requests" search={{ ...search, ...pullRequestSearch(value) }}>
        <Name of={withoutHost(value)} />
      </Link>
    );
  const shown =
    by === 'user_id' ? (
      <UserName id={value} />
    ) : (
      <Name of={by === 'repository' ? withoutHost(value) : value} />
    );
  return (
    <Link to="/sessions" search={{ ...search, [by]: value }}>
      {shown}
    </Link>
  );
}

/** One session says whose it is and what it was worked on. */
function Sessions({ ids: [first = '', ...others] }: { ids: readonly string[] }) {
  const isOne = others.length === 0;
  const session = useQuery({ ...sessionQuery(first), enabled: isOne, refetchInterval: false });
  const search = useSharedSearch();
  if (!isOne)
    return (
      <Link to="/sessions" search={{ ...search, sort: 'cost_usd' }}>
        {`${others.length + 1} sessions`}
      </Link>
    );
  const [pull, another] = session.data ? pullRequestsOf(session.data.attribution) : [];
  return (
    <>
      <Link to={`/sessions/${first}`}>one session</Link>
      {session.data && (
        <>
          {' '}
          of <UserName id={session.data.user_id} />
        </>
      )}
      {pull && !another && (
        <>
          {' '}
          on{' '}
          <Link to="/pull-requests" search={pull.search}>
            <Name of={pull.short} />
          </Link>
        </>
      )}
    </>
  );
}

function InWords({ of, children }: { of: readonly string[]; children: (key: string) => React.ReactNode }) {
  return of.map((key, at) => (
    <Fragment key={key}>
      {at > 0 && (at === of.length - 1 ? ' and ' : ', ')}
      {children(key)}
    </Fragment>
  ));
}

function Link(link: Parameters<typeof PageLink>[0]) {
  return <PageLink {...link} size="lg" underline="always" />;
}
