import { Anchor, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api, Problem, take } from '../../data/client.ts';
import { useDeletion } from '../../data/use-act.ts';
import { useIsAdmin } from '../../data/use-me.ts';
import { ChartCard } from '../../parts/chart/card.tsx';
import { ActButton } from '../../parts/form/act-button.tsx';
import { Load } from '../../parts/page/load.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Unknown } from '../../parts/page/unknown.tsx';
import { Facts } from '../../parts/text/facts.tsx';
import { FilterLink } from '../../parts/text/filter-link.tsx';
import { exact } from '../../parts/text/format.ts';
import { Name } from '../../parts/text/name.tsx';
import { plainName } from '../../parts/text/plain-name.ts';
import { UserName } from '../../parts/text/user-name.tsx';
import { Count } from '../../parts/text/values.tsx';
import { When } from '../../parts/time/when.tsx';
import { withoutHost } from '../../words/work.ts';
import { CostTable } from './parts/cost-table.tsx';
import { dayChart } from './parts/day-chart.ts';
import { Figures } from './parts/figures.tsx';
import { PullRequestSessions } from './parts/sessions.tsx';
import { PullRequestState } from './parts/state.tsx';
import { TopSession } from './parts/top-session.tsx';
import { costOf, costSentence, referenceOf } from './parts/words.ts';
import { type PullRequestDetail as Detail, pullRequestQuery } from './queries.ts';

/** One pull request: its cost, and the days, people, models and branches that the cost is for. */
export function PullRequestDetail() {
  const { id = '' } = useParams({ strict: false });
  const pull = useQuery(pullRequestQuery(id));
  const isAdmin = useIsAdmin();
  if (pull.error instanceof Problem && pull.error.status === 404) return <Unknown />;
  const title = pull.data && (pull.data.title ?? referenceOf(pull.data));
  return (
    <Page
      back={{ to: '/pull-requests', label: 'Pull requests' }}
      title={title === undefined ? 'Pull request' : plainName(title)}
      heading={title !== undefined && <bdi>{plainName(title)}</bdi>}
      lead={pull.data && <Reference pull={pull.data} />}
      actions={isAdmin && pull.data && <DeleteButton pull={pull.data} />}
    >
      <Load query={pull} height={400}>
        {(data) => <Costs pull={data} />}
      </Load>
    </Page>
  );
}

function Reference({ pull }: { pull: Detail }) {
  const reference = plainName(referenceOf(pull));
  if (pull.url === null) return <bdi>{reference}</bdi>;
  return (
    <Anchor href={pull.url} target="_blank" rel="noopener noreferrer" inherit>
      <bdi>{reference}</bdi>
    </Anchor>
  );
}

function DeleteButton({ pull }: { pull: Detail }) {
  const remove = useDeletion(
    () => take(api.DELETE('/v1/pull-requests/{id}', { params: { path: { id: pull.id } } })),
    { list: 'pull-requests', done: 'The pull request is deleted.' },
  );
  const question = {
    title: `Delete ${plainName(referenceOf(pull))}?`,
    text: 'This is for one that was reported by mistake. Its calls stay on their branch, and a later report makes it anew.',
    yes: 'Delete',
  };
  return (
    <ActButton act={remove} question={question}>
      Delete
    </ActButton>
  );
}

function Costs({ pull }: { pull: Detail }) {
  const { cost_usd, by_user, by_model, by_branch } = pull;
  const isAdmin = useIsAdmin();
  return (
    <Stack>
      <Text size="lg" className="wrap" component="div" data-sentence>
        <bdi>{plainName(costSentence(pull, !isAdmin))}</bdi>
        <TopSession pull={pull} />
      </Text>
      {pull.signals > 0 && <Sums pull={pull} />}
      <Paper withBorder p="md">
        <Facts of={factsOf(pull)} />
      </Paper>
      {pull.signals > 0 && (
        <>
          <PullRequestSessions pull={pull} />
          <ChartCard title={isAdmin ? 'Cost per day' : 'Your part per day'} content={dayChart(pull)} />
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <CostTable
              title="By person"
              heading="Person"
              of={by_user}
              whole={cost_usd}
              keyOf={({ user_id }) => user_id}
              show={({ user_id }) => <UserName id={user_id} />}
            />
            <CostTable
              title="By model"
              heading="Model"
              of={by_model}
              whole={cost_usd}
              keyOf={({ model }) => model}
              show={({ model }) => <FilterLink by="model" of={model} />}
            />
          </SimpleGrid>
          {by_branch.data.length > 1 && (
            <CostTable
              title="By branch"
              heading="The name of the branch then"
              of={by_branch}
              whole={cost_usd}
              keyOf={({ branch }) => branch}
              show={({ branch }) => (branch === null ? 'No branch' : <FilterLink by="branch" of={branch} />)}
            />
          )}
        </>
      )}
    </Stack>
  );
}

function Sums({ pull }: { pull: Detail }) {
  const { signals, errors, tokens_in, tokens_out, people } = pull;
  const isAdmin = useIsAdmin();
  const by = `by ${exact(people)} ${people === 1 ? 'person' : 'people'}`;
  return (
    <Figures
      label="Figures"
      of={[
        { label: isAdmin ? 'Cost' : 'Your part', value: costOf(pull) },
        {
          label: 'Calls',
          value: <Count of={signals} />,
          notes: [[isAdmin && by, errors > 0 && `${exact(errors)} failed`].filter(Boolean).join(', ')],
        },
        { label: 'Tokens in', value: <Count of={tokens_in} /> },
        { label: 'Tokens out', value: <Count of={tokens_out} /> },
      ]}
    />
  );
}

function factsOf(pull: Detail): Record<string, React.ReactNode> {
  const { repository, head_repository, branch, base_branch, state, opened_at, closed_at, merged_at } = pull;
  const { first_call_at, last_call_at } = pull;
  return {
    State: <PullRequestState of={state} />,
    Repository: <FilterLink by="repository" of={repository} />,
    Branch: (
      <FilterLink
        by="branch"
        of={branch}
        {...(head_repository ? { also: { repository: head_repository } } : {})}
      />
    ),
    ...(head_repository === repository
      ? {}
      : { 'Of the fork': <Name of={withoutHost(head_repository ?? 'not known')} /> }),
    ...(base_branch === null ? {} : { 'Target branch': <Name of={base_branch} /> }),
    Opened: <When at={opened_at} />,
    ...(closed_at === null ? {} : { [merged_at === null ? 'Closed' : 'Merged']: <When at={closed_at} /> }),
    ...(first_call_at === null ? {} : { 'First call': <When at={first_call_at} /> }),
    ...(last_call_at === null ? {} : { 'Last call': <When at={last_call_at} /> }),
  };
}
