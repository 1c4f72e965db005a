import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { budgetsQuery, membersQuery, sessionsQuery } from '../../data/queries.ts';
import { useMe } from '../../data/use-me.ts';
import { BudgetBar } from '../../parts/budget/bar.tsx';
import { Section } from '../../parts/page/section.tsx';
import { Facts } from '../../parts/text/facts.tsx';
import { Several } from '../../parts/text/filter-link.tsx';
import { InLink } from '../../parts/text/in-link.ts';
import { Name } from '../../parts/text/name.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';
import { SectionsOfWings } from '../../wings/sections.tsx';

/** One person, for Overview that is filtered by a user: who it is, the last signal, and the budgets of that user alone. */
export function PersonCard({ userId }: { userId: string }) {
  const me = useMe();
  const members = useQuery({ ...membersQuery(), enabled: me.role === 'admin', staleTime: 300_000 });
  const budgets = useQuery({ ...budgetsQuery(), refetchInterval: false });
  const all = budgets.data ?? [];
  // A template shows the amounts of one person: one's own, or to an admin those of who is furthest.
  const own = all.filter(
    ({ scope, scope_id, top_user_id }) => (scope === 'user' ? scope_id : top_user_id) === userId,
  );
  const member = members.data?.data.find(({ user_id }) => user_id === userId);
  const known = member ?? (me.user_id === userId ? me : undefined);
  return (
    <>
      <Section
        title={
          <InLink value={true}>
            <UserName id={userId} />
          </InLink>
        }
      >
        <Facts
          lg={4}
          of={{
            'E-mail': <Name of={known?.email ?? 'not known'} />,
            ...(member ? { Teams: <Several by="team" of={member.teams} none="none" /> } : {}),
            'Last call': <LastSignal userId={userId} />,
            'User id': <Name of={userId} />,
          }}
        />
        <Stack gap="md">
          {own.map((budget) => (
            <BudgetBar key={budget.id} budget={budget} />
          ))}
        </Stack>
        {budgets.data && own.length === 0 && !all.some(({ per }) => per) && (
          <Group>
            <Text size="sm" c="dimmed">
              No budget counts this person alone.
            </Text>
          </Group>
        )}
      </Section>
      <SectionsOfWings at="person" />
    </>
  );
}

/** Sessions of a person that may still be going on at the same time. */
const AT_ONCE = 20;

function LastSignal({ userId }: { userId: string }) {
  const { data } = useQuery(sessionsQuery({ user_id: userId, limit: AT_ONCE }));
  if (!data) return '…';
  const times = data.data.map(({ last_activity_at }) => last_activity_at).toSorted();
  return <When at={times.at(-1) ?? null} relative />;
}
