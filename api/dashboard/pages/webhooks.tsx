import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type Webhook, webhooksQuery } from '../data/queries.ts';
import { Page } from '../parts/page/page.tsx';
import { type Column, QueryRows } from '../parts/page/rows.tsx';
import { Empty } from '../parts/page/section.tsx';
import { exact } from '../parts/text/format.ts';
import { PageLink } from '../parts/text/page-link.tsx';
import { State } from '../parts/text/state.tsx';
import { When } from '../parts/text/values.tsx';
import { WebhookCreation } from '../parts/webhook/creation.tsx';
import { EVENT_TYPES } from '../parts/webhook/events.tsx';

/** The state of a webhook in one word. Failing goes before paused, because somebody has to mend it. */
export function webhookState({ status, enabled }: Pick<Webhook, 'status' | 'enabled'>): string {
  if (status === 'failing') return 'failing';
  return enabled ? 'active' : 'paused';
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    label: 'Endpoint',
    narrow: 'first',
    share: 38,
    render: ({ id, url }) => (
      <PageLink to={`/webhooks/${id}`} title={url}>
        {url}
      </PageLink>
    ),
  },
  {
    label: 'State',
    isShort: true,
    narrow: 'first',
    render: (webhook) => <State of={webhookState(webhook)} />,
  },
  {
    label: 'Events',
    share: 22,
    narrow: 'hidden',
    render: ({ events }) => {
      const named = events.length === EVENT_TYPES.length ? 'all' : events.join(', ');
      return <span title={events.join(', ')}>{named}</span>;
    },
  },
  { label: 'Held', isNumber: true, render: ({ held }) => exact(held) },
  {
    label: 'Last delivery',
    isShort: true,
    render: ({ last_delivery: last }) => (last ? <State of={last.status} /> : 'none yet'),
  },
  {
    label: 'Failing since',
    isShort: true,
    narrow: 'hidden',
    render: ({ failing_since }) => (failing_since ? <When at={failing_since} /> : '–'),
  },
];

/** The organization's webhooks, and whether their deliveries arrive. */
export function Webhooks() {
  const webhooks = useQuery(webhooksQuery());
  const [isOpen, { open, close }] = useDisclosure();
  const create = <Button onClick={open}>Create a webhook</Button>;
  return (
    <Page
      title="Webhooks"
      lead="Each event is sent to every endpoint that subscribes, signed, with five attempts over two and a half hours."
      actions={create}
    >
      <QueryRows
        query={webhooks}
        height={240}
        label="Webhooks"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty action={create}>
            No webhook yet. An endpoint gets a message when sessions begin and end, budgets are reached and
            something is unusual.
          </Empty>
        }
      />
      <Modal opened={isOpen} onClose={close} title="Create a webhook" size="lg" closeOnClickOutside={false}>
        <WebhookCreation onDone={close} />
      </Modal>
    </Page>
  );
}
