import { Anchor, Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Webhook, webhooksQuery } from '../data/queries.ts';
import { Empty } from '../parts/page/empty.tsx';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { type Column, Rows } from '../parts/page/rows.tsx';
import { exact } from '../parts/text/format.ts';
import { State } from '../parts/text/state.tsx';
import { When } from '../parts/text/when.tsx';
import { WebhookCreation } from '../parts/webhook/creation.tsx';
import { EVENT_TYPES } from '../parts/webhook/events.tsx';

/** Failing goes before paused: it is what somebody has to mend. */
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
      <Anchor component={Link} to={`/webhooks/${id}`} size="sm" underline="hover" title={url}>
        {url}
      </Anchor>
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

/** Whether our endpoints get what they should. */
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
      <Load query={webhooks} height={240}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty action={create}>
              No webhook yet. An endpoint of yours is told when sessions begin and end, budgets are reached
              and something is unusual.
            </Empty>
          ) : (
            <Rows label="Webhooks" rows={data} columns={COLUMNS} keyOf={({ id }) => id} />
          )
        }
      </Load>
      <Modal opened={isOpen} onClose={close} title="Create a webhook" size="lg" closeOnClickOutside={false}>
        <WebhookCreation onDone={close} />
      </Modal>
    </Page>
  );
}
