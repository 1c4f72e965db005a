import { Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useIsAdmin } from '../../data/use-me.ts';
import { AdminsOnly } from '../../parts/page/admins-only.tsx';
import { Load } from '../../parts/page/load.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Section } from '../../parts/page/section.tsx';
import { Facts } from '../../parts/text/facts.tsx';
import { plainName } from '../../parts/text/plain-name.ts';
import { Maker } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';
import { dateWords } from '../../words/time.ts';
import { DestinationActions, EditButton, RunButton } from './parts/actions.tsx';
import { Days } from './parts/days.tsx';
import { FailureNote } from './parts/outcome.tsx';
import { type Destination, destinationQuery } from './parts/queries.ts';
import { Runs } from './parts/runs.tsx';
import { DestinationState, Standing } from './parts/state.tsx';
import { FAILURES, placeText, tablesText } from './parts/words.ts';

/** One destination of exports: whether its files arrive, its days and its runs. */
export function DestinationDetail() {
  const { id = '' } = useParams({ strict: false });
  const isAdmin = useIsAdmin();
  const query = useQuery({ ...destinationQuery(id), enabled: isAdmin });
  if (!isAdmin) return <AdminsOnly title="Destination" />;
  const { data } = query;
  return (
    <Page
      title={data ? plainName(data.name) : 'Destination'}
      lead={data && placeText(data)}
      back={{ to: '/export', label: 'Export' }}
    >
      <Load query={query} height={160}>
        {(destination) => (
          <Stack>
            {destination.status === 'failing' && <Failing destination={destination} />}
            <Paper withBorder p="md">
              <Stack>
                <Text role="status">
                  <Standing of={destination} />
                </Text>
                <Facts of={factsOf(destination)} lg={4} />
              </Stack>
            </Paper>
            <DestinationActions destination={destination} />
            <Days destination={destination} />
          </Stack>
        )}
      </Load>
      <Section title="Runs">
        <Runs id={id} />
      </Section>
    </Page>
  );
}

/** Why files do not arrive, and the act that mends it. */
function Failing({ destination }: { destination: Destination }) {
  const { id, code, next_run_at } = destination;
  if (code === null) return null;
  const { mending } = FAILURES[code];
  return (
    <FailureNote code={code} title="Files do not arrive">
      <Text size="sm">
        It is tried again <When at={next_run_at} />.
      </Text>
      <Group gap="sm">
        {mending === 'edit' && <EditButton destination={destination} variant="filled" />}
        <RunButton id={id} label="Run again" variant={mending === 'edit' ? 'default' : 'filled'} />
      </Group>
    </FailureNote>
  );
}

function factsOf(destination: Destination): Record<string, React.ReactNode> {
  const { hour_utc, since, access_key_id, secret_set_at, conditional_writes, region, made_by, created_at } =
    destination;
  return {
    State: <DestinationState of={destination} />,
    Tables: tablesText(destination),
    'Written each day': `at ${String(hour_utc).padStart(2, '0')}:00 UTC`,
    'First day': dateWords(since),
    ...(region === null ? {} : { Region: region }),
    ...(access_key_id === null
      ? {}
      : { 'Access key': access_key_id, 'Secret set': <When at={secret_set_at} /> }),
    ...(conditional_writes === null ? {} : { 'Conditional writes': conditional_writes ? 'yes' : 'no' }),
    Added: <When at={created_at} />,
    ...(made_by ? { 'Made by': <Maker of={{ made_by }} /> } : {}),
  };
}
