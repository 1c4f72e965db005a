import { Grid, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Load } from '../../parts/page/load.tsx';
import { Section } from '../../parts/page/section.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';
import { AnomalyFigure, RULES } from './figure.tsx';
import { newestQuery } from './query.ts';

/** The newest anomalies, and a link to all. */
export function AnomalyCard() {
  const anomalies = useQuery(newestQuery());
  return (
    <Grid.Col span={{ base: 12, md: 6 }}>
      <Section title="Newest anomalies" aside={<PageLink to="/anomalies">All anomalies</PageLink>} h="100%">
        <Load query={anomalies}>
          {({ data }) =>
            data.length === 0 ? (
              <Text c="dimmed">None. A session far above its user’s own past appears here.</Text>
            ) : (
              <Stack gap={6}>
                {data.map((anomaly) => (
                  <Group key={anomaly.id} justify="space-between" gap="sm" wrap="nowrap">
                    <PageLink to={`/sessions/${anomaly.session_id}`} className="clip">
                      {RULES[anomaly.anomaly_type].name} of <UserName id={anomaly.user_id} />
                    </PageLink>
                    <Text size="sm" className="number">
                      <AnomalyFigure of={anomaly} value={anomaly.observed} />{' '}
                      <Text span c="dimmed" size="xs">
                        seen <When at={anomaly.detected_at} />
                      </Text>
                    </Text>
                  </Group>
                ))}
              </Stack>
            )
          }
        </Load>
      </Section>
    </Grid.Col>
  );
}
