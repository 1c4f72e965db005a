import { Anchor, Button, Group, List, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useIsAdmin } from '../../../data/use-me.ts';
import { useChangeSearch } from '../../../data/use-range.ts';
import { Empty } from '../../../parts/page/section.tsx';
import type { PullRequestsAsked } from '../queries.ts';

/** In place of the whole page: the two things that it needs, and how to get them. */
export function NoPullRequestYet() {
  const isAdmin = useIsAdmin();
  return (
    <Empty
      action={
        <Group gap="sm" justify="center">
          {isAdmin && (
            <Button component={Link} to="/settings" search={{ tab: 'code-hosts' } as never}>
              Add a code host
            </Button>
          )}
          <Button component={Link} to="/connect" hash="branches" variant={isAdmin ? 'default' : 'filled'}>
            Report branches
          </Button>
        </Group>
      }
    >
      {isAdmin ? (
        <Text>No pull request yet. Two things make each one show its cost here:</Text>
      ) : (
        <Text>No pull request with calls of yours yet. Two things make each one show its cost here:</Text>
      )}
      <List type="ordered" mt="sm" ta="left" size="sm" spacing={4}>
        <List.Item>
          {isAdmin
            ? 'GitHub, GitLab or Bitbucket sends its pull requests, by a webhook; or '
            : 'An admin adds your code host, which then sends its pull requests; or '}
          <Anchor href="/guide/pull-requests#ci-jobs" inherit>
            a CI job reports them
          </Anchor>
          .
        </List.Item>
        <List.Item>
          Your tools report the branch that is checked out, so that each call finds its own.
        </List.Item>
      </List>
    </Empty>
  );
}

/** In place of the rows, where the filters leave none, or none had calls in the range. */
export function NoSuchPullRequest({ asked, range }: { asked: PullRequestsAsked; range: string }) {
  const change = useChangeSearch();
  const { repository, number, state, from, calls_from } = asked;
  const isFiltered = [repository, number, state, from].some((filter) => filter !== undefined);
  if (!isFiltered && calls_from !== undefined)
    return (
      <Empty
        action={
          <Button variant="default" onClick={() => change({ opened: 'any' })}>
            Show those without calls too
          </Button>
        }
      >
        No pull request has calls in this range: {range}.
      </Empty>
    );
  const filters = ['repository', 'number', 'state', 'opened'];
  return (
    <Empty
      action={
        <Button
          variant="default"
          onClick={() => change(Object.fromEntries(filters.map((name) => [name, undefined])))}
        >
          Remove the filters
        </Button>
      }
    >
      No pull request with these filters.
    </Empty>
  );
}
