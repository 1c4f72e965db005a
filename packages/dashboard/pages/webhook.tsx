import { Alert, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { webhookQuery } from '../data/queries.ts';
import { useIsAdmin } from '../data/use-me.ts';
import { AdminsOnly } from '../parts/page/admins-only.tsx';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { Section } from '../parts/page/section.tsx';
import { Facts } from '../parts/text/facts.tsx';
import { Maker } from '../parts/text/user-name.tsx';
import { When } from '../parts/time/when.tsx';
import {
  DeliveryActions,
  type DetailedWebhook,
  type NotSent,
  ReEnable,
  SendTheseToo,
  SettingActions,
} from '../parts/webhook/actions.tsx';
import { Deliveries } from '../parts/webhook/deliveries.tsx';
import { filterWords } from '../parts/webhook/filter-fields.tsx';
import { NAMES } from '../parts/webhook/format-choice.tsx';
import { MessagePreview } from '../parts/webhook/message-preview.tsx';
import { alertsText, quietText } from '../parts/webhook/words.ts';

/** One webhook: what arrives and what does not, with every attempt, and then its settings. */
export function WebhookDetail() {
  const { id = '' } = useParams({ strict: false });
  const webhook = useQuery({ ...webhookQuery(id), enabled: useIsAdmin() });
  const isAdmin = useIsAdmin();
  const { pathname } = useLocation();
  const [notSent, setNotSent] = useState<NotSent | null>(null);
  const isChannelPage = pathname.startsWith('/alerts');
  const title = webhook.data?.name ?? (isChannelPage ? 'Channel' : 'Webhook');
  if (!isAdmin) return <AdminsOnly title="Channel" />;
  const back = isChannelPage ? { to: '/alerts', label: 'Alerts' } : { to: '/webhooks', label: 'Webhooks' };
  return (
    <Page title={title} lead={webhook.data?.url} back={back}>
      <Load query={webhook} height={160}>
        {(data) => (
          <Stack>
            {data.status === 'failing' && <Failing webhook={data} onEnabled={setNotSent} />}
            {notSent && notSent.count > 0 && <SendTheseToo id={id} of={notSent} />}
            {data.old_secret_until && (
              <Alert variant="light" color="gray" role="status">
                The previous secret also signs until <When at={data.old_secret_until} />.
              </Alert>
            )}
            <DeliveryActions webhook={data} />
            <Section title="Deliveries">
              <Deliveries webhook={data} />
            </Section>
            <Section title="Settings">
              <Facts of={factsOf(data)} />
              <SettingActions webhook={data} />
            </Section>
            <Paper withBorder p="md" component="details">
              <summary>An example of what is sent</summary>
              <MessagePreview format={data.format} />
            </Paper>
          </Stack>
        )}
      </Load>
    </Page>
  );
}

function Failing({
  webhook,
  onEnabled,
}: {
  webhook: DetailedWebhook;
  onEnabled: (notSent: NotSent) => void;
}) {
  return (
    <Alert variant="outline" color="red" title="This webhook is failing" role="status">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          A delivery failed five times, the last <When at={webhook.failing_since} relative />. New events are
          held until you fix the endpoint and re-enable the webhook. Send a test first.
        </Text>
        <ReEnable webhook={webhook} onEnabled={onEnabled} />
      </Stack>
    </Alert>
  );
}

function factsOf(webhook: DetailedWebhook): Record<string, React.ReactNode> {
  const { events, created_at, failing_since } = webhook;
  return {
    ...(failing_since ? { 'Failing since': <When at={failing_since} /> } : {}),
    Created: <When at={created_at} />,
    Events: events.join(', ') || '–',
    Format: NAMES[webhook.format],
    'Made by': <Maker of={webhook} />,
    ...(webhook.format === 'json' ? {} : { About: filterWords(webhook.filter) }),
    Alerts: alertsText(webhook),
    'Quiet hours': quietText(webhook),
    Digest: webhook.digest,
  };
}
