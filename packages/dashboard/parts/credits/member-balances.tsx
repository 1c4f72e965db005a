import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { useMe } from '../../data/use-me.ts';
import { Load } from '../page/load.tsx';
import { type Column, Rows } from '../page/rows.tsx';
import { Section } from '../page/section.tsx';
import { exact } from '../text/format.ts';
import { UserName } from '../text/user-name.tsx';

type Balance = AnswerOf<'/v1/org/{orgId}/balances'>['data'][number];

/** So many rows are read at a glance. */
const FIRST = 20;

const COLUMNS: readonly Column<Balance>[] = [
  { label: 'Member', narrow: 'first', render: ({ user_id }) => <UserName id={user_id} /> },
  { label: 'Total', isNumber: true, narrow: 'first', render: ({ total }) => shown(total) },
  { label: 'Window', isNumber: true, render: ({ balances }) => shown(balances?.window.credits) },
  { label: 'Monthly', isNumber: true, render: ({ balances }) => shown(balances?.monthly.credits) },
  { label: 'Paid', isNumber: true, render: ({ balances }) => shown(balances?.paid.credits) },
  { label: 'Granted', isNumber: true, render: ({ balances }) => shown(balances?.granted.credits) },
];

/** Credits as text; a dash while they are not known. */
function shown(credits: number | null | undefined): string {
  return credits == null ? '–' : exact(credits);
}

/** The credits of every member, least first, for admins. */
export function MemberBalances() {
  const { org } = useMe();
  const [isWhole, setWhole] = useState(false);
  const balances = useQuery({
    queryKey: ['balances', org.id],
    queryFn: () => take(api.GET('/v1/org/{orgId}/balances', { params: { path: { orgId: org.id } } })),
    refetchInterval: 60_000,
  });
  return (
    <Section title="Members">
      <Text size="sm" c="dimmed">
        The credits of everybody in {org.name}, least first.
      </Text>
      <Load query={balances}>
        {({ data }) => {
          const leastFirst = data.toSorted((a, b) => (a.total ?? Infinity) - (b.total ?? Infinity) || 0);
          return (
            <>
              <Rows
                label="Members"
                rows={isWhole ? leastFirst : leastFirst.slice(0, FIRST)}
                columns={COLUMNS}
                keyOf={({ user_id }) => user_id}
              />
              {!isWhole && data.length > FIRST && (
                <Button mt="sm" variant="default" onClick={() => setWhole(true)}>
                  Show all {exact(data.length)}
                </Button>
              )}
            </>
          );
        }}
      </Load>
    </Section>
  );
}
