import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { webhooksQuery } from '../data/queries.ts';
import { useDialog } from '../data/use-dialog.ts';
import { Page } from '../parts/page/page.tsx';
import { Empty } from '../parts/page/section.tsx';
import { EndpointCreation } from '../parts/webhook/creation.tsx';
import { WebhookTable } from '../parts/webhook/table.tsx';
import { isChannel } from '../parts/webhook/words.ts';

/** The organization's endpoints. Chats and mailboxes are on the page Alerts. */
export function Webhooks() {
  const webhooks = useQuery(webhooksQuery());
  const [isOpen, { open, close }] = useDialog('webhook');
  const create = <Button onClick={open}>Create a webhook</Button>;
  const hasEndpoints = webhooks.data?.data.some((webhook) => !isChannel(webhook));
  return (
    <Page
      title="Webhooks"
      lead="Each event is sent to every endpoint that subscribes, signed, with five attempts over two and a half hours."
      // The list has the button itself while it is empty.
      actions={hasEndpoints && create}
    >
      <WebhookTable
        query={webhooks}
        kind="endpoint"
        empty={
          <Empty action={create}>
            No webhook yet. An endpoint gets a message when sessions begin and end, budgets are reached and
            something is unusual.
          </Empty>
        }
      />
      <Modal opened={isOpen} onClose={close} title="Create a webhook" size="lg" closeOnClickOutside={false}>
        <EndpointCreation onDone={close} />
      </Modal>
    </Page>
  );
}
