import '../../../parts/sessions/sessions.css';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { sessionsQuery } from '../../../data/queries.ts';
import { QueryRows, useIsNarrow } from '../../../parts/page/rows.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { sessionColumns } from '../../../parts/sessions/columns.tsx';
import { PageLink } from '../../../parts/text/page-link.tsx';
import type { PullRequest } from '../queries.ts';
import { referenceOf, sessionsOf } from './words.ts';

const SHOWN = 10;
const COLUMNS: readonly string[] = ['Started', 'User', 'Tool', 'Model', 'Cost', 'State'];

/** The newest sessions with calls on a pull request, and the way to all of them. */
export function PullRequestSessions({ pull }: { pull: PullRequest }) {
  const isNarrow = useIsNarrow();
  const navigate = useNavigate();
  const query = { pull_request: referenceOf(pull), limit: SHOWN };
  const sessions = useQuery({ ...sessionsQuery(query), refetchInterval: 60_000 });
  return (
    <Section
      title="Sessions with calls on it"
      aside={<PageLink {...sessionsOf(pull)}>All its sessions</PageLink>}
    >
      <Text size="sm" c="dimmed">
        The cost is that of the whole session, which may have been worked on for others too.
      </Text>
      <QueryRows
        query={sessions}
        label="Sessions"
        columns={sessionColumns({ meanUsd: undefined, isNarrow }).filter(({ label }) =>
          COLUMNS.includes(label),
        )}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: `/sessions/${id}` } as never)}
        empty={<Text c="dimmed">None of them is kept any more.</Text>}
      />
    </Section>
  );
}
