import { Text } from '@mantine/core';
import type { Column } from '../../../parts/page/rows.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { Name } from '../../../parts/text/name.tsx';
import { PageLink } from '../../../parts/text/page-link.tsx';
import { UserName } from '../../../parts/text/user-name.tsx';
import { When } from '../../../parts/time/when.tsx';
import type { PullRequestDetail } from '../queries.ts';
import { CostTable } from './cost-table.tsx';
import { sessionsOf } from './words.ts';

type Line = NonNullable<PullRequestDetail['by_session']>['data'][number];

const PERSON: Column<Line> = {
  label: 'Person',
  narrow: 'third',
  render: ({ user_id }) => <UserName id={user_id} />,
};

/** The sessions with calls on a pull request, most expensive first, each with the cost of these calls alone. */
export function PullRequestSessions({ pull }: { pull: PullRequestDetail }) {
  const { by_session, cost_usd } = pull;
  const { to, search } = sessionsOf(pull);
  const all = (
    <PageLink to={to} search={{ ...search, sort: 'cost_usd' }}>
      All its sessions
    </PageLink>
  );
  if (by_session === null)
    return (
      <Section title="By session" aside={all}>
        <Text c="dimmed">Too many calls to sum up by session, or some are no longer kept.</Text>
      </Section>
    );
  return (
    <CostTable
      title="By session"
      heading="Session"
      of={by_session}
      whole={cost_usd}
      keyOf={({ session_id }) => session_id}
      show={({ session_id, started_at }) => (
        <PageLink to={`/sessions/${session_id}`} inherit>
          {started_at === null ? <Name of={session_id} /> : <When at={started_at} />}
        </PageLink>
      )}
      more={[PERSON]}
      aside={all}
    />
  );
}
